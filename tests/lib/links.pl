# The links of pages in Markdown.
use strict;
use warnings;

# A page's text without its blocks of code.
sub prose_of {
  my ($file) = @_;
  open my $in, '<', $file or die "$file: $!\n";
  my ($text, $in_code) = ('', 0);
  while (<$in>) {
    if (/^```/) { $in_code = !$in_code; next; }
    $text .= $_ if !$in_code && !/^    /;
  }
  return $text;
}

# What a link writes for a heading: small letters, hyphens for spaces, and no
# other punctuation.
sub anchors_of {
  my ($file) = @_;
  my (%seen, %anchor);
  for (prose_of($file) =~ /^#+ (.*)$/mg) {
    my $anchor = lc =~ s/[^\w\- ]//gr =~ s/ /-/gr;
    $anchor .= "-$seen{$anchor}" if $seen{$anchor}++;
    $anchor{$anchor} = 1;
  }
  return \%anchor;
}

# The links of pages, all in $root, whose file or heading is missing, or is
# outside $root.
sub broken_links {
  my ($root, @pages) = @_;
  my @broken;
  for my $page (@pages) {
    for my $link (prose_of("$root/$page") =~ /\]\(([^()\s]*)\)/g) {
      next if $link =~ /^https:/;
      my ($name, $anchor) = $link =~ /^([^#]*)#?(.*)$/;
      my $file = $name eq '' ? $page : $page =~ s/[^\/]*$/$name/r;
      1 while $file =~ s{(^|/)(?!\.\./)[^/]+/\.\./}{$1};
      push @broken, "$page: $link"
        if $file =~ /^\.\./ || !-e "$root/$file"
        || $anchor ne '' && !anchors_of("$root/$file")->{$anchor};
    }
  }
  return @broken;
}

# The pages in a folder, but those that are built.
sub pages_in {
  my ($root) = @_;
  return map { s{^\Q$root\E/}{}r } split /\n/,
    `find '$root' '(' -name .git -o -name build -o -name dist ')' -prune -o -name '*.md' -print | sort`;
}

1;
