#!/usr/bin/perl
# The browser's page of `make wasm` in headless Chromium: the timed joins, the
# picture of a filter, keys of each type, odd files, the keyboard, phones, and where
# the page cannot run. Its SQL is in wasm_sql.t.
# skip: dist/wasm/index.html
# skip: /usr/bin/chromedriver
use strict;
use warnings;
use Test::More;
use Encode qw(decode);
use JSON::PP qw(decode_json encode_json);
use MIME::Base64;
require './tests/lib/browser.pl';
require './tests/lib/shell.pl';
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

# Asks for a key, a text or SQL, and waits for the answer, of which it gives the first line.
sub ask {
  my ($key, $is_sql) = @_;
  return script(<<'END', $key, $is_sql ? JSON::PP::true : JSON::PP::false);
    const [answer, error, key, isSql] = ['answer', 'key-error', 'key', 'is-sql']
      .map((id) => document.getElementById(id));
    answer.textContent = '';
    error.hidden = true;
    [key.value, isSql.checked] = arguments;
    key.dispatchEvent(new Event('input'));
    return new Promise((resolve) => {
      const look = () => answer.textContent || !error.hidden
        ? resolve(answer.innerText.split('\n')[0]) : setTimeout(look, 5);
      look();
    });
END
}

# What probes say of a key; of one that the set is known not to have, too.
sub verdict {
  my ($probes, $known_absent) = @_;
  return $probes =~ /:0/ ? 'certainly absent'
    : $known_absent ? 'false positive' : 'possibly present';
}

# The positions of a key's probes, as the picture names them.
sub bits_of { return join ' ', probes_of(@_) =~ /(\d+):/g }

# The squares that are marked, of each of which one bit or region is.
sub marked {
  return join ' ', @{script('return [...document.getElementById("grid").children]'
    . '.flatMap(({className}, i) => className ? [i] : [])')};
}

# Numbers in order, each once.
sub in_order {
  my %seen = map { $_ => 1 } @_;
  return join ' ', sort { $a <=> $b } keys %seen;
}
my $flash = 'document.querySelector("#grid .flash")';

sub focused { return script('return document.activeElement.id') }

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
cmp_ok($page, '<=', 62 * 1024, 'the page, its style and scripts are small');
cmp_ok(-s "$dist/wasm/sqlite3-bloom.wasm", '<=', 1_208_000, 'and so is the module');

# ---- The first screen

my $gain = qr/(?:the filter makes the join [\d.]+ times as |the difference is too little)/;
like(wait_for('outcome', qr/./), qr/^If 2 % of the visits match, $gain.* Both joins found the same 2,043 of 100,000 visits\.$/,
     'what a filter gains here is measured at once');
{
  my @order = ('What a filter', 'Run SQL', 'Get it', 'share', 'rows', 'measure-all', 'measure',
    'The filtered join', 'key', 'try-member', 'try-absent', 'try-false',
    'set', 'bits', 'A key that', 'A filter of', 'recipe', 'sql', 'run', 'advise', 'keep',
    'database', 'archive', 'a line for', 'run-kept', 'All functions are', 'Licence');
  is(join("\n", stops(scalar @order)), join("\n", @order), 'Tab reaches its 27 controls in this order');
}
like(shown('bars'), qr/^plain\s+[\d.]+ ms\s+filtered\s+[\d.]+ ms$/, 'with both times');
is(shown('ends') . shown('gains'), '', 'and no other share');
for ([1280, 800], [390, 844]) {
  window(@$_);
  script('scrollTo(0, 0)');
  ok(in_sight("#$_"), "the $_ is in sight at once") for qw(bars outcome);
  ok(script('return document.getElementById("grid").getBoundingClientRect().top > '
            . 'document.getElementById("bars").getBoundingClientRect().bottom'),
     'and bits come after');
}

# ---- The picture

is(shown('name'), 'The filter of 12 keys, 10 bits per key', 'a first filter');
window(1280, 800);
script('document.getElementById("see").scrollIntoView()');
ok(in_sight("#$_"), "the $_ is in sight with the others") for qw(set grid key answer);
my $file = "$work/customer.filter";
my ($sample, $size, $huge, $roomy, $crowded, $keys, $rate, $fill) =
  split /[|\s]/, sqlite3(':memory:', <<"END");
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

