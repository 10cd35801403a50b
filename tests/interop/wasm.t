#!/usr/bin/perl
# The browser's page of `make wasm` in headless Chromium: the picture of a
# filter, keys of each type, odd files, the timed joins, the keyboard. Its SQL is
# in wasm_sql.t. Pictures of the page stay in build/wasm, to be looked at.
# skip: dist/wasm/index.html
# skip: /usr/bin/chromedriver
use strict;
use warnings;
use Test::More;
use MIME::Base64;
require './tests/lib/browser.pl';
our ($dist, $work);

# ---- LevelDB's algorithm, from its description, to compare with

my $mask = 0xffffffff;

sub leveldb_hash {
  my ($key) = @_;
  my $m = 0xc6a4a793;
  my $h = 0xbc9f1d34 ^ length($key) * $m & $mask;
  my $words = int(length($key) / 4);
  for (unpack "V$words", $key) {
    $h = ($h + $_ & $mask) * $m & $mask;
    $h ^= $h >> 16;
  }
  my $rest = substr $key, 4 * $words;
  return $h if $rest eq '';
  $h = ($h + unpack('V', "$rest\0\0\0") & $mask) * $m & $mask;
  return $h ^ $h >> 24;
}

# Bit and 0 or 1 of each probe, as in `15:1 59:0`.
sub probes_of {
  my ($filter, $key) = @_;
  my $h = leveldb_hash($key);
  my $delta = ($h >> 17 | $h << 15) & $mask;
  my @probes;
  for (1 .. ord substr $filter, -1) {
    my $bit = $h % (8 * (length($filter) - 1));
    push @probes, "$bit:" . vec($filter, $bit, 1);
    $h = $h + $delta & $mask;
  }
  return "@probes";
}

# ---- What is asked of the page

# The probes that are lit, in the same form.
sub lit {
  return join ' ', @{script(<<'END')};
    return [...document.querySelectorAll('#probes li')].map((probe) =>
      `${probe.dataset.bit}:${Number(probe.className === 'set')}`);
END
}

# Asks for a key and waits for the answer, of which it gives the first line.
sub ask {
  my ($key, $type) = @_;
  return script(<<'END', $key, $type // 'TEXT');
    const [answer, error, key, type] = ['answer', 'key-error', 'key', 'type']
      .map((id) => document.getElementById(id));
    answer.textContent = '';
    error.hidden = true;
    [key.value, type.value] = arguments;
    key.dispatchEvent(new Event('input'));
    return new Promise((resolve) => {
      const look = () => answer.textContent || !error.hidden
        ? resolve(answer.innerText.split('\n')[0]) : setTimeout(look, 5);
      look();
    });
END
}

# What probes say.
sub verdict {
  my ($probes) = @_;
  return $probes =~ /:0/ ? 'certainly absent' : 'possibly present';
}

sub load_file {
  my ($name) = @_;
  type_into('file', "$work/$name");
  return wait_for('name', qr/^\Q$name\E$/);
}

open_page();

# ---- What is served

my $page = 0;
$page += -s for grep { !m{/(?:sqlite3-bloom|recipes)\.js$} }
  "$dist/wasm/index.html", glob "$dist/wasm/*.{js,css}";
cmp_ok($page, '<', 40_000, 'the page, its style and scripts are small');
cmp_ok(-s "$dist/wasm/sqlite3-bloom.wasm", '<', 1.2e6, 'and so is the module');

# ---- The picture

is(shown('name'), 'The filter of 12 keys, 10 bits for each', 'a first filter');
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $file = "$work/customer.filter";
open my $sql, '|-', "$shell :memory: >'$work/shell.log'" or die "$shell: $!\n";
print $sql <<"END";
.load $dist/bloom
SELECT hex(bloom_build(value)) FROM json_each('["apple", "apricot", "banana",
"cherry", "fig", "grape", "lemon", "mango", "orange", "peach", "pear", "plum"]');
CREATE TABLE customer AS
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
SELECT 'user' || i || '\@example.com' AS email FROM n;
SELECT writefile('$file', bloom_build(email)) FROM customer;
SELECT writefile('$work/huge', bloom_build('hello', 10, 100000000)),
  writefile('$work/roomy', bloom_build('hello', 10, 1000)),
  writefile('$work/crowded', (SELECT bloom_build(i, 10, 100)
    FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
          WHERE i < 1000) SELECT i FROM n)));
