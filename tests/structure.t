#!/usr/bin/perl
# The structure of the sources: each layer of ext/ includes only lower layers,
# no file includes itself indirectly, names show the layer, functions are short,
# and the top level has no other files.
#
# Then each rule is shown to work: a fault is planted in a copy of the sources,
# in memory, and must be found.
use strict;
use warnings;
use Test::More;

my $max_lines = 60;

# The layers above core, which is layer 0. A .c file that is not listed is a
# family.
my %layer = (
  version => 1, compat => 1, map => 1, key => 1, copy => 2, function => 2,
  handle => 3, families => 3, schema => 3, script => 1,
  parts_script => 2, blocks_script => 2, filter => 4, bloom_ext => 6,
);
my $family = 5;

# core/hash.c and core/hash.h are core/hash, one unit; the part in ext/ counts.
sub unit { $_[0] =~ s{^ext/}{}r =~ s{\.[ch]$}{}r }

# The layer of a file, or undef if it has none.
sub layer_of {
  my ($file) = @_;
  my $unit = unit($file);
  return 0 if $unit =~ m{^core/};
  return $layer{$unit} // ($file =~ /\.c$/ ? $family : undef);
}

# The path of a file that is included by this name.
sub resolve {
  my ($file, $name) = @_;
  my $path = $file =~ s{[^/]*$}{$name}r;
  1 while $path =~ s{[^/]+/\.\./}{};
  return $path;
}

# Complaints about the extension's #include lines.
sub include_complaints {
  my ($source) = @_;
  my (@complaints, %below);
  for my $file (grep { m{^ext/(?:core/)?[^/]+$} } sort keys %$source) {
    my $layer = layer_of($file);
    push @complaints, "$file is in no layer" if !defined $layer;
    for ($source->{$file} =~ /^\s*#\s*include\s+(["<].*[">])/mg) {
      my ($mark, $name) = /^(.)(.*).$/;
      if ($mark eq '<') {
        push @complaints, "$file includes $name"
          if $name =~ /sqlite/ && defined $layer && $layer == 0;
        push @complaints, "$file, the public header, includes $name"
          if $file eq 'ext/bloom_ext.h' && $name ne 'sqlite3.h';
        next;
      }
      my $to = resolve($file, $name);
      push @complaints, "$file, the public header, includes $name"
        if $file eq 'ext/bloom_ext.h' && $name ne 'version.h';
      push @complaints, "$file includes $name, which does not exist"
        if !$source->{$to};
      next if unit($to) eq unit($file);
      $below{unit($file)}{unit($to)} = 1;
      my $to_layer = layer_of($to) // 99;
      push @complaints, "$file includes $name, which is not in a lower layer"
        if defined $layer && $to_layer >= $layer && $layer + $to_layer > 0;
    }
  }
  return (@complaints, circles(\%below));
}

# The units that include themselves indirectly.
sub circles {
  my ($below) = @_;
  my @circles;
  for my $unit (sort keys %$below) {
    my %reached;
    my @next = keys %{$below->{$unit}};
    while (defined(my $to = shift @next)) {
      push @next, keys %{$below->{$to} || {}} if !$reached{$to}++;
    }
    push @circles, "$unit includes itself, indirectly" if $reached{$unit};
  }
  return @circles;
}

# The functions that a file defines, each [name, static or not, first line,
# lines]: from a line that begins in the first column to a brace there.
sub functions {
  my ($text) = @_;
  my (@functions, @header, $open);
  my ($n, $continued) = (0, 0);
  for my $line (split /\n/, $text) {
    $n++;
    my $directive = $continued || $line =~ /^\s*#/;
    $continued = $directive && $line =~ /\\$/;
    next if $directive;
    if ($open) {
      next if $line !~ /^\}/;
      push @functions, [@$open, $n - $open->[2] + 1];
      undef $open;
    } elsif ($line =~ m{^\s*$|^/\*|^\*\*|\*/$|;$|^\}}) {
      @header = ();
    } elsif (@header || $line =~ /^\w/) {
      push @header, $line;
      next if $line !~ /\{$/;
      my $header = join ' ', @header;
      $header =~ s/__attribute__\s*(\((?:[^()]|(?1))*\))//g;
      my $static = $header =~ /\bstatic\b/;
      $open = [$1, $static, $n - $#header] if $header =~ /(\w+)\(/;
      @header = ();
    }
  }
  return @functions;
}

