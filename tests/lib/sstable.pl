# Runs sql/leveldb_sstable.sql on a file, for the tests that require this.
use strict;
use warnings;

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';

# Returns the lines that more_sql prints, and those on standard error, after the
# recipe has read the file that the SQL expression `file` gives.
sub sstable {
  my ($file, $more_sql) = @_;
  open my $in, '<', 'sql/leveldb_sstable.sql' or die "$!\n";
  my $recipe = do { local $/; <$in> };
  close $in;
  $recipe =~ s{^\.load .*}{.load $dist/bloom}m;
  $recipe =~ s/^-- What is damaged.*//ms;

  my $session = ($ENV{BUILD} || 'build') . "/sstable.$$";
  open my $out, '>', $session or die "$session: $!\n";
  print $out qq{.parameter set :file "$file"\n$recipe$more_sql\n};
  close $out;
  my @lines = `$shell < '$session' 2>&1`;
  unlink $session;
  chomp @lines;
  return @lines;
}

1;
