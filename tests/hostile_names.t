#!/usr/bin/perl
# Names that try to break out of the SQL of bloom_create_parts and
# bloom_create_blocks, in a schema that is not trusted: out of quotes, of
# comments, or of a statement, or that try to become a command of the shell that
# reads the call in a problem. Each tries to make a table or a file named
# pwned. For each name, the call makes the filter and no such thing, and
# bloom_check finds the column and a call that repairs the filter, or it refuses the
# name.
use strict;
use warnings;
use Test::More;
use Cwd qw(abs_path);
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $bloom = abs_path($ENV{DIST} || 'dist') . '/bloom';
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $work = tempdir(CLEANUP => 1);
my $make = 'CREATE TABLE pwned(x);';

my @names = (
  qq{x"; $make --}, qq{x'; $make --}, qq{x"); $make --}, qq{x'); $make --},
  qq{x]; $make --}, qq{x`; $make --}, qq{x*/ $make /*}, qq{/* x */ $make},
  qq{-- x}, qq{--}, qq{x;$make}, qq{; $make}, qq{x" BEGIN $make END; --},
  qq{x"; END; $make --}, qq{'||(SELECT load_extension('x'))||'}, qq{""}, qq{''},
  qq{"}, qq{'}, qq{x" "y}, qq{.shell touch pwned}, qq{{t}}, qq{{_parts}},
  qq{{'t} {call} {triggers}}, qq{%s%n%q%w}, qq{\$1 ?1 :x \@x}, qq{x\\}, qq{\\'},
  "caf\xc3\xa9", "\xe2\x80\xa8$make", "\xc2\x85$make", qq{x} x 300,
);
my @refused = ("x\n$make --", "x\r$make --", "x\t$make", "x\x7f$make",
               "x\n.shell touch pwned", "--\n$make");

sub name { my ($text) = @_; return '"' . $text =~ s/"/""/gr . '"' }
sub text { my ($text) = @_; return "'" . $text =~ s/'/''/gr . "'" }

# What the shell prints for its input.
sub ask {
  my ($sql) = @_;
  write_file("$work/in.sql", ".bail on\n.load $bloom\nPRAGMA trusted_schema = OFF;\n$sql\n");
  my $said = `cd '$work' && $shell -init /dev/null :memory: <in.sql 2>&1`;
  return $said =~ s/\n\z//r;
}

# SQL for a table, a column and a primary key of these names, with some rows. Its
# filters are made, made again by the call in a problem, which the shell writes to a
# file and reads, and dropped.
sub kept {
  my ($table, $column, $id) = @_;
  my ($t, $c, $i) = map { name($_) } $table, $column, $id;
  my $names = text($table) . ', ' . text($column);
  my @calls = map {
    ("SELECT 'other name' WHERE bloom_create_$_($names) <> " .
       text("${table}_${column}_" . ($_ eq 'parts' ? 'filter' : 'spans')) . ';')
  } qw(parts blocks);
  my $objects = name("${table}_${column}_part");
  my $spans = name("${table}_${column}_spans");
  return join "\n", "CREATE TABLE $t($i INTEGER PRIMARY KEY, $c TEXT);",
    "INSERT INTO $t VALUES (1, 'before');", @calls, "INSERT INTO $t VALUES (9000, 'after');",
    "SELECT (SELECT count(*) FROM sqlite_master WHERE name LIKE 'pwned%'),",
    " (SELECT sum(bloom_may_match(k.$c, (SELECT p.f FROM $objects AS p",
    "   WHERE p.part = bloom_part(k.$c, p.parts)))) FROM $t AS k),",
    " (SELECT count(*) FROM $spans AS s CROSS JOIN $t AS k",
    "   ON k.$i BETWEEN s.first AND s.last WHERE bloom_may_match(k.$c, s.f)),",
    " (SELECT count(*) FROM $objects WHERE f IS NOT NULL),",
    " (SELECT count(*) FROM $spans WHERE f IS NOT NULL);",
    "DROP TRIGGER " . name("${table}_${column}_parts_update") . ";",
    "SELECT max(problem GLOB '*_parts_update is missing*: SELECT bloom_create_parts(*')",
    " FROM bloom_check($names);", ".once call.sql",
    "SELECT substr(problem, instr(problem, ': SELECT bloom_') + 2) || ';' FROM bloom_check($names);",
    ".once out", ".read call.sql", "SELECT count(*) FROM bloom_check($names);",
    "SELECT bloom_drop_parts($names), bloom_drop_blocks($names);",
    "SELECT count(*) FROM sqlite_master;", '';
}

# Every key is found, a block was closed, and a trigger that is missing is to be mended by the call.
my $expected = qr/\A0\|2\|2\|1\|1\n1\n0\n8\|5\n1\z/;
for my $name (@names) {
  my ($shown) = $name =~ /^(.{0,40})/s;
  like(ask(kept($name, $name, "$name ")), $expected, "a table, a column and a key $shown");
}
for my $name (@refused) {
  my $shown = $name =~ s/([\x00-\x1f\x7f])/sprintf '\\x%02x', ord $1/ger;
  for (['t', 'c', 'id', 0], ['t', 'c', 'id', 1], ['t', 'c', 'id', 2]) {
    my @of = @$_;
    my $what = (qw(table column key))[$of[3]];
    $of[$of[3]] = $name;
    my $sql = join "\n",
      "CREATE TABLE " . name($of[0]) . "(" . name($of[2]) . " INTEGER PRIMARY KEY, " .
      name($of[1]) . ");", "SELECT bloom_create_blocks(" . text($of[0]) . ", " .
      text($of[1]) . ");";
    like(ask($sql), qr/bloom_create_blocks: .*control characters/s,
         "a $what with a control character: $shown");
  }
}
ok(!-e "$work/pwned", 'no name was a command');
done_testing();
