# Whole files, for tests in Perl.
use strict;
use warnings;

sub read_file {
  my ($file) = @_;
  open my $in, '<:raw', $file or die "$file: $!\n";
  local $/;
  return <$in> // '';
}

sub write_file {
  my ($file, $text) = @_;
  open my $out, '>:raw', $file or die "$file: $!\n";
  print $out $text;
  close $out or die "$file: $!\n";
}

1;
