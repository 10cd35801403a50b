# Runs sql/leveldb_read_table.sql or leveldb_read_log.sql on a file, for the tests
# that require this.
use strict;
use warnings;

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';

# Returns the lines that the statements print, and those on standard error.
sub session {
  my ($statements) = @_;
  my $file = ($ENV{BUILD} || 'build') . "/sstable.$$";
  open my $out, '>', $file or die "$file: $!\n";
  print $out ".load $dist/bloom\n.parameter init\n$statements\n";
  close $out;
  my @lines = `$shell < '$file' 2>&1`;
  unlink $file;
  chomp @lines;
  return @lines;
}

# The same after a table has been read, which the SQL expression `file` gives.
sub sstable {
  my ($file, $more_sql) = @_;
  return session(qq{.parameter set :file "$file"\n}
                 . ".read sql/leveldb_read_table.sql\n$more_sql");
}

# The same after a log.
sub records {
  my ($file, $more_sql) = @_;
  return session(qq{.parameter set :file "$file"\n}
                 . ".read sql/leveldb_read_log.sql\n$more_sql");
}

1;
