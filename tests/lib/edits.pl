# The planted faults of tests/tools/mutation.txt, for what plants them and for what
# checks them. Edits of the same file stand below its name: TEXT => REPLACEMENT.
use strict;
use warnings;

# Each edit in a text: a file below ext/, the text in it, and its replacement. A line
# that begins with the arrow goes on with the line above.
sub edits_in {
  my ($text) = @_;
  my ($file, @edits);
  for (split /\n+/, $text =~ s/\n +=> / => /gr) {
    if (/^\S/) { $file = $_; next; }
    /^  (\S.*?) => (\S.*)$/ or die "mutation.txt: no edit: $_\n";
    push @edits, [$file, $1, $2];
  }
  return @edits;
}

1;