my @strangers = ('kiwi', 'tomato', "\xc3\x84pfel", 'a' x 50, '0');
$sample = pack 'H*', $sample;
for my $key (qw(apple fig orange pear plum), @strangers) {
  my $probes = probes_of($sample, $key);
  (my $typed = $key) =~ s/\xc3\x84/\x{c4}/;
  my $absent = grep { $_ eq $key } @strangers;
  is(ask($typed) . ' ' . lit(), verdict($probes, $absent) . " $probes",
     "the probes of $key, and what they say");
}
is(marked(), in_order(lit() =~ /(\d+):/g),
   'and those are the squares that are lit');
is(shown('legend'), 'Each square is one bit, and filled if it is set. '
   . "The numbers mark the bits of \x{201c}0\x{201d}.", 'which says whose they are');
click('try-member');
like(wait_for('answer', qr/your set/), qr/^possibly present\n.*your set does have/,
     'a key of the set is tried');
click('try-false');
like(wait_for('answer', qr/false/), qr/^false positive\n.*by other.*does not have/,
     'and one that passes by chance, which is told apart');
is(script('return document.getElementById("answer").className'), 'false',
   'and looks different');
is(shown('rates'), 'The set takes 73 bytes as a list and 16 as a filter, which lets '
   . '1.13 % of the absent keys through.', 'the size and the rate of this filter');
in_session('POST', '/element/' . element('key') . '/clear', {});
type_into('key', 'apple');
like(wait_for('answer', qr/your set/), qr/^possibly present/, 'a key is typed');
type_into('key', "\x{e003}" x 5);
is(wait_for('answer', qr/^$/), '', 'and taken back: no answer');

# One by one, where the user has nothing against it.
prefer('prefers-reduced-motion', 'no-preference');
like(script(<<'END'), qr/^[1-3] (?:\d )+6$/, 'the probes light up one by one');
  document.getElementById('answer').textContent = '';
  document.getElementById('try-member').click();
  return new Promise((resolve) => {
    const seen = [];
    const look = () => {
      const lit = [...document.querySelectorAll('#probes li')].filter((probe) =>
        getComputedStyle(probe).visibility === 'visible').length;
      if (lit > 0 && lit !== seen.at(-1)) seen.push(lit);
      if (lit === 6) resolve(seen.join(' '));
      else requestAnimationFrame(look);
    };
    document.getElementById('probes').replaceChildren();
    look();
  });
END
prefer('prefers-reduced-motion', 'reduce');

choose('bits', 2);
like(wait_for('name', qr/ 2 bits/), qr/12 keys, 2 bits per key/, 'other bits');
choose('bits', 10);

# More keys make more squares, and the squares smaller only in small steps.
my @fruit = split ' ', script('return document.getElementById("set").value');

# Shows the filter of the first keys of this many, with the first one asked for.
sub show_keys {
  my ($count) = @_;
  choose('set', join "\n", (@fruit, map { "key $_" } 1 .. 100)[0 .. $count - 1]);
  wait_for('name', qr/ \Q$count\E key/);
  ask('apple');
}
my $width = 'return document.querySelector("#grid span").getBoundingClientRect().width';
wait_for('name', qr/ 10 bits/);
my $before = script($width);
show_keys(13);
is(script($width), $before, 'a 13th key leaves the squares as large as they were');
like(shown('legend'), qr/ The numbers mark the bits of /, 'and numbered');
show_keys(40);
like(shown('legend'), qr/ The numbers mark the bits of /, 'as those of 40 keys are');
show_keys(100);
like(shown('legend'), qr/ The frames mark the bits of /, 'and the smaller ones framed');
is(script(<<'END'), '', 'where what is framed is not filled in another colour');
  const [share, colour] = [({style}) => style.getPropertyValue('--share'),
    (square) => getComputedStyle(square).backgroundColor];
  const all = [...document.querySelectorAll('#grid span')];
  return all.filter((square) => square.className && colour(square) !==
    colour(all.find((other) => !other.className && share(other) === share(square))))
    .map(({className}) => className).join(' ');
