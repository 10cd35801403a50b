#!/usr/bin/perl
# The browser's page of `make wasm` in headless Chromium, driven by WebDriver
# and served from 127.0.0.1. Pictures of it stay in build/wasm.
# skip: dist/wasm/index.html
# skip: /usr/bin/chromedriver
use strict;
use warnings;
use Test::More;
use File::Spec;
use File::Temp qw(tempdir);
use HTTP::Tiny;
use JSON::PP;
use MIME::Base64;

my $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
my $pictures = ($ENV{BUILD} || 'build') . '/wasm';
my $work = tempdir(CLEANUP => 1);
my $patience = 60;    # seconds

# ---- The server and the browser

my @pids;

# Starts a program and gives the number that it says, as $pattern finds it.
sub start {
  my ($log, $pattern, @command) = @_;
  my $pid = fork // die "$!\n";
  if ($pid == 0) {
    open STDIN, '<', File::Spec->devnull;
    open STDOUT, '>', $log;
    open STDERR, '>&', \*STDOUT;
    exec @command;
    exit 127;
  }
  push @pids, $pid;
  my $until = time + $patience;
  while (time < $until) {
    return $1 if text_of($log) =~ $pattern;
    select undef, undef, undef, 0.05;
  }
  BAIL_OUT("$command[0] does not start: " . text_of($log));
}

sub text_of {
  my ($file) = @_;
  open my $in, '<', $file or return '';
  local $/;
  return <$in> // '';
}

my $http = HTTP::Tiny->new(timeout => $patience);
my ($driver, $session);

# One WebDriver command; its value, or dies of its error.
sub command {
  my ($method, $path, $body) = @_;
  my $answer = $http->request($method, "$driver$path",
    $body ? {content => encode_json($body)} : {});
  my $value = decode_json($answer->{content})->{value};
  die "$path: $value->{message}\n" unless $answer->{success};
  return $value;
}

sub in_session {
  my ($method, $path, $body) = @_;
  return command($method, "$session$path", $body);
}

END {
  my $status = $?;
  eval { in_session('DELETE', '') } if $session;
  kill TERM => @pids;
  waitpid $_, 0 for @pids;
  $? = $status;
}
$SIG{INT} = $SIG{TERM} = sub { exit 1 };

my $requests = "$work/server.log";
my $port = start($requests, qr/ port (\d+) /, qw(python3 -u -m http.server 0
  --bind 127.0.0.1 --directory), "$dist/wasm");
$driver = 'http://127.0.0.1:' . start("$work/driver.log",
  qr/successfully on port (\d+)/, qw(/usr/bin/chromedriver --port=0));
my $created = command('POST', '/session', {capabilities => {alwaysMatch => {
  'goog:loggingPrefs' => {browser => 'ALL'},
  'goog:chromeOptions' => {
    # Without a sandbox, which root cannot have; the page is our own.
    args => [qw(--headless=new --no-sandbox --disable-dev-shm-usage)],
    prefs => {'download.default_directory' => $work}}}}});
$session = "/session/$created->{sessionId}";

# ---- What is asked of the page

sub script {
  my ($body, @arguments) = @_;
  return in_session('POST', '/execute/sync',
                    {script => $body, args => \@arguments});
}

# The element of an id, as WebDriver names it.
sub element {
  my ($id) = @_;
  return (values %{in_session('POST', '/element',
                              {using => 'css selector', value => "#$id"})})[0];
}

sub type_into {
  my ($id, $text) = @_;
  in_session('POST', '/element/' . element($id) . '/value', {text => $text});
}

sub click { in_session('POST', '/element/' . element(shift) . '/click', {}) }

# The text that an id shows; '' where it is hidden.
sub shown { return in_session('GET', '/element/' . element(shift) . '/text') }

# Waits until an id shows something that matches.
sub wait_for {
  my ($id, $pattern) = @_;
  my $until = time + $patience;
  my $text = '';
  while (time < $until) {
    $text = shown($id);
    last if $text =~ $pattern;
    select undef, undef, undef, 0.05;
  }
  return $text;
}

