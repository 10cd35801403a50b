#!/usr/bin/perl
# tests/tools/run fails when it should. Each of these sessions is wrong in one
# way, except the first, which shows that a right one passes.
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;
require './tests/lib/files.pl';

my $folder = tempdir(CLEANUP => 1);
my $shell = $ENV{SQLITE3} || 'sqlite3';

# Whether tests/tools/run passes a file of this text.
sub passes {
  my ($name, $text) = @_;
  write_file("$folder/$name", $text);
  chmod 0755, "$folder/$name";
  return system("tests/tools/run '$folder/$name' >'$folder/log' 2>&1") == 0;
}

my $right = <<'END';
.load dist/bloom
SELECT 1;
-- 1

SELECT 'a line', hex(bloom_build(NULL))
UNION ALL SELECT 'another', 2;
-- a ...|000000000000000006
-- another|2

SELECT bloom_add(1, 2);
-- Error: bloom_add: filter must be ..., got 1, which ...

CREATE TABLE t(x);
END
ok(passes('right.sql', $right), 'a session that prints what it must');
ok(passes('right.md', "Text.\n\n```sql\n$right```\n"), 'and one in Markdown');

my %wrong = (
  'no statement' => "-- Only a comment.\n",
  'another value' => "SELECT 1;\n-- 2\n",
  'a longer line' => "SELECT 12;\n-- 1\n",
  'a line too many' => "SELECT 1 UNION ALL SELECT 2;\n-- 1\n",
  'a line too few' => "SELECT 1;\n-- 1\n-- 1\n",
  'an expectation missing' => "SELECT 1;\n",
  'an expectation set apart' => "SELECT 1;\n\n-- 1\n",
  'output where none is expected' => "CREATE TABLE t(x);\n-- 1\n",
  'an error where none is expected' => "SELECT 1, abs(-9223372036854775808);\n",
  'no error where one is expected' => "SELECT 1;\n-- Error: no\n",
  'another error' => "SELECT no();\n-- Error: no such function: yes\n",
  'an extension that is not there' =>
    ".load $folder/nothing\nSELECT 1;\n-- 1\n",
  'an unknown dot command' => ".nothing\n",
  'an automatic index where blocks have filters' =>
    ".load dist/bloom\nCREATE TABLE t(i INTEGER PRIMARY KEY, k);\n"
    . "SELECT bloom_create_blocks('t', 'k');\n-- t_k_spans\n\nSELECT i FROM t_k_spans AS s "
    . "CROSS JOIN t ON i BETWEEN first AND last WHERE bloom_may_match(1, s.f) AND k = 1;\n",
  'a statement that does not end' => "SELECT 1\n-- 1\n",
  'a session that ends itself' => ".exit\n\nCREATE TABLE t(x);\n",
  'and with an error before' => "SELECT no();\n-- Error: ...\n\n.exit 1\n\n"
    . "CREATE TABLE t(x);\n",
);
ok(!passes('wrong.sql', $wrong{$_}), "fails: $_") for sort keys %wrong;

ok(passes('right.sql', $wrong{'an automatic index where blocks have filters'}
            =~ s/JOIN t\K/ NOT INDEXED/r), 'NOT INDEXED avoids it');

# What stands below a line `each:` runs for each of its values.
my $abs = "SELECT abs({1});\n-- {2}\n";
my %runs = (
  "SELECT 5;\n-- 5\n\n-- each: 1 | -2 => 2\n-- each: 3\n$abs\nSELECT 5;\n-- 5\n" => '1 -2 3',
  "-- each: 1 | -2 => 2\n.open :memory:\nCREATE TABLE t(x);\n$abs" => '1 -2',
);
for my $text (sort keys %runs) {
  ok(passes('each.sql', $text), 'each: passes');
  is(join(' ', `cat '$folder/log'` =~ /^ok .* SELECT abs\((.*)\);$/mg), $runs{$text}, $runs{$text});
}
ok(!passes('each.sql', "SELECT 5;\n-- 5\n\n-- each: 1 | $_\n$abs"), "fails: each: $_")
  for '-2', '2 => 3', 'no()';

# A test that is too new for the shell is omitted with a message. Otherwise it
# fails.
sub omits {
  my ($name, $text) = @_;
  return passes($name, $text) && `cat '$folder/log'` =~ /^# omitted on SQLite 3/m;
}
my $newer = "SELECT 1;\n-- 2\n";
ok(omits('since.sql', "-- since: 3.999\n$right$newer"), 'omits a newer session');
ok(omits('since.sql', "$right\n-- Why.\n-- since: 3.999\n$newer"),
   'omits a newer statement');
ok(!omits('since.sql', $right), 'omits nothing else');
ok(!passes('since.sql', "$right\n-- since: 3.999\n$newer\n$newer"),
   'fails: a statement after one that is omitted');
ok(!passes('since.sql', "-- since: 3.20\n$right$newer"),
   'fails: a session that is not newer');
ok(!passes('since.sql', "-- since: 4\n$right"), 'fails: an unknown version');
ok(!passes('none.md', "```sh\nls\n```\n"), 'fails: Markdown without a session');

SKIP: {
  skip 'no shell scripts on this system', 4 if $^O eq 'MSWin32';
  my %shells = (
    'a shell that crashes' => "$shell \"\$@\"\nkill -SEGV \$\$\n",
    'a shell that another one ends' => "$shell \"\$@\"\nexit 3\n",
    'a shell that does nothing' => "cat >/dev/null\nexit 1\n",
    'no shell' => undef,
  );
  for (sort keys %shells) {
    my $script = "$folder/no-shell";
    if (defined $shells{$_}) {
      write_file($script = "$folder/shell", "#!/bin/sh\n$shells{$_}");
      chmod 0755, $script;
    }
    local $ENV{SQLITE3} = $script;
    ok(!passes('right.sql', $right), "fails: $_");
  }
}

# The result of a program is what it prints and its exit status. One that ends early or
# by a signal is named, with the test that it was in or after.
SKIP: {
  skip 'no shell scripts on this system', 12 if $^O eq 'MSWin32';
  my $prove = $ENV{PROVE} || 'prove';
  my %programs = (
    'exit 0' => '',
    'echo 1..2; echo ok 1' => '',
    'echo ok 1 - one; exit 3' => 'itself, with status 3, in or after: one',
    'echo ok 1 - one; echo "# testing: two"; kill -SEGV $$' => 'signal 11, in or after: two',
    'echo ok 1 - one; echo 1..1; kill -SEGV $$' => 'signal 11, in or after: one',
  );
  for (sort keys %programs) {
    write_file("$folder/program", "#!/bin/sh\n$_\n");
    chmod 0755, "$folder/program";
    my $run = "$prove --exec tests/tools/run '$folder/program' >'$folder/log' 2>&1";
    ok(system($run) != 0, "fails: $_");
    is(join('', `cat '$folder/log'` =~ /^# .*program: ended by (.*)/mg), $programs{$_}, $programs{$_});
  }
  my $fails = "#!/bin/sh\nexit 1\n";
  ok(omits('program', "$fails# since: 3.999\n"), 'omits a newer program');
  ok(!omits('program', "$fails# since: 3.20\n"), 'and no other');
}
done_testing();