END
window(390, 844);
show_keys(20);
like(shown('legend'), qr/ The numbers mark the bits of /, 'on a phone the squares have numbers, too');
cmp_ok(script('return document.getElementById("grid").offsetHeight'), '<=', 208, 'and are not too high');
window(1280, 800);
show_keys(1);
choose('bits', 1);
is(wait_for('name', qr/1 bit /), "The filter of 1 key, with room for 12, 1 bit per key: 64 bits, LevelDB\x{2019}s minimum",
   'where a filter has more bits than were chosen, it says why');
choose('set', '');
is(wait_for('warning', qr/./), 'The set is empty: every key is absent.', 'no key at all');
choose('bits', 10);
choose('set', join "\n", @fruit);
wait_for('name', qr/12 keys, 10/);
is(shown('warning'), '', 'and the first set again');

# Edits the set. Returns what is marked, and what is said of it, while the bits of a key,
# in whose line the caret is, flash.
sub flashed {
  return @{script(<<'END', @_)};
    const [text, key] = arguments;
    const [set, grid, legend] = ['set', 'grid', 'legend'].map((id) => document.getElementById(id));
    set.value = text;
    set.selectionStart = set.selectionEnd = text.indexOf(key) + 3;
    set.dispatchEvent(new Event('input'));
    return new Promise((resolve) => {
      const look = () => grid.querySelector('.flash') && legend.innerText.includes(key)
        ? resolve([[...grid.children].flatMap(({className}, i) =>
          className === 'flash' ? [i] : []).join(' '), legend.innerText])
        : setTimeout(look, 5);
      look();
    });
END
}

# An edit marks the bits of its line for a moment.
wait_until("!$flash");
my ($lit, $legend) = flashed(join("\n", @fruit) =~ s/cherry/cherries/r, 'cherries');
is($lit, in_order(split / /, bits_of($sample, 'cherries')), 'an edit flashes its line\'s bits');
like($legend, qr/mark the bits of .cherries/, 'and says so');
ok(wait_until("!$flash"),
   'for a moment');
choose('bits', 2);
wait_for('name', qr/ 2 bits/);
choose('set', "one\ntwo\ntwo\n\n");
like(wait_for('name', qr/ 2 keys/), qr/2 keys, with room for 12, 2 bits per key/, 'another set');
is(ask('two'), 'possibly present', 'has its own keys');

# A set that is empty fills key by key, in the room of twelve.
choose('bits', 10);
choose('set', '');
is(wait_for('name', qr/ 0 keys, .* 10 /), 'The filter of 0 keys, with room for 12, 10 bits per key', 'a filter begins empty');
is(script('return document.querySelectorAll("#grid span").length'), 120, 'with some bits');
my $typed = '';
for my $key (qw(apple banana cherry)) {
  ($lit, $legend) = flashed($typed .= "$key\n", $key);
  is($lit, in_order(bits_of("\0" x 15 . "\6", $key) =~ /\d+/g), "$key is added, and its bits flash");
}
is(shown('name'), 'The filter of 3 keys, with room for 12, 10 bits per key', 'in the same room');
is(ask('apple') . ', ' . ask('plum'), 'possibly present, certainly absent', 'then it can be asked about a key, and another');
choose('bits', 2);
choose('set', "one\ntwo\n");
wait_for('name', qr/ 2 keys/);

# ---- A file

script('for (const details of document.querySelectorAll("#see details")) '
       . 'details.open = true');
is(load_file('customer.filter'), 'customer.filter', 'a file is loaded');
is(shown('warning'), '', 'without a warning');
ok(wait_until('document.activeElement.id === "key"'), 'a key of it can be typed');
ok(in_sight('#grid'), 'and its picture is in sight');
is(shown('sample') . shown('tries'), '', 'the controls of the sample are gone');
is(shown('rates') =~ s/,//gr, "This filter has $size bytes of whose bits $fill % are set and "
   . "about $keys keys. It tests 6 bits per key and lets $rate % of the absent keys through.",
   'what the shell knows of it');