SELECT keys, printf('%.2f', 100 * false_positive_rate), printf('%.1f', 100 * fill)
FROM bloom_info(readfile('$file'));
END
close $sql;
my ($sample, $size, $huge, $roomy, $crowded, $keys, $rate, $fill) =
  split /[|\s]/, text_of("$work/shell.log");

my @strangers = ('kiwi', 'tomato', "\xc3\x84pfel", 'a' x 50, '0');
$sample = pack 'H*', $sample;
for my $key (qw(apple fig orange pear plum), @strangers) {
  my $probes = probes_of($sample, $key);
  (my $typed = $key) =~ s/\xc3\x84/\x{c4}/;
  is(ask($typed) . ' ' . lit(), verdict($probes) . " $probes",
     "the probes of $key, and what they say");
}
is(script('return document.getElementById("grid").dataset.lit'),
   join(' ', lit() =~ /(\d+):/g), 'and those are the squares that are lit');
click('try-member');
like(wait_for('answer', qr/list has/), qr/^possibly present\n.*Your list has it/,
     'a key of the list is tried');
click('try-false');
like(wait_for('answer', qr/false positive/), qr/^possibly present\n.*does not have/,
     'and one that passes by chance');
in_session('POST', '/element/' . element('key') . '/clear', {});
type_into('key', 'apple');
like(wait_for('answer', qr/list has/), qr/^possibly present/, 'a key is typed');
type_into('key', "\x{e003}" x 5);
is(wait_for('answer', qr/^$/), '', 'and taken back: no answer');

# One by one, where the user has nothing against it.
prefer('prefers-reduced-motion', 'no-preference');
is(script(<<'END'), '1 2 3 4 5 6', 'the probes light up one by one');
  const probes = document.getElementById('probes');
  const seen = [];
  document.getElementById('try-member').click();
  return new Promise((resolve) => new MutationObserver(() => {
    if (probes.children.length > 0) seen.push(probes.children.length);
    if (seen.length === 6) resolve(seen.join(' '));
  }).observe(probes, {childList: true}));
END
prefer('prefers-reduced-motion', 'reduce');

choose('bits', 2);
like(wait_for('name', qr/ 2 bits/), qr/12 keys, 2 bits for each/, 'other bits');
choose('set', "one\ntwo\ntwo\n\n");
like(wait_for('name', qr/ 2 keys/), qr/2 keys, 2 bits for each/, 'another set');
is(ask('two'), 'possibly present', 'has its own keys');

# ---- A file

is(load_file('customer.filter'), 'customer.filter', 'a file is loaded');
is(shown('warning'), '', 'without a warning');
is(shown('info') =~ s/,//gr =~ s/\s+/ /gr, "Size $size bytes "
   . "Bits set $fill % Probes for a key 6 Keys estimated about $keys "
   . "Absent keys let through measured $rate %", 'what the shell knows of it');
like(wait_for('curve-text', qr/ 9\d,\d{3} keys/), qr/ of 9\d,\d{3} keys, 10 bits /,
     'the curve is that of as many keys');
like(shown('curve-text'), qr/ has 10\.\d bits for each key, and lets $rate % /,
     'with its own place');
