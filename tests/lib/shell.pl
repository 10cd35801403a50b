# The sqlite3 shell for tests in Perl.
use strict;
use warnings;
use File::Temp qw(tempfile);

# Returns what the shell prints, including errors, for statements on a database
# file. The shell reads the statements from a file, as it reads a user's
# redirected input.
sub sqlite3 {
  my ($database, @statements) = @_;
  my $shell = $ENV{SQLITE3} || 'sqlite3';
  my ($to, $file) = tempfile(UNLINK => 1);
  print $to "$_\n" for @statements;
  close $to or die "$file: $!\n";
  my $printed = `$shell -init /dev/null '$database' <'$file' 2>&1`;
  unlink $file;
  $printed =~ s/\r//g;
  chomp $printed;
  return $printed;
}

1;
