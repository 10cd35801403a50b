# Programs that run while a test does, and end with it. For tests that `require` it;
# they `use Test::More`.
use strict;
use warnings;
use File::Spec;
require './tests/lib/files.pl';

our $patience = 180;    # seconds
my @pids;

# Starts a program and returns what $pattern finds in what it prints.
sub start {
  my ($log, $pattern, @command) = @_;
  my $pid = fork // die "$!\n";
  if ($pid == 0) {
    open STDIN, '<', File::Spec->devnull;
    open STDOUT, '>', $log;
    open STDERR, '>&', \*STDOUT;
    exec @command;
    exit 127;
  }
  push @pids, $pid;
  my $until = time + $patience;
  while (time < $until) {
    return $1 if -e $log && read_file($log) =~ $pattern;
    select undef, undef, undef, 0.05;
  }
  BAIL_OUT("$command[0] does not start: " . read_file($log));
}

END {
  my $status = $?;
  kill TERM => @pids;
  waitpid $_, 0 for @pids;
  $? = $status;
}
$SIG{INT} = $SIG{TERM} = sub { exit 1 };

1;
