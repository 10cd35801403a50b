#!/usr/bin/perl
# The browser's page of `make wasm`: recipes and other SQL in its editor. See
# wasm.t for the rest of the page.
# skip: dist/wasm/index.html
# skip: /usr/bin/chromedriver
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time);
require './tests/lib/browser.pl';
require './tests/lib/shell.pl';
our ($dist, $work);

# Starts a run, waits for its end, and gives what is said then.
sub run_by {
  my ($start) = @_;
  script('document.getElementById("run-status").hidden = true');
  $start->();
  return wait_for('run-status', qr/^(?!Running )./);
}

sub run_sql {
  my ($sql) = @_;
  script('document.getElementById("sql").value = arguments[0]', $sql);
  return run_by(sub { click('run') });
}

sub run_recipe {
  my ($name) = @_;
  choose('recipe', $name);
  return run_by(sub { click('run') });
}

# The rows of every table, as the shell's list mode has them.
sub rows {
  return script(<<'END');
    return [...document.querySelectorAll('#results tbody tr')].map((row) =>
      [...row.cells].map((cell) => cell.innerText).join('|')).join(' ');
END
}

# The texts of what a selector finds in the results.
sub found {
  my ($selector) = @_;
  return join "\n", @{script(<<'END', $selector)};
    const results = document.getElementById('results');
    return [...results.querySelectorAll(arguments[0])]
      .map((found) => found.innerText);
END
}

# Waits until a file was downloaded.
sub wait_for_file {
  my ($file) = @_;
  my $until = time + 60;
  select undef, undef, undef, 0.05 until -s $file || time > $until;
}

# The groups that print something of which no comment speaks.
sub unspoken {
  return join ' ', @{script(<<'END')};
    return [...document.querySelectorAll('#results .group')]
      .filter((group) => group.querySelector('td, .printed, .error') &&
        !group.querySelector('.agrees, .differs'))
      .map((group) => group.innerText);
END
}

open_page();

# ---- Recipes

is(join(' ', grep { /recipes/ } requested()), '', 'no recipe is loaded before one is asked for');
# What needs a file or a program is left out; all others are there.
my %needs = map { $_ => 1 } qw(leveldb_newest leveldb_sample words);
my @recipes = grep { !$needs{$_} && !/^leveldb_(?:sample_|folder)/ } map { m{^sql/(\w+)\.sql$} } glob 'sql/*.sql';
is(join(' ', @{script(<<'END')}), " kept sample @recipes", 'every recipe is in the list');
  return [...document.getElementById('recipe').options].map(({value}) => value);