sub run_sql {
  my ($sql) = @_;
  script('document.getElementById("sql").value = arguments[0]', $sql);
  click('run');
}

# The rows of every table, as the shell's list mode has them.
sub rows {
  return script(<<'END');
    return [...document.querySelectorAll('#results tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.innerText).join('|')).join(' ');
END
}

sub ask {
  my ($key) = @_;
  in_session('POST', '/element/' . element('key') . '/clear', {});
  type_into('key', $key);
  return shown('answer');
}

sub picture {
  my ($name, $width, $height) = @_;
  in_session('POST', '/goog/cdp/execute', {
    cmd => 'Emulation.setDeviceMetricsOverride',
    params => {width => $width, height => $height, deviceScaleFactor => 1,
               mobile => JSON::PP::false}});
  mkdir $pictures;
  open my $out, '>:raw', "$pictures/$name.png" or die "$name.png: $!\n";
  print $out decode_base64(in_session('GET', '/screenshot'));
  close $out;
}

sub write_file {
  my ($name, $bytes) = @_;
  open my $out, '>:raw', "$work/$name" or die "$name: $!\n";
  print $out $bytes;
  close $out;
  return "$work/$name";
}

# ---- The tests

in_session('POST', '/url', {url => "http://127.0.0.1:$port/"});
like(wait_for('version', qr/./), qr/^bloom \d+\.\d+\.\d+, SQLite 3\.52\.0\.$/,
     'SQLite and the extension are there');
is(shown('status'), '', 'and it says no longer that they are being loaded');
my $loaded = text_of($requests);
is(() = $loaded =~ /" 200 /g, () = $loaded =~ /"GET /g,
   'every file that it asks for is there');

click('run');
is(rows(), 'Ann|2026-01-05 Bo|2026-01-06', 'the example: its two rows');
like(shown('results'), qr/^2 rows\s+name\s+at\s/, 'under their columns');
like(shown('results'), qr/5 statements ran\.$/, 'and what ran');

# A filter as the shell writes it.
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $file = "$work/customer.filter";
open my $sql, '|-', "$shell :memory: >'$work/shell.log'" or die "$shell: $!\n";
print $sql <<"END";
.load $dist/bloom
CREATE TABLE customer AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
SELECT 'user' || i || '\@example.com' AS email FROM n;
SELECT writefile('$file', bloom_build(email)) FROM customer;
SELECT writefile('$work/huge', bloom_build('hello', 10, 100000000));
SELECT keys, printf('%.2f', 100 * false_positive_rate),
       printf('%08x', crc32c(filter))
FROM bloom_info(readfile('$file'));
END
close $sql;
my ($size, $huge, $keys, $rate, $crc) =
  split /[|\s]/, text_of("$work/shell.log");
is($size, 125001, 'the shell writes a filter of 100,000 keys');

type_into('file', $file);
is(wait_for('name', qr/./), 'customer.filter', 'it is loaded');
is(shown('info') =~ s/,//gr =~ s/\s+/ /gr,
   "Bytes 125001 Probes a key 6 Estimated keys about $keys "
   . "False positive rate $rate % CRC32C $crc", 'what the shell knows of it');
is(ask('user99999@example.com'), 'perhaps in the set', 'a member');
picture('page', 1000, 1500);
is(ask('nobody@example.com'), 'certainly not in the set', 'a stranger');
my $strangers = script(<<'END');
  const [key, answer] = ['key', 'answer'].map((id) => document.getElementById(id));
  let perhaps = 0;
  for (let i = 100001; i <= 101000; i++) {
    key.value = `user${i}@example.com`;
    key.dispatchEvent(new Event('input'));
    perhaps += answer.innerText.startsWith('perhaps');
  }
  return perhaps;
END
cmp_ok($strangers, '<', 30,
       "of 1,000 strangers $strangers are taken for members");
is(ask("a\x{e003}"), '', 'no key: no answer');    # typed and taken back

type_into('file', "$work/huge");
is(wait_for('name', qr/huge/), 'huge', "one of $huge bytes is taken");
is(ask('hello') . ', ' . ask('x'),
   'perhaps in the set, certainly not in the set', 'and asked');

my $full = "\xff" x 8 . "\6";
open my $large, '>', "$work/large" or die "$!\n";
truncate $large, 128 * 1024 * 1024 + 1;
close $large;
for (
  ['empty', '', 'it is empty'],
  ['byte', "\6", 'it has 1 byte, and a filter has 2 or more'],
  ['picture.png', decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA'
    . 'DUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='),
   'its last byte is 130, and a filter ends with its number of probes, 1 to 30'],
  ['zero', "\0" x 9, 'its last byte is 0, and a filter ends'],
  ['reserved', "\0" x 8 . "\x1f", 'its last byte is 31, and a filter ends'],
  ['full', $full, 'all its bits are set'],
  ['large', undef, 'it has 134,217,729 bytes, and this page reads up to '
    . '134,217,728 bytes'],
) {
  my ($name, $bytes, $why) = @$_;
  write_file($name, $bytes) if defined $bytes;
  type_into('file', "$work/$name");
  like(wait_for('refusal', qr/^$name is/), qr/^\Q$name is not taken: $why\E/,
       "refused: $why");
  is(shown('filter'), '', 'and the filter before it is gone');
}

# Other SQL than the example.
run_sql('SELECT 1');
type_into('sql', "; SELECT 2\x{e009}\x{e007}");    # Ctrl+Enter
is(rows(), '1 2', 'Ctrl+Enter runs it');
run_sql("SELECT NULL, 1.0, 'a\nb', '<i>', ''; -- the end");
is(rows(), "NULL|1.0|a\nb|<i>|", 'values as SQLite writes them');
run_sql('SELECT 1; SELECT no(); SELECT 2');
is(rows(), '1', 'statements before an error ran');
like(shown('results'), qr/Error: no such function: no$/, 'an error is shown');
run_sql('SELECT bloom_build(1, 1000)');
like(shown('results'), qr/Error: bloom_build: bits_per_key must be an integer /,
     "an error of the extension's");
run_sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
        . ' SELECT i FROM n');
