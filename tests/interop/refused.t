#!/usr/bin/perl
# The clients of which ext/packaging/README.md says that they were tried and do not load
# the extension. Once one of them does, the page should have a row for it.
# skip: build/interop/node_modules/sql.js
# skip: /usr/bin/lua5.1
# skip: /usr/bin/php
use strict;
use warnings;
use Test::More;
use Cwd qw(getcwd);
require './tests/lib/files.pl';

my $load = "select load_extension('" . ($ENV{DIST} || 'dist') . "/bloom')";
$ENV{PATH} = getcwd() . "/build/interop/bin:$ENV{PATH}";
$ENV{NODE_PATH} = getcwd() . '/build/interop/node_modules';
my $page = read_file('ext/packaging/README.md');
for (
  ['`@libsql/client` on a local file', 'node', '-e', qq{
    require('\@libsql/client').createClient({url: 'file::memory:'}).execute("$load")
      .then(() => console.log('loaded'), (error) => console.log(error.message))}],
  ['sql.js', 'node', '-e', qq{
    require('sql.js')().then((SQL) => new SQL.Database().exec("$load"))
      .then(() => console.log('loaded'), (error) => console.log(error.message))}],
  ['LuaSQL', 'lua5.1', '-e', qq{
    print(require('luasql.sqlite3').sqlite3():connect(':memory:'):execute("$load"))}],
  ['PDO before PHP 8.4', 'php', '-r', qq{
    try { (new PDO('sqlite::memory:'))->exec("$load"); }
    catch (Exception \$error) { echo \$error->getMessage(); }}],
) {
  my ($name, @command) = @$_;
  my ($expected) = $page =~ /^\| \Q$name\E \| `(.*?)` \|/m
    or die "ext/packaging/README.md does not have $name\n";
  open my $out, '-|', @command or die "$command[0]: $!\n";
  like(join('', <$out>), qr/\Q$expected\E/, "$name: $expected");
}
done_testing();