my $filter = read_file($file);
for my $key (map("user$_\@example.com", 1, 500, 99999), 'nobody', 'somebody') {
  my $probes = probes_of($filter, $key);
  is(ask($key) . ' ' . lit(), verdict($probes) . " $probes",
     "the probes of $key in the file");
}
is(marked(), in_order(map { int(($_ >> 3) * 2048 / 125000) } lit() =~ /(\d+):/g),
   'and those regions are lit');

# ---- Keys of each type, in SQL, and the bytes that a filter has of them

for (
  ["'1.0'", '312e30'], ['-007', '2d37'], ["x'00fF'", '00ff'], ["X''", ''],
  ['9223372036854775807', unpack 'H*', '9223372036854775807'],
  ['1.0', '31'], ['-0.0', '30'], ['1.5', '000000000000f83f'], ['1e300', '9c7500883ce4377e'],
  ["lower('A') || 1", '6131'],
) {
  my ($key, $bytes) = @$_;
  my $says = ask($key, 1);
  my $probes = probes_of($filter, pack 'H*', $bytes);
  is("$says " . lit(), verdict($probes) . " $probes", "the probes of $key in SQL");
}
for (['1,5', 'row value misused'], ['ab', 'no such column: ab'], ["x'0'", 'unrecognized token'],
     ['NULL', 'NULL is no key'], ['abs(-9223372036854775808)', 'integer overflow']) {
  my ($key, $remedy) = @$_;
  is(ask($key, 1), '', "$key is no key");
  like(shown('key-error'), qr/$remedy/, 'and it says why');
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
  ['page.js', read_file('ext/packaging/wasm/filter.js'), undef, 'begins as a text does'],
  ['letter', "Please send the keys to the shop.\n", undef, 'begins as a text does'],
  ['utf16', "\xff\xfe" . join('', map "$_\0", split //, 'This is no filter. ' x 20),
    undef, 'number of probes, is 0 and not 1 to 30: '],
) {
  my ($name, $bytes, $says, $why) = @$_;
  write_file("$work/$name", $bytes) if defined $bytes;
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
is(shown('name') . shown('filter') . shown('rates') . shown('answer'), '',
   'and the filter before it is gone');

write_file("$work/two.filter", pack 'H*', '114000414410401006');
is(load_file('two.filter'), 'two.filter', 'a smaller one is loaded');
is(shown('refusal'), '', 'and the refusal before it is gone');
is(ask('hello') . ', ' . ask('x'), 'possibly present, certainly absent',
   'and asked');

click('back');
like(wait_for('name', qr/ keys/), qr/^The filter of 2 keys/, 'the sample comes back');
ok(wait_until('document.activeElement.id === "set"'), 'with the focus');
isnt(shown('tries'), '', 'and its controls');

# ---- The joins

# The share that the slider, its label and the text name, if it is the same.
sub share_named {
  my ($text) = shown('outcome') =~ /^If (\d+) % of the visits match, /;
  my ($label) = shown('share-now') =~ /^(\d+) %$/;
  my $slider = script('return document.getElementById("share").value');
  return $text eq $label && $label eq $slider ? $text : "$text, $label, $slider";
}
is(share_named(), 2, 'the slider and the text say the same share');
choose('rows', 10000);
like(wait_for('outcome', qr/ 10,000 /), qr/^If 2 % /, 'fewer visits');
choose('share', 50);
wait_for('outcome', qr/^If 50 /);
is(share_named(), 50, 'another share');
my ($found) = shown('outcome') =~ / ([\d,]+) of 10,000 /;
cmp_ok(abs($found =~ s/,//r - 5000), '<', 200, 'of as many visits as the slider says');
is(shown('ends'), '', 'and only that share is measured');

# What the user sets is left alone by the measurement of all shares, and does not
# end it.
my $bars = 'document.querySelectorAll("#gains .bar").length';
click('measure-all');
wait_until("$bars > 1");
is(share_named(), 50, 'measuring all shares leaves the slider and its result');
choose('share', 30);
choose('rows', 100000);
wait_for('outcome', qr/^If 30 .* of 100,000 /);
is(share_named(), 30, 'what is set meanwhile is measured');
my $ends = qr/^With 10,000 visits in this browser, the filter pays (?:until \d+ to \d+ % of the visits match|at (?:no|every) share of matches)\. /;
like(wait_for('ends', qr/./), $ends, 'and where the gain ends is found');
is(script("return $bars"), 10, 'from all shares');
is(share_named(), 30, 'beside what was set');
choose('rows', 1000000);
like(wait_for('gain-status', qr/tables/), qr/^30 % of 1,000,000 visits: making the tables/, 'a long one says so');
click('stop-gain');
is(shown('outcome') . shown('gain-status'), 'Stopped.', 'and can be stopped');
is(focused(), 'measure-all', 'which leaves the focus in its place');
choose('rows', 10000);
wait_for('outcome', qr/ 10,000 /);

# What is said of given times: those that times[share] has.
devtools('Page.addScriptToEvaluateOnNewDocument', {source => <<'END'});
  window.times = (share) => [210 - 2 * share, 100];
  const {postMessage} = Worker.prototype;
  Worker.prototype.postMessage = function(message) {
    if (message.what !== 'race') return postMessage.call(this, message);
    const {rows, share} = message.argument;
    const [plain, filtered] = times(share);
    this.onmessage({data: {id: message.id, result: {rows, share, equal: true,
      found: 0, plain, filtered}}});
  };
END
reload();
for ([2, 'the filter makes the join 2.1 times as fast'],
     [50, 'the difference is too little to matter: leave the filter out'],
     [60, 'the difference is too little to matter: leave the filter out'],
     [80, 'the filter makes the join 2.0 times as slow: leave it out']) {
  my ($share, $says) = @$_;
  choose('share', $share);
  like(wait_for('outcome', qr/^If $share %/), qr/^If $share % of the visits match, \Q$says\E\. /,
       "what it says at $share %");
}

# What the page says of where the gain ends, if the times are those of a function of the
# share.
sub ends_of {
  script("times = $_[0]");
  click('measure-all');
  return wait_for('ends', qr/./);
}

is(ends_of('(share) => [200 + share, 50 + 2.97 * share]'), # 1.2 at 54.6 %
   'With 100,000 visits in this browser, the filter pays until 50 to 55 % of '
   . 'the visits match. (It pays if the join is at least 1.2 times as fast.)', 'the gain ends in a range');
my @shares = (2, 5, 10, 20, 30, 40, 50, 60, 80, 100);
is_deeply(script(<<'END'), [map { my $gain = (200 + $_) / (50 + 2.97 * $_);
  return [...document.querySelectorAll('#gains .bar')].map((bar) => {
    const {className, style} = bar.querySelector('.track span');
    return [className, bar.innerText.replace(/\s+/g, ' '), Math.round(parseFloat(style.width))];
  });
END
  [$_ < 54 ? 'filtered' : 'plain', sprintf("%d %% %.1f \xd7", $_, $gain),
   sprintf('%.0f', 100 * $gain * (50 + 2.97 * 2) / 202) + 0] } @shares],
  'a bar for each share, in another colour where the filter does not pay');
like(ends_of('(share) => [300 - share, 100]'), qr/ pays at every share of matches\. /, 'or nowhere');
like(ends_of('(share) => [100, 100 + share]'), qr/ pays at no share of matches\. /, 'or at once');

# What the page's judge makes of runs: each one's range, in steps of 5 %.
sub judged {
  write_file("$work/runs.json", encode_json([@_]));
  write_file("$work/judge.mjs", read_file('ext/packaging/wasm/judge.js') . <<'END');
import {readFileSync} from 'node:fs';
console.log(JSON.stringify(JSON.parse(readFileSync(process.argv[2])).map((run) => {
  const {from, to} = judge(run.map(([share, plain, filtered]) => ({share, plain, filtered})));
  return [Math.floor(from / 5) * 5, Math.ceil(to / 5) * 5];
})));
END
  return @{decode_json(`node '$work/judge.mjs' '$work/runs.json'`)};
}
for my $wrong (10, 30, 50, 80) {
  for my $factor (0.5, 2) {
    my ($from, $to) = map { @$_ } judged([map {
      [$_, (200 + $_) * ($_ == $wrong ? $factor : 1), 50 + 2.97 * $_] } @shares]);
    ok($from <= 50 && $to >= 55 && $to - $from <= 50,
       "a time at $wrong % that is $factor of what it was: $from to $to");
  }
}

# Runs that were recorded. The first share at which the gain was under 1.2 is
# anywhere from 20 to 80 % in them.
my $recorded = decode_json(read_file('tests/data/joins.json'));
my @judged = judged(map { @$_ } @$recorded{qw(normal slow)});
is(scalar @judged, 10, 'five runs at each speed have ranges');
my ($highest) = sort { $b <=> $a } map { $_->[0] } @judged;
my ($lowest) = sort { $a <=> $b } map { $_->[1] } @judged;
cmp_ok($highest, '<=', $lowest, 'of which each two overlap');

# ---- How to get it

my ($version) = read_file('ext/version.h') =~ /BLOOM_VERSION "(.*)"/;
# What a link of this section leads to.
sub behind {
  return script('return fetch(document.querySelector(`#use a[href=\'${arguments[0]}\']`).href).then((a) => a.text())', @_)
    =~ s/\r//gr;
}
is(behind('install.txt'), decode('UTF-8', read_file('ext/packaging/README.md')), 'the page has how to install it');
is(behind('functions.txt'), decode('UTF-8', read_file('sql/functions.md')), 'and what every function is');

# The sources, in the folder that is published.
like(shown('archive'), qr/^bloom-\Q$version\E\.tar\.gz, [\d,]+ bytes$/, 'the sources are there');
my $archive = script('return document.getElementById("archive").href') =~ s/.*\///r;
is(system("tar -xzf '$dist/wasm/$archive' -C '$work'"), 0, 'and can be unpacked');
is(join(' ', grep { read_file("$work/bloom-$version/$_") ne read_file($_) } glob 'ext/*.c ext/*/*.sql'), '',
   'to what they were made of');
ok(-e "$work/bloom-$version/$_", "$_ is among them")
  for qw(Makefile README.md LICENSE sql/README.md tests/README.md ext/packaging/package);
# The licence opens, rather than being saved.
is(script('return document.querySelector("footer a").getAttribute("href")'), 'LICENSE.txt', 'the licence has a link');
my $licence = script(<<'END');
  return fetch('LICENSE.txt').then(async (answer) =>
    [answer.headers.get('content-type'), await answer.text()]);
END
like($licence->[0], qr{^text/plain\b}, 'as a text');
is($licence->[1] =~ s/\r//gr, read_file('LICENSE') . read_file('ext/packaging/wasm/NOTICE'), 'of this project and of what it holds');

# ---- The keyboard

my $reached = script(<<'END');
  return [...document.querySelectorAll('a, button, input, select, textarea, summary')]
    .filter((control) => control.checkVisibility() && !control.disabled).length;
END
# The controls that Tab reaches, in order, by their ids or the first words in them.
sub stops {
  my ($count) = @_;
  script('document.activeElement.blur(); getSelection().removeAllRanges();'
         . 'document.body.tabIndex = -1; document.body.focus()');
  return map {
    in_session('POST', '/actions', {actions => [{type => 'key', id => 'keys',
      actions => [map { {type => $_, value => "\x{e004}"} } qw(keyDown keyUp)]}]});
    script('const {id, innerText} = document.activeElement;'
           . 'return id || innerText.split(" ").slice(0, 3).join(" ")');
  } 1 .. $count;
}
my %seen = map { $_ => 1 } stops($reached);
is(keys %seen, $reached, "Tab reaches all $reached controls");

# ---- What can be read, and where

# The controls whose border's contrast with what is around them is under 3.
sub faint {
  return join ' ', @{script(<<'END')};
    const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
      .map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const page = light(getComputedStyle(document.body).backgroundColor);
    return [...document.querySelectorAll('textarea, select, #key')].filter((control) => {
      const [a, b] = [light(getComputedStyle(control).borderColor), page].sort();
      return control.checkVisibility() && (b + 0.05) / (a + 0.05) < 3;
    }).map(({id}) => id);
END
}
for my $scheme (qw(light dark)) {
  prefer('prefers-color-scheme', $scheme, 'prefers-reduced-motion', 'reduce');
  is(faint(), '', "the borders of controls have enough contrast in the $scheme scheme");
}
is(join(' ', @{script(<<'END')}), 'HEADER NAV MAIN FOOTER', 'there are four landmarks');
  return [...document.querySelectorAll('header, nav, main, footer, aside, form, ' +
    'section[aria-label], section[aria-labelledby], [role=region]')]
    .map(({tagName}) => tagName);
END
is(join(' ', @{script(<<'END')}), '', 'every control is in the font of the page');
  const {fontFamily} = getComputedStyle(document.body);
  return [...document.querySelectorAll('select, button, [type=file]')]
    .filter((control) => getComputedStyle(control).fontFamily !== fontFamily)
    .map(({id}) => id);
END

# What axe finds wrong: names that controls lack, texts without contrast, and so on.
my $axe = 'build/interop/node_modules/axe-core/axe.min.js';
sub violations {
  script(read_file($axe));
  return join "\n", @{script(<<'END')};
    const isUnseen = ({any}) => any.some(({data}) => data?.messageKey === 'equalRatio');
    return axe.run().then(({violations, incomplete}) =>
      [...violations, ...incomplete.filter(({nodes}) => nodes.some(isUnseen))]
        .flatMap(({id, nodes}) => nodes.map(({html}) => `${id}: ${html.slice(0, 100)}`)));
END
}
SKIP: {
  skip "$axe is not there", 1 unless -e $axe;
  for my $scheme (qw(light dark)) {
    prefer('prefers-color-scheme', $scheme, 'prefers-reduced-motion', 'reduce');
    for ([1280, 900], [390, 844]) {
      window(@$_);
      is(violations(), '', "axe finds nothing wrong in the $scheme scheme at $_->[0] pixels");
    }
  }
  script('document.body.append(document.createElement("input"))');
  like(violations(), qr/^label: /m, 'and would find a field without a name');
  script('document.body.lastElementChild.remove()');
}

# As on a phone with its keyboard open.
window(360, 420);
for my $block (qw(start center end)) {
  script("document.getElementById('key').scrollIntoView({block: '$block'})");
  ok(in_sight('#key') && in_sight('#grid'),
     "the grid is in sight while a key is typed at the $block of the screen");
}

prefer('forced-colors', 'active', 'prefers-color-scheme', 'dark', 'prefers-reduced-motion', 'reduce');
window(1280, 3000);
is(script(<<'END'), 0, 'no button in forced colours has the colour of the text behind it');
  return [...document.querySelectorAll('button')].filter((button) => {
    const probe = document.createElement('p');
    probe.style.color = 'Canvas'; // a button's text is on a plate of this colour
    document.body.append(probe);
    const canvas = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(button).color === canvas;
  }).length;
END
isnt(script(<<'END'), '', 'bars can be seen in forced colours');
  const colours = [...document.querySelectorAll('.track, .track span')]
    .map((bar) => getComputedStyle(bar).backgroundColor);
  return new Set(colours).size === 3 ? colours.join(' ') : '';
END

# ---- A phone

prefer('prefers-reduced-motion', 'reduce');
for my $width (1280, 390) {
  window($width, 844);
  ok(no_overflow(), "at $width pixels nothing is cut off");
}
# What loads later finds room that was left for it.
for ([1280, 5000], [390, 5600]) {
  window(@$_);
  reload();
  wait_for($_->[0], $_->[1]) for ['outcome', qr/./], ['rates', qr/./];
  is(script(<<'END'), '', "nothing moves while the page loads, at $_->[0] pixels");
    return new Promise((resolve) => {
      const found = [];
      new PerformanceObserver((list) => found.push(...list.getEntries().flatMap(({sources}) =>
        sources.map(({node, currentRect}) => `${node?.id} to ${currentRect.y}`))))
        .observe({type: 'layout-shift', buffered: true});
      setTimeout(() => resolve(found.join(', ')), 200);
    });
END
}
window(390, 844);
in_session('POST', '/refresh', {});
ok(wait_until('/SQLite makes|plain/.test(document.getElementById("bars").innerText)'),
   'the first card says at once what is being done');
wait_for('outcome', qr/./);
cmp_ok(script('return document.documentElement.scrollHeight'), '<', 5000, 'the page is not too long for a phone');
is(join(' ', @{script(<<'END')}), 'grid key set', 'the grid comes first, then the key, then the set');
  return ['set', 'key', 'grid'].map((id) =>
    [document.getElementById(id).getBoundingClientRect().top, id])
    .sort(([a], [b]) => a - b).map(([, id]) => id);
END
script('for (const details of document.querySelectorAll("details")) details.open = true');
is(join(' ', @{script(<<'END')}), '', 'everything is large enough for a thumb');
  return [...document.querySelectorAll('a, button, input, select, summary, textarea')]
    .map((found) => found.type === 'checkbox' ? found.labels[0] : found)
    .filter((found) => found.checkVisibility() &&
      !(found.getBoundingClientRect().height >= 44))
    .map(({tagName, id, innerText}) => `${tagName}#${id} ${innerText}`);
END
is(join(' ', @{script(<<'END')}), '24 24', 'and checkboxes for an eye');
  return [...document.querySelectorAll('[type=checkbox]')].map((box) => box.getBoundingClientRect().height);
END
close_page();

# ---- Where it cannot run

# All that a screen reader can tell of the page. It needs no script of the page.
sub told {
  my $nodes = devtools('Accessibility.getFullAXTree', {})->{nodes};
  return join ' ', map { $_->{name}{value} =~ s/\s+/ /gr } grep {
    !$_->{ignored} && $_->{role}{value} eq 'StaticText' } @$nodes;
}

# Goes to an address, and checks what the page tells there: why it does nothing, and
# all that needs no program.
sub told_at {
  my ($url, $why, $name) = @_;
  in_session('POST', '/url', {url => $url});
  my ($until, $says) = (time + 60, '');
  select undef, undef, undef, 0.1 until ($says = told()) =~ $why || time > $until;
  like($says, $why, $name);
  is(join(', ', grep { index($says, $_) < 0 } 'A SQLite extension for joins in which most rows find nothing.',
      'What a filter does', 'certainly absent', 'CREATE TABLE customer', 'make dist', 'bloom_create_parts',
      "bloom-$version.tar.gz"), '', 'and shows what can be read');
}
my $page_url = script('return location.href');
my $why = qr/its program has not started\. Allow JavaScript, and open the page from a web server, such as python3 -m http\.server in its folder: browsers run no modules from a file\. Until then, the page can be read, /;
told_at("file://$dist/wasm/index.html", $why, 'as a file, it says why it does nothing');
my $other = 'http://127.0.0.1:' . start("$work/other.log", qr/ port (\d+) /, qw(python3 -u -m
  http.server 0 --bind 127.0.0.1 --directory), $work);
my $missing = qr/SQLite cannot be loaded \(.*\): see that the server has every file of this page, and reload it\./;
for (['page.js', $why], ['worker.js', $missing], ['sqlite3-bloom.js', $missing],
     ['sqlite3-bloom.wasm', $missing]) {
  my ($file, $says) = @$_;
  mkdir "$work/without-$file";
  symlink $_, "$work/without-$file/" . s/.*\///r for grep { !/\/\Q$file\E$/ } glob "$dist/wasm/*";
  told_at("$other/without-$file/", $says, "and without $file");
}
devtools('Emulation.setScriptExecutionDisabled', {value => JSON::PP::true});
told_at($page_url, $why, 'and without JavaScript');
devtools('Emulation.setScriptExecutionDisabled', {value => JSON::PP::false});

# Without recipes, all else works.
mkdir "$work/without-recipes";
symlink $_, "$work/without-recipes/" . s/.*\///r for grep { !/\/recipes\.js$/ } glob "$dist/wasm/*";
in_session('POST', '/url', {url => "$other/without-recipes/"});
wait_for('answer', qr/./);
choose('recipe', 'merge');
is(wait_for('run-status', qr/./), 'The recipes do not load: reload this page.', 'a recipe that is missing is said to be so');
is(script('return document.getElementById("recipe").value'), '', 'and the editor stays what it was');
click('run');
like(wait_for('run-status', qr/ran/), qr/ statements ran in /, 'and runs');

in_session('POST', '/url', {url => $page_url});
like(wait_for('outcome', qr/./), qr/^If 2 % /, 'which is all that was missing');
done_testing();