# Complaints about the lengths and names of functions.
sub function_complaints {
  my ($source) = @_;
  my @complaints;
  for my $file (grep { m{^ext/} } sort keys %$source) {
    my $core = $file =~ m{^ext/core/};
    my $tool = $file =~ m{^ext/(?:tools|packaging)/};
    for (functions($source->{$file})) {
      my ($name, $static, $first, $lines) = @$_;
      push @complaints, "$file:$first: $name has $lines lines"
        if $lines > $max_lines;
      next if $tool || $name =~ /^[A-Z0-9_]+$/;    # a macro that gives the name
      my $fits = $core ? $static || $name =~ /^bloom_/
        : $name !~ /^bloom_/
        && ($static || $name =~ /^sql_/ || $name eq 'sqlite3_bloom_init');
      push @complaints, "$file:$first: $name is not a name for this layer"
        if !$fits;
    }
  }
  return @complaints;
}

sub complaints {
  my ($source) = @_;
  return (include_complaints($source), function_complaints($source));
}

my %source;
for my $file (map { chomp; $_ }
    `find ext tests -name '*.[ch]' -o -name '*.cc'`) {
  open my $in, '<:encoding(UTF-8)', $file or die "$file: $!\n";
  local $/;
  $source{$file} = <$in>;
}

is(join("\n", complaints(\%source)), '', 'the sources as they are');
is(scalar(grep { functions($source{$_}) < 1 } grep { /\.c$/ } keys %source), 0,
   'every .c file has a function');

# The names at the top level that do not belong there.
sub strangers {
  my %at_top = map { s{/.*}{}r => 1 } @_;
  return join ' ', sort grep {
    !/^(?:ext|sql|tests|Makefile|README\.md|LICENSE|\..*)$/
  } keys %at_top;
}
is(strangers(split /\n/, `git ls-files 2>/dev/null`), '',
   'the top level has no other files');
is(strangers('ext/key.c', 'notes.sql', '.gitignore', 'sql/join.sql'),
   'notes.sql', 'finds another file at the top level');

# The planted faults: a file, a line at its end, a name, and the complaint.
my $long = "static int long_function(void) {\n" . "  ;\n" x 59 . "}";
my @planted = (
  ['key.h', '#include "function.h"', 'an include upward',
   qr/^ext\/key.h includes function.h, which is not in a lower layer$/],
  ['core/coding.h', '#include "../key.h"', 'the core includes SQL',
   qr/^ext\/core\/coding.h includes ..\/key.h, which is not in a lower layer$/],
  ['core/hash.c', '#include <sqlite3.h>', 'the core includes SQLite',
   qr/^ext\/core\/hash.c includes sqlite3.h$/],
  ['core/coding.h', '#include "bloom.h"', 'a circle',
   qr/^core\/coding includes itself, indirectly$/],
  ['info.c', '#include "planning.c"', 'a family includes another',
   qr/^ext\/info.c includes planning.c, which is not in a lower layer$/],
  ['info.c', '#include "bloom_ext.h"', 'a family includes the entry',
   qr/^ext\/info.c includes bloom_ext.h, which is not in a lower layer$/],
  ['info.c', '#include "nothing.h"', 'a header that does not exist',
   qr/^ext\/info.c includes nothing.h, which does not exist$/],
  ['bloom_ext.h', '#include <sqlite3ext.h>', 'the public header includes more',
   qr/^ext\/bloom_ext.h, the public header, includes sqlite3ext.h$/],
  ['extra.h', 'int extra;', 'a header of no layer',
   qr/^ext\/extra.h is in no layer$/],
  ['planning.c', $long, 'a long function',
   qr/^ext\/planning.c:\d+: long_function has 61 lines$/],
  ['planning.c', "int bloom_plan(void) {\n}", "the core's name in a family",
   qr/^ext\/planning.c:\d+: bloom_plan is not a name for this layer$/],
  ['planning.c', "int plan(int a,\n         int b) {\n}", 'a name of no layer',
   qr/^ext\/planning.c:\d+: plan is not a name for this layer$/],
  ['core/hash.c', "void sql_hash(void) {\n}", "SQL's name in the core",
   qr/^ext\/core\/hash.c:\d+: sql_hash is not a name for this layer$/],
);
for (@planted) {
  my ($file, $line, $name, $said) = @$_;
  my %copy = %source;
  $copy{"ext/$file"} = ($copy{"ext/$file"} // '') . "\n$line\n";
  my @said = complaints(\%copy);
  ok(grep({ /$said/ } @said), "finds $name") or diag(join "\n", @said);
}
done_testing();
