# Reads files of LevelDB by leveldb_read, for the tests that require this.
use strict;
use warnings;
require './tests/lib/files.pl';

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';

# Returns the lines that the statements print, and those on standard error.
sub session {
  my $statements = join "\n", @_;
  my $file = ($ENV{BUILD} || 'build') . "/sstable.$$";
  write_file($file, ".load $dist/bloom\n$statements\n");
  my @lines = `$shell < '$file' 2>&1`;
  unlink $file;
  chomp @lines;
  return @lines;
}

# Makes a table `item` of what leveldb_read says of a file, which the SQL expression
# `file` gives.
sub items {
  my ($file, $form) = @_;
  return "DROP TABLE IF EXISTS item; CREATE TEMP TABLE item AS "
    . "SELECT * FROM leveldb_read($file, '$form');";
}

# What statements say of the items of a file.
sub read_items {
  my ($file, $form, $sql) = @_;
  return session(items($file, $form) . "\n$sql");
}

1;