END
my $jobs = read_file('sql/README.md') =~ s/`//gr;
is(join("\n", grep { my ($name, $job) = /^(\w+): (.+)$/; !$job || $jobs !~ /^\|.*\b\Q$job\E \|/m }
         @{script(<<'END')}), '', 'by its job in sql/README.md');
  return [...document.getElementById('recipe').options].slice(3).map(({text}) => text);
END

choose('recipe', $recipes[0]);
wait_until('document.getElementById("sql").value.includes("-- ")');
is(join(' ', grep { /recipes/ } requested()), 'recipes.js', 'and then all are');
for my $name (@recipes) {
  my $end = run_recipe($name);
  my $printing = () = read_file("sql/$name.sql")
    =~ /^(?!--|\.load|$).*\n(?=--(?: |$))/mg;
  like($end, qr/ statements ran in \S+ s\. $printing printed what /,
       "$name runs, and prints $printing times what it says");
  is(found('.differs, .error:not(.expected)') . unspoken(), '',
     'and nothing else');
}
run_recipe('sizing');
window(360, 1500);
ok(no_overflow(), 'on a phone nothing is cut off');

# Only a recipe's own comments say what it must print.
choose('recipe', 'sizing');
my ($first) = read_file('sql/sizing.sql') =~ /;\n-- (\S.*)/;
run_sql("SELECT '$first';\n-- $first\n\nSELECT 'x';\n-- $first\n\n"
        . "SELECT 2;\n-- 3\n\nVALUES ('$first'), (5);\n-- $first\n-- $first");
is(found('.differs'), "\x{2717} printed: x; the recipe says: $first\n"
   . "\x{2717} printed: 5; the recipe says: $first", 'what differs is named');
is(shown('run-status') =~ s/ in \S+ s\././r, '4 statements ran. 1 printed what the '
   . "recipe says. 2 printed something else: see \x{2717}.", 'and counted');

# ---- The editor

sub editor { return script('return document.getElementById("sql").value') }

# Types into the editor in place of what is there.
sub edit {
  script(<<'END', @_);
    const sql = document.getElementById('sql');
    sql.value = arguments[0];
    sql.dispatchEvent(new Event('input'));
END
}
sub recipe { return script('return document.getElementById("recipe").value') }

choose('recipe', '');
run_sql("SELECT 'mine';\n-- yours");
is(found('.differs'), '', 'a comment that is not a recipe\'s says nothing');
choose('recipe', 'merge');
is(editor(), read_file('sql/merge.sql'), 'a recipe that is chosen is shown');
is(rows(), 'mine', 'and not run');
is(shown('original'), '', 'as it is in the project');
edit("SELECT 'my merge'");
isnt(wait_for('original', qr/./), '', 'it is edited');
choose('recipe', '');
is(editor(), "SELECT 'mine';\n-- yours", 'what stood there comes back');
choose('recipe', 'merge');
is(editor(), "SELECT 'my merge'", 'and so does the edited recipe, although it never ran');
click('original');
is(editor() . shown('original'), read_file('sql/merge.sql'), 'until its changes are discarded');
ok(wait_until('document.activeElement.id === "sql"'), 'which leaves the focus in the editor');

# The address of the page.
sub address { return script('return location.hash') }
my $mine = "SELECT '50 %', '&=#+', '\x{c4}';\n-- \x{2713}";
edit($mine);
wait_until('location.hash.includes("sql=")');
click('run');
wait_for('run-status', qr/ran/);
reload();
is(editor(), $mine, 'a reload keeps what was written');
is(recipe(), 'merge', 'in place of the recipe');
isnt(shown('original'), '', 'which has a way back');
is(found('*'), '', 'and runs nothing');
my $link = script('return location.href');

# Opens the page by a link from another one.
sub follow {
  in_session('POST', '/url', {url => $_}) for 'about:blank', @_;
  wait_for('answer', qr/./);
}
script('document.querySelector("nav a[href=\"#use\"]").click()');
ok(wait_until('location.hash.includes("sql=")'), 'a section that is gone to leaves the address as it was');
ok(script('return Math.abs(document.getElementById("use").getBoundingClientRect().bottom - innerHeight) < 200'),
   'and is in sight');
follow($link =~ s/#.*/#use/r);
ok(script('const {top} = document.getElementById("use").getBoundingClientRect(); return top > -2 && top < innerHeight'),
   'as it is for a link to it');
follow($link);
is(editor(), $mine, 'the address is a link to it');
ok(script('const {top} = document.getElementById("run-sql").getBoundingClientRect(); return top > -2 && top < innerHeight'),
   'to where it can be run');
choose('recipe', 'sizing');
is(address(), '#recipe=sizing', 'the address of a recipe is its name');
reload();
is(editor(), read_file('sql/sizing.sql'), 'which a reload keeps, too');
choose('recipe', '');
is(address(), '', 'that of the first example is the page itself');
script('location.hash = "#recipe=constructor"');
ok(wait_until('location.hash === ""'), 'a recipe that there is not is none');
like(editor(), qr/^CREATE TABLE customer/, 'and changes nothing');

run_sql("SELECT 1; SELECT 2, 3;\nSELECT ';';  -- so\nSELECT 4");
is(found('.statement, tbody') =~ s/\t/ /gr, join("\n", 'SELECT 1;', 1,
   'SELECT 2, 3;', '2 3', "SELECT ';';  -- so", ';', 'SELECT 4', 4),
   'each result is under its statement');

# ---- Other SQL

reload();
run_by(sub { click('run') });
is(rows(), 'Ann|2026-01-05 Bo|2026-01-06', 'the first example: its two rows');
like(found('table'), qr/^2 rows\s+name\s+at\s/, 'under their columns');
is(found('summary'), '4 statements without output', 'what prints nothing is folded');

for ([1280, 800], [390, 844]) {
  window(@$_);
  script('document.getElementById("run-sql").scrollIntoView()');
  run_by(sub { click('run') });
  ok(in_sight('#results table'), "the answer is in sight at $_->[0] pixels");
  run_sql(join('', map "CREATE TABLE t$_(x);\n\n", 1 .. 30) . 'SELECT 1; SELECT no()');
  ok(in_sight('#results .error'), 'and so is an error below much else');
}
window(1280, 800);

# The three statements that keep a filter.
reload();
edit('SELECT 7');
run_by(sub { click('run-kept') });
like(shown('run-status'), qr/ ran in \S+ s\. (\d+) printed what the recipe says\.$/,
     'a kept filter is made and used on the page');
is(found('.differs, .error'), '', 'as it says');
my $kept = script('return document.getElementById("kept").textContent');
like($kept, qr/\bbloom_create_parts\(/, 'by statements that are shown');
is(scalar(() = $kept =~ /;$/mg), 3, 'of which there are three');
ok(in_sight('#results .scrolled, #results .printed'), 'its answer is in sight');
choose('recipe', '');
is(editor(), 'SELECT 7', 'and what was written is kept');
run_sql('SELECT 1');
run_by(sub { type_into('sql', "; SELECT 2\x{e009}\x{e007}") });  # Ctrl+Enter
is(rows(), '1 2', 'Ctrl+Enter runs it');
run_sql("SELECT NULL, 1.0, 'a\n-- b\n\nc', '<i>', '';  -- the end");
is(rows(), "NULL|1.0|a\n-- b\n\nc|<i>|", 'values as SQLite writes them');
run_sql("SELECT 1; SELECT no(); SELECT 2;\nSELECT 3;");
is(rows(), '1', 'statements before an error ran, and none after it');
is(found('.error'), 'Error in line 1: no such function: no', 'an error is shown');
is(shown('run-status'), 'Stopped at the error in line 1.', 'and where');
run_sql("SELECT 1,\n2;\n/* a\n*/ SELECT 3; SELECT\n no(); SELECT 4;");
is(found('.error'), 'Error in line 4: no such function: no',
   'which is the line where the statement itself begins');
is(shown('run-status'), 'Stopped at the error in line 4.', 'in both places');
run_sql('SELECT bloom_build(1, 1000)');
like(found('.error'), qr/^Error in line 1: bloom_build: bits_per_key must be an integer /,
     "an error of the extension's");
run_sql("SELECT writefile('f', x'00')");
like(found('.error'), qr/no such function: writefile\. On this page, a BLOB in the results has a link that saves it\.$/,
     'what the page has in its place is said');
run_sql("SELECT bloom_info(readfile('f'))");
like(found('.error'), qr/no such function: readfile\. .* is read by .A filter of your own. above\.$/,
     'for what reads a file, too');
run_sql('SELECT value FROM generate_series(1, 3)');
my ($series) = found('.error') =~ /no such table: generate_series\. The sqlite3 shell has it, SQLite itself and this page do not: write (WITH .*) and use n\.$/;
run_sql(($series // '') . ' SELECT count(*), min(value), max(value) FROM n');
is(rows(), '1000|1|1000', 'what takes the place of generate_series is said, and runs');
run_sql(".import file t");
like(found('.error'), qr/^Error in line 1: \.import file t is not understood on this page: /,
     'a command that is not understood is said to be so');
run_sql(join "\n", '.parameter set :a "\'x y\'"', '.parameter set @b 2',
  '.parameter set $c text', 'SELECT :a, @b, $c, ?4;', '.print a  "b c"',
  '.once made.sql',
  q{SELECT 'SELECT ' || column1 || ';' FROM (VALUES (3), (4));},
  '.read made.sql');
is(found('.printed, .error') . ' ' . rows(), 'a b c x y|2|text|NULL 3 4',
   'parameters, .print, .once and .read, as in the shell');
run_sql('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
        . ' SELECT i FROM n');
like(found('caption'), qr/^1,000 rows, and there are more$/,
     'rows without end are shown up to a bound');

# ---- What stays from one run to the next

run_sql('CREATE TABLE kept(x); INSERT INTO kept VALUES (5)');
run_sql('SELECT x FROM kept');
like(found('.error'), qr/no such table: kept\. Unless .Keep the database. is ticked, each run begins with an empty database: /,
     'a run begins anew');
click('keep');
run_sql('CREATE TABLE kept(x); INSERT INTO kept VALUES (5)');
run_sql('SELECT x FROM kept');
is(rows(), '5', 'or keeps the database');
script('document.getElementById("sql").value = arguments[0]',
       'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)'
       . ' SELECT count(*) FROM n');
click('run');
like(wait_for('run-status', qr/ 0\.[1-9] s/), qr/^Running for /,
     'a long run shows that it works');
script('window.confirm = () => true');    # to losing the tables that were kept
click('stop');
is(wait_for('run-status', qr/^Stopped/),
   'Stopped. The next run begins with an empty database.', 'and is stopped');
is(script('return document.activeElement.id'), 'run', 'which leaves the focus at Run');
run_sql('SELECT 6');
is(rows(), '6', 'the next one runs');
click('keep');

# ---- Whether a filter would help

my $join = 'SELECT count(*) FROM visit JOIN customer USING (email)';
edit(<<"END");
CREATE TABLE customer(email TEXT PRIMARY KEY);
CREATE TABLE visit(id INTEGER PRIMARY KEY, email TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO customer SELECT 'customer ' || (i * 100) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000)
INSERT INTO visit(email) SELECT 'customer ' || (leveldb_hash(i) % 1000000) FROM n;
$join;
-- the end
END
like(run_by(sub { click('advise') }), qr/^5 statements ran in \S+ s\.$/, 'the last statement is asked about');
# What the cells of the advice's first row say.
sub advice { return @{script('return [...document.querySelector("#results tbody tr").cells].map((cell) => cell.innerText)')} }
my ($says, $filtered) = (advice())[0, -1];
like($says, qr/times as fast/, 'a filter pays there');
like($filtered, qr/^WITH .*bloom_may_match\(.*\Q$join\E;$/s, 'and the query is shown');
like(found('.statement'), qr/FROM bloom_advise\('\Q$join\E;'\);$/, 'below the call that gives it');
edit(editor() =~ s/\Q$join\E;/$filtered/r);
run_by(sub { click('run') });
is(rows(), '3059', 'which has the rows of the other one');
edit("SELECT 'it''s'");
run_by(sub { click('advise') });
like((advice())[0], qr/\w/, 'for other queries it says why not');
edit("SELECT 1;\nSELECT no();\nSELECT 2");
is(run_by(sub { click('advise') }), 'Stopped at the error in line 2.', 'an error before it is shown');
edit('-- nothing');
is(run_by(sub { click('advise') }), 'There is no query in the editor.', 'and so is its lack');
choose('recipe', '');

# ---- A database

# The commands print what those of the shell print, which writes IF NOT EXISTS into a
# table whose name is quoted.
my $schema = <<'END';
CREATE TABLE people(id INTEGER PRIMARY KEY, email TEXT);
CREATE TABLE "odd name"(a, b, c);
CREATE INDEX people_email ON people(email);
CREATE VIEW both AS SELECT id, a FROM people, "odd name";
CREATE TEMP TABLE passing(x);
INSERT INTO people(email) VALUES ('ann@example.com'), ('bo@example.com');
END
$schema .= join '', map "CREATE TABLE a_longer_name_$_(x);\n", 1 .. 5;
sub as_shell {
  my ($commands, $what) = @_;
  my @lines = map { s/^CREATE TABLE IF NOT EXISTS "/CREATE TABLE "/r =~ s/\s+$//r }
    split /\n/, sqlite3(':memory:', $schema . $commands);
  run_sql($schema . $commands);
  is(join("\n", map { s/\s+$//r } split /\n/, found('.printed')), join("\n", @lines), $what);
  cmp_ok(@lines, '>', 0, 'and that is something');
}
as_shell("$_\n", "$_ prints what the shell prints")
  for '.tables', '.tables %name%', '.schema', '.schema people', '.schema both';
run_sql('.help');
like(found('.printed'), qr/^\.help .*^\.tables .*^\.schema /ms, '.help lists what is understood');
is(found('.error'), '', 'and is itself');

# What .help lists is understood.
my @named = found('.printed') =~ /(?<!\S)\.([a-z]+)/g;
run_sql(join "\n", map { $_ eq 'load' ? '.load dist/bloom' : ".$_" } grep { $_ ne 'read' } @named);
is(found('.error'), '', 'as is all that it lists');

# A file that the shell made, in WAL mode, is changed and saved.
my $database = "$work/shop.db";
sqlite3($database, <<'END');
PRAGMA journal_mode = WAL;
CREATE TABLE item(name TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
INSERT INTO item SELECT 'item ' || i FROM n;
CREATE VIEW few AS SELECT name FROM item LIMIT 3;
END
is(ord substr(read_file($database), 18, 1), 2, 'a file in WAL mode');
script('document.getElementById("keep").checked = false');
is(run_by(sub { type_into('database', $database) }), 'shop.db is open, with 2 tables and views, which '
   . '.schema lists. It stays on your machine: to keep what you change, save it. It is in WAL mode: what a -wal file beside it has is not here.', 'is opened');
run_sql(".tables\nSELECT count(*) FROM item; INSERT INTO item VALUES ('new');"
        . "SELECT bloom_create_parts('item', 'name')");
is(found('.printed') . ' ' . rows(), 'few   item 10000 item_name_filter', 'and used');
unlink $database, "$database-wal", "$database-shm";
like(run_by(sub { click('save') }), qr/^shop\.db is saved: [\d,]+ bytes\.$/, 'and saved');
wait_for_file($database);
is(sqlite3($database, ".load $dist/bloom", 'PRAGMA integrity_check; SELECT count(*) FROM item;',
           "SELECT bloom_may_match('new', filter) FROM item_name_filter;"),
   "ok\n10001\n1", 'as a file that the shell reads');
write_file("$work/none.db", 'This is no database. ' x 100);
is(run_by(sub { type_into('database', "$work/none.db") }), 'none.db is not opened: file is not a database.',
   'another file is refused');
write_file("$work/dump.sql", 'CREATE TABLE t(x); ' x 100);
like(run_by(sub { type_into('database', "$work/dump.sql") }),
     qr/^dump\.sql is not opened: .*\. It is SQL: paste its text into the field above, and run it\.$/, 'SQL is pasted');
run_sql('SELECT count(*) FROM item');
is(rows(), '10001', 'and leaves the database that there was');

# Changes that no file has are not lost without a question.
sub leaves { return script('return window.dispatchEvent(new Event("beforeunload", {cancelable: true}))') }
sub answer_with {
  my ($answer, $doing) = @_;
  script('window.confirm = (asked) => { window.asked = asked; return arguments[0] }', $answer);
  script('window.asked = ""');
  my $end = run_by($doing);
  return script('return window.asked') . " | $end";
}
ok(leaves(), 'after saving, a reload asks nothing');
run_sql("INSERT INTO item VALUES ('newer')");
ok(!leaves(), 'after a change, it asks');
click('keep');
my $asks = 'shop.db has changes that are not saved, and %s. Do you want to lose them?';
my $count = sub { script('document.getElementById("sql").value = "SELECT count(*) FROM item"'); click('run') };
is(answer_with(0, $count), sprintf($asks, 'this run would begin with an empty database')
   . " | Nothing ran. To keep the changes of shop.db, tick \x{201c}Keep the database\x{201d}, or save it.", 'so does a run that would lose it');
is(answer_with(0, sub { type_into('database', "$work/none.db") }),
   sprintf($asks, 'none.db would take its place') . ' | shop.db is still open.', 'and another database');
click('keep');
run_sql('SELECT count(*) FROM item');
is(rows(), '10002', 'which leave it as it was');
script('document.getElementById("sql").value = arguments[0]', 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n');
like(answer_with(1, sub { click('run'); wait_for('run-status', qr/ 0\.[1-9] s/); click('stop') }),
     qr/^\Q@{[sprintf $asks, 'stopping ends SQLite and its database']}\E \| Running|Stopped/, 'and so does Stop');
wait_for('run-status', qr/^Stopped/);
ok(leaves(), 'after which nothing is left to lose');
click('keep');
run_sql('CREATE TABLE later(x)');
ok(leaves(), 'nor is there in a run that keeps nothing');
run_by(sub { click('save') });
wait_for_file("$work/bloom.db");
is(sqlite3("$work/bloom.db", '.tables') =~ s/\s+$//r, 'later', 'that of the last run is saved without one');

# The sample, for the query of which a filter pays.
run_recipe('sample');
like(found('caption'), qr/^100 rows/, 'the sample: 100 rows have a partner');
click('keep');
run_by(sub { click('run') });
run_sql('SELECT count(*) FROM visit');
is(rows(), '5000', 'out of 5,000');
click('keep');

# ---- A text that is long

# Pastes the clipboard in place of what a textarea has. Returns the seconds until the
# page has shown it, and has done what an expression says.
sub paste_into {
  my ($id, $done) = @_;
  script('const into = document.getElementById(arguments[0]); into.focus(); into.select()', $id);
  my $began = time;
  type_control('v');
  wait_until($done);
  script('return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  return time - $began;
}

# A bare textarea is one on a page that has nothing else. Of each time, the shortest of
# three rounds counts.
my $page = script('return location.href') =~ s/#.*//r;
my %shortest;
for (1 .. 3) {
  in_session('POST', '/url', {url => 'about:blank'});
  script(<<'END', 90_000);
    const bare = document.createElement('textarea');
    bare.id = 'bare';
    bare.value = Array.from({length: arguments[0]}, (_, i) => `user${i}@example.com`).join('\n');
    document.body.append(bare);
    bare.focus();
    bare.select();
END
  type_control('c');
  my %times = (bare => paste_into('bare', 'true'));
  in_session('POST', '/url', {url => $page});
  wait_for('answer', qr/./);
  $times{sql} = paste_into('sql', 'document.getElementById("sql").value.length > 1e6');
  $times{set} = paste_into('set', 'document.getElementById("name").textContent.includes(" 90,000 keys")');
  for (keys %times) {
    $shortest{$_} = $times{$_} unless defined $shortest{$_} && $shortest{$_} < $times{$_};
  }
}
note(join ', ', map { sprintf '%s: %.2f s', $_, $shortest{$_} } sort keys %shortest);
cmp_ok($shortest{$_}, '<', 3 * $shortest{bare}, "90,000 lines are pasted into the $_ nearly as fast as anywhere")
  for qw(sql set);

ok(wait_until('/is too long/.test(document.getElementById("linked").textContent)'),
   'a text that is too long for the address is said to be so');
is(script('return location.href'), $page, 'and is not in it');
edit("SELECT '" . '%' x 15_000 . "'");
ok(wait_until('/is too long/.test(document.getElementById("linked").textContent)'),
   'as is one that only the address makes long');
is(script('return location.href'), $page, 'which is not in it either');
edit('SELECT 8');
ok(wait_until('location.hash === "#sql=SELECT+8"'), 'but one that is short');
is(shown('linked'), "The page\x{2019}s address is a link to this SQL.", 'as it says');
reload();

# ---- Filters in a result

run_sql('SELECT ' . join ', ', map { "'" . 'x' x 200 . "'" } 1 .. 5);
is(script(<<'END'), 'group 0 1 row', 'the keyboard can scroll a wide table');
  const {role, tabIndex, ariaLabel} = document.querySelector('.scrolled');
  return `${role} ${tabIndex} ${ariaLabel}`;
END
run_sql("SELECT bloom_build(column1) FROM (VALUES ('hello'), ('world'))");
like(rows(), qr/^x'114000414410401006' save 9 bytes picture$/,
     'a BLOB is shown in hexadecimal');
is(shown('name'), 'The filter of 12 keys, 10 bits per key', 'which changes no picture');
script(q{document.querySelector('#results button').click()});
is(wait_for('name', qr/result/), 'The filter of a result', 'until one is asked for');
ok(wait_until('document.activeElement.id === "key"'), 'where a key can be typed');
script(q{document.querySelector('#results a').click()});
wait_for_file("$work/blob.filter");
is(unpack('H*', read_file("$work/blob.filter")), '114000414410401006',
   'and saved as a file');

close_page();
done_testing();