my $filter = text_of($file);
for my $key (map("user$_\@example.com", 1, 500, 99999), 'nobody', 'somebody') {
  my $probes = probes_of($filter, $key);
  is(ask($key) . ' ' . lit(), verdict($probes) . " $probes",
     "the probes of $key in the file");
}
is(script('return document.getElementById("grid").dataset.lit'),
   join(' ', map { my $byte = $_ >> 3;
                   (grep { int($_ * 125000 / 2048) <= $byte } 0 .. 2047)[-1] }
             lit() =~ /(\d+):/g), 'and those regions are lit');

# ---- Keys of each type

for (
  ['TEXT', '1.0', '31 2e 30 (its UTF-8)'],
  ['INTEGER', '-007', '2d 37 (its decimal text)'],
  ['INTEGER', '9223372036854775807',
    '39 32 32 33 33 37 32 30 33 36 38 35 34 37 37 35 38 30 37 (its decimal text)'],
  ['REAL', '1.0', '31 (the text of the integer that it equals)'],
  ['REAL', '-0.0', '30 (the text of the integer that it equals)'],
  ['REAL', '1.5', '00 00 00 00 00 00 f8 3f (IEEE 754, little-endian)'],
  ['REAL', '1e300', '9c 75 00 88 3c e4 37 7e (IEEE 754, little-endian)'],
  ['BLOB', "x'00fF'", '00 ff (as it is)'],
  ['BLOB', "X''", 'none (as it is)'],
) {
  my ($type, $key, $bytes) = @$_;
  my $says = ask($key, $type);
  is(shown('bytes'), "The key\x{2019}s bytes: $bytes.", "$type $key");
  my $probes = probes_of($filter, pack 'H*', join '', $bytes =~ /\b([0-9a-f]{2})\b/g);
  is("$says " . lit(), verdict($probes) . " $probes", 'and its probes');
}
for (
  ['INTEGER', '1.5', 'digits'], ['INTEGER', '9223372036854775808', '64 bits'],
  ['REAL', '1,5', 'number'], ['BLOB', "x'0'", 'hexadecimal'], ['BLOB', 'ab', "x'00ff'"],
) {
  my ($type, $key, $remedy) = @$_;
  is(ask($key, $type), '', "$key is no $type");
  like(shown('key-error'), qr/^Type an? $type .*$remedy/, 'and it says what is one');
}

# ---- Files that are hardly filters

my $half = join '', map { chr leveldb_hash($_) % 256 } 1 .. 100;
for (
  ['empty', '', 'certainly absent', 'has 0 bytes: LevelDB takes it for a filter '],
  ['byte', "\6", 'certainly absent', 'has 1 byte: LevelDB takes it for a filter '],
  ['picture.png', decode_base64('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAA'
    . 'DUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='), 'possibly present',
    'number of probes, is 130 and not 1 to 30: '],
  ['none', "$half\0", 'possibly present', 'probes, is 0 and not 1 to 30: '],
  ['reserved', "$half\x1f", 'possibly present', 'probes, is 31 and not 1 to 30: '],
  ['full', "\xff" x 8 . "\6", 'possibly present', '100 % of its bits are set, '],
  ['crowded', undef, undef, ' % of its bits are set, where half would be best'],
  ['zeros', "\0" x 8 . "\6", 'certainly absent', 'No bit is set: '],
  ['roomy', undef, 'certainly absent', 'Fewer than one bit in 1,000 is set'],
  ['page.js', text_of('ext/packaging/wasm/filter.js'), undef,
    'bits lie unevenly within the bytes, as those of a text do'],
) {
  my ($name, $bytes, $says, $why) = @$_;
  write_file($name, $bytes) if defined $bytes;
  is(load_file($name), $name, "$name is loaded");
  like(shown('warning'), qr/\Q$why\E.* Is it the filter that you meant\?$|^It \Q$why/,
       'with a warning that says why');
  my $got = ask('x');
  is($got, $says // $got, 'and asked as LevelDB would');
}
is(load_file('huge'), 'huge', "a filter of $huge bytes is taken");
is(ask('hello') . ', ' . ask('x'), 'possibly present, certainly absent',
   'and asked');
open my $large, '>', "$work/large" or die "$!\n";
truncate $large, 128 * 1024 * 1024 + 1;
close $large;
type_into('file', "$work/large");
like(wait_for('refusal', qr/./), qr/^large is not shown: it has 134,217,729 bytes, /,
     'a larger one is refused');
is(shown('filter'), '', 'and the filter before it is gone');

script(<<'END');
  const bytes = Uint8Array.from([17, 64, 0, 65, 68, 16, 64, 16, 6]);
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([bytes], 'two.filter'));
  document.getElementById('drop').dispatchEvent(new DragEvent('drop',
    {dataTransfer, bubbles: true, cancelable: true}));
