# Runs sql/leveldb_read_table.sql or leveldb_read_log.sql on a file, for the tests
# that require this.
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

# The same after a table has been read, which the SQL expression `file` gives.
sub sstable {
  my ($file, $more_sql) = @_;
  return session(".read sql/leveldb_read_table.sql\n"
                 . "INSERT INTO read_table VALUES ($file);\n$more_sql");
}

# The same after a log, or after a MANIFEST if the kind is 'edit'.
sub records {
  my ($file, $more_sql, $kind) = @_;
  $kind ||= 'batch';
  return session(".read sql/leveldb_read_log.sql\n"
                 . "INSERT INTO read_log VALUES ('$kind', $file);\n$more_sql");
}

1;
