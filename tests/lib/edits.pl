# The planted faults of tests/tools/mutation.txt, for what plants them and for what
# checks them. Edits of the same file stand below its name.
use strict;
use warnings;

# Each edit in a text: a file below ext/, the text in it, and its replacement.
sub edits_in {
  my ($text) = @_;
  my ($file, @edits);
  for my $edit (split /\n\n/, $text) {
    $file = $1 if $edit =~ s/^(\S+)\n//;
    push @edits, [$file, map { s/^\s+|\s+$//gr } split /\n/, $edit];
  }
  return @edits;
}

1;