END
is(wait_for('name', qr/two/), 'two.filter', 'a file that is dropped is loaded');
is(shown('refusal'), '', 'and the refusal before it is gone');
is(ask('hello') . ', ' . ask('x'), 'possibly present, certainly absent',
   'and asked');

# ---- The joins

choose('rows', 10000);
like(wait_for('outcome', qr/./),
     qr/^With the filter it is .* in SQLite 3\.\d+\.\d+\. .*\. Both joins found the same (\d+) of 10,000 visits\.$/,
     'two joins, one result, in a SQLite that is named');
choose('share', 50);
my ($found) = wait_for('outcome', qr/ [45],/) =~ / ([\d,]+) of 10,000 /;
cmp_ok(abs($found =~ s/,//r - 5000), '<', 200, 'of as many visits as the slider says');
like(shown('bars'), qr/^plain\s+[\d.]+ ms\s+filtered\s+[\d.]+ ms$/, 'with both times');
click('measure-all');
wait_until('document.getElementById("stop-gain").hidden');
is(script('return document.querySelectorAll("#gain-plot circle").length'), 11,
   'all shares are drawn, and the one before');
choose('rows', 1000000);
like(wait_for('gain-status', qr/tables/), qr/making the tables/, 'a long one says so');
click('stop-gain');
is(shown('gain-status'), 'Stopped.', 'and can be stopped');
choose('rows', 100000);
wait_until('document.getElementById("stop-gain").hidden');
choose('share', 2);
wait_until('document.getElementById("stop-gain").hidden');

# ---- The keyboard

my $reached = script(<<'END');
  return [...document.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter((control) => control.offsetParent && !control.disabled).length;
END
my %seen;
script('document.activeElement.blur(); getSelection().removeAllRanges();'
       . 'document.body.tabIndex = -1; document.body.focus()');
for (1 .. $reached) {
  in_session('POST', '/actions', {actions => [{type => 'key', id => 'keys',
    actions => [map { {type => $_, value => "\x{e004}"} } qw(keyDown keyUp)]}]});
  $seen{script('return document.activeElement.outerHTML')}++;
}
is(keys %seen, $reached, "Tab reaches all $reached controls");
is(join(' ', @{script(<<'END')}), '', 'each of which has a name');
  return [...document.querySelectorAll('button, input, select, textarea, canvas')]
    .filter((control) => !control.innerText && !control.ariaLabel &&
      !(control.labels?.length > 0))
    .map(({id}) => id);
END

# ---- Pictures

choose('set', join "\n", qw(apple apricot banana cherry fig grape lemon mango
                            orange peach pear plum));
choose('bits', 10);
wait_for('curve-text', qr/12 keys/);
for (['page', 1000, 2900], ['phone', 360, 4000]) {
  my ($name, $width, $height) = @$_;
  for my $scheme (qw(light dark)) {
    picture("${name}_$scheme", $width, $height, $scheme);
    is(ask('kiwi'), 'certainly absent', "asked in $scheme mode") if $name eq 'page';
  }
  ok(no_overflow(), "at $width pixels nothing is cut off");
}
close_page();
done_testing();