like(shown('results'), qr/^1,000 rows, and there are more\s/,
     'rows without end are shown up to a bound');

# A filter that the page itself made: saved, then dropped.
run_sql("SELECT bloom_build(column1) FROM (VALUES ('hello'), ('world'))");
like(rows(), qr/^x'114000414410401006' save 9 bytes$/, 'a BLOB is shown in hex');
script(q{document.querySelector('#results a').click()});
my $until = time + $patience;
select undef, undef, undef, 0.05 until -s "$work/blob.filter" || time > $until;
is(unpack('H*', text_of("$work/blob.filter")), '114000414410401006',
   'and saved as a file');
script(<<'END', unpack 'H*', text_of("$work/blob.filter"));
  const bytes = arguments[0].match(/../g).map((digits) => parseInt(digits, 16));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.from(bytes)], 'two.filter'));
  document.getElementById('drop').dispatchEvent(new DragEvent('drop',
    {dataTransfer, bubbles: true, cancelable: true}));
END
is(wait_for('name', qr/two/), 'two.filter', 'a file that is dropped is loaded');
is(shown('refusal'), '', 'and the refusal before it is gone');
is(ask('hello') . ', ' . ask('x'),
   'perhaps in the set, certainly not in the set', 'and asked');

picture('phone', 360, 1900);
is(script('return document.documentElement.scrollWidth'), 360,
   'on a phone nothing is cut off');
is(text_of($requests), $loaded,
   'nothing was asked of the server since the page was loaded');
my $log = in_session('POST', '/se/log', {type => 'browser'});
is(join("\n", map { $_->{message} } @$log), '', 'and no word on the console');
done_testing();
