#!/usr/bin/perl
# The structure of the sources: each layer of ext/ includes only lower layers,
# no file includes itself indirectly, names show the layer and are defined once,
# functions are short, intrinsics stand in kernels and are known to gcc 8, every
# SQL function stands wherever tests/README.md asks for it, `make mutation` plants a
# fault in each statement of a trigger and finds what it edits, some test expects each
# problem that bloom_check knows, the numbers of a part's keys are the same wherever
# they stand, and the top level has no other files.
#
# Then each rule is shown to work: a fault is planted in a copy of the sources,
# in memory, and must be found.
use strict;
use warnings;
use Test::More;
require './tests/lib/edits.pl';
require './tests/lib/files.pl';

my $max_lines = 60;

# The layers above core, which is layer 0. A .c file that is not listed is a
# family, and so is a folder other than core, whose headers are its own.
my %layer = (
  version => 1, compat => 1, map => 1, key => 2, open_filter => 3, function => 3,
  handle => 4, distinct => 4, chunks => 4, size => 4, table => 4, families => 4,
  filter => 5, bloom_ext => 7,
);
my $family = 6;

# core/hash.c and core/hash.h are core/hash, one unit; the part in ext/ counts.
sub unit { $_[0] =~ s{^ext/}{}r =~ s{\.[ch]$}{}r }

# The folder of a family, or '' if a file is in none.
sub family_of { unit($_[0]) =~ m{^(?!core/)(.*/)} ? $1 : '' }

# The layer of a file, or undef if it has none.
sub layer_of {
  my ($file) = @_;
  my $unit = unit($file);
  return 0 if $unit =~ m{^core/};
  return $family if family_of($file);
  return $layer{$unit} // ($file =~ /\.c$/ ? $family : undef);
}

# The path of a file that is included by this name.
sub resolve {
  my ($file, $name) = @_;
  my $path = $file =~ s{[^/]*$}{$name}r;
  1 while $path =~ s{[^/]+/\.\./}{};
  return $path;
}

# The files that the extension is built from.
sub extension_files {
  my ($source) = @_;
  return grep { m{^ext/(?!tools/|packaging/)} } sort keys %$source;
}

# Complaints about the extension's #include lines.
sub include_complaints {
  my ($source) = @_;
  my (@complaints, %below);
  for my $file (extension_files($source)) {
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
      my $folder = family_of($to);
      push @complaints, "$file includes $name, which is another family's"
        if $folder && $folder ne family_of($file);
      next if $folder && $folder eq family_of($file);
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

# The intrinsics that gcc 8 is known to have; the headers of newer ones have more.
my %known = map { $_ => 1 } qw(
  _mm256_castsi256_si128 _mm256_extracti128_si256 _mm256_xor_si256
  _mm512_alignr_epi64 _mm512_broadcast_i32x4 _mm512_castsi512_si256
  _mm512_clmulepi64_epi128 _mm512_extracti64x4_epi64 _mm512_inserti32x4
  _mm512_loadu_si512 _mm512_maskz_loadu_epi8 _mm512_maskz_mov_epi64
  _mm512_setzero_si512 _mm512_ternarylogic_epi64 _mm512_xor_si512
  _mm_clmulepi64_si128 _mm_crc32_u64 _mm_crc32_u8 _mm_cvtsi128_si64
  _mm_cvtsi64_si128 _mm_extract_epi64 _mm_loadl_epi64 _mm_loadu_si128
  _mm_maskz_loadu_epi8 _mm_xor_si128
);

# Complaints about intrinsics outside the kernels and what asks the processor, and
# about those that are not known to be in gcc 8.
sub intrinsic_complaints {
  my ($source) = @_;
  my @complaints;
  for my $file (extension_files($source)) {
    push @complaints, "$file has an intrinsic and is no kernel"
      if $file !~ m{^ext/core/(?:crc32c_\w+|processor)\.c$}
      && $source->{$file} =~ /\b_mm\d*_|intrin\.h>|<arm_\w+\.h>|<cpuid\.h>|__asm__/;
    push @complaints, map { "$file: $_ is not known to be in gcc 8" }
      grep { !$known{$_} } $source->{$file} =~ /\b(_mm\d*_\w+)/g;
  }
  return @complaints;
}

# The functions, file-scope variables, types, constants and macros that a file
# defines. All but the constants begin in the first column.
sub definitions {
  my ($text) = @_;
  my @names = map { $_->[0] } functions($text);
  $text =~ s{/\*.*?\*/}{}gs;
  push @names, map { /^ +(\w+)/mg } $text =~ /^(?:typedef )?enum\b[^;{]*\{(.*?)^\}/msg;
  for (grep { /^\S/ } split /\n/, $text) {
    push @names, /^#\s*define (\w+)/,
      /^(?:typedef )?(?:struct|union|enum) (\w+) \{/,
      /^(?:\}|typedef\b.*) (\w+);/,
      /^(?!extern|typedef)\w[\w *]*?\b(\w+)(?:\[.*?\])*(?: =|;)/,
      /^static .*\(\*(\w+)\)/;
  }
  my %seen;
  return grep { !$seen{$_}++ } @names;
}

# Complaints about names that two files define: in the single file that
# ext/tools/amalgamate writes, they would clash. The kernels that include
# crc32c_streams.h are for different machines and count as one file with it.
sub name_complaints {
  my ($source) = @_;
  my (@complaints, %definer);
  for my $file (extension_files($source)) {
    my $text = $source->{$file};
    my $joined = $text =~ /^#include "crc32c_streams\.h"/m
      ? 'ext/core/crc32c_streams.h' : $file;
    for my $name (definitions($text)) {
      my $other = $definer{$name} //= $joined;
      push @complaints, "$file defines $name, as $other does"
        if $other ne $joined;
    }
  }
  return @complaints;
}

# The fuzzer's statements.
sub fuzzed {
  my ($source) = @_;
  my ($list) =
    $source->{'tests/fuzz/sql.c'} =~ /statements\[\] = \{(.*?)^\};/ms;
  $list =~ s{/\*.*?\*/}{}gs;
  return $list =~ /((?:\s*"(?:[^"\\]|\\.)*")+),/g;
}

# The statements of a session, each with what it must print. The values of
# `each:` become a comment in the first line.
sub statements {
  my ($session) = @_;
  my ($ends, $each, @statements) = (1, '');
  for my $line (split /^/, $session) {
    if ($line =~ /^-- each: (.*)/) {
      $each .= " $1";
      $ends = 1;
      next;
    }
    my $printed = $line =~ /^--/;
    if ($ends && !$printed) {
      push @statements, '';
      $line =~ s{$}{ /* each:$each */} if $each;
      $each = '';
    }
    $statements[-1] .= $line if @statements;
    $ends = $printed || $line =~ /^$|;$/;
  }
  return @statements;
}

# What the statements of a session must print, once for each value of `each:`.
sub printed {
  my ($session) = @_;
  return map {
    my @values = map { split / \| / } /^-- each: (.*)/mg;
    my ($statement) = /^(?!--)(.*)/ms;
    my @lines = ($statement // '') =~ /^-- (.*)/mg;
    map {
      my @word = ($_, split / => /);
      map { s/\{([1-9])\}/$word[$1] \/\/ $word[1] \/\/ ''/ger } @lines;
    } @values ? @values : '';
  } split /\n\n+/, $session;
}

# The entries of the SQL functions in the tables of ext/, by name.
sub registered {
  my ($source) = @_;
  my %entries;
  for my $file (extension_files($source)) {
    for ($source->{$file} =~ /\bsql_function \w+\[\] = \{(.*?)^\};/gms) {
      for (split /[})],\n/) { $entries{$1} .= $_ if /"(\w+)"/; }
    }
  }
  return %entries;
}

# Complaints about what no test of a function has: [words, pattern] each.
sub missing {
  my ($where, $name, $tests, @needed) = @_;
  my @of_it = grep { /\b$name\(/ } @$tests;
  return map { "no $where has $_->[0] of $name()" }
    grep { my $pattern = $_->[1]; !grep { /$pattern/ } @of_it } @needed;
}

# No page has those that only the views and the triggers of kept filters call.
my %without_page = (bloom_is_kept => 1, bloom_build_kept => 1);

# A C file without its comments.
sub code { ($_[0] // '') =~ s{/\*.*?\*/}{}gsr }

# Complaints about the kernels of the CRC: each must be in the table that chooses
# one, and crc32c_kernels.h must define the macro of its platforms.
sub kernel_complaints {
  my ($source) = @_;
  my ($table) = code($source->{'ext/core/crc32c.c'}) =~ /^(const \w+ \w+\[\] = \{.*?\};)/ms;
  my $kernels = join '', map { code($source->{$_}) }
    grep { m{^ext/core/crc32c\w*\.c$} } sort keys %$source;
  my %needed = map { $_ => 1 } $kernels =~ /\b(BLOOM_CRC32C_HAVE_\w+)/g;
  return (map({ "ext/core/crc32c.c has no row of $_" } grep { $table !~ /\b$_\b/ }
      $kernels =~ /^uint32_t (bloom_crc32c_extend_\w+)\(/mg),
    map { "ext/core/crc32c_kernels.h does not define $_" }
      grep { $source->{'ext/core/crc32c_kernels.h'} !~ /^#define $_ /m } sort keys %needed);
}

# Complaints about the SQL functions in the tables of ext/: each must stand in the
# files that tests/README.md names. Its arguments are those that the comment at
# the head of its file gives.
sub step_complaints {
  my ($source) = @_;
  my @complaints;
  my $families = join '', map { $source->{$_} } extension_files($source);
  my $direct = join '|', '\.direct_only = true', $families
    =~ /^#define (\w+) .*\.direct_only = true/mg;
  my $comments = join '', $families =~ m{/\*.*?\*/}gs;
  my @tests = map { statements($source->{$_}) }
    grep { m{^tests/sql/(?!schema|utf16|open|data_)} } keys %$source;
  my @handles = statements($source->{'tests/sql/open.sql'});
  my $page = $source->{'sql/functions.md'};
  my $examples = join '', map { /\.md$/ ? $source->{$_} =~ /^```sql\n(.*?)^```/gms
    : $source->{$_} } 'README.md', grep { m{^sql/} } keys %$source;
  my %entries = registered($source);
  for my $name (sort keys %entries) {
    my $call = qr/\b$name\(/;
    my $takes = join ', ', $comments =~ /$call([^)]*)/g;
    my $filter = $takes =~ /\bfilter\b/;
    my @files = 'tests/stress/memory.c';
    push @files, 'tests/fuzz/sql.c' if $takes;
    push @files, 'tests/sql/schema.sql' if $entries{$name} !~ /$direct/;
    push @files, 'tests/sql/utf16.sql' if $takes =~ /\b(?:key|data)\b/;
    push @files, 'tests/handle_test.c', 'tests/sql/open.sql',
      'tests/stress/handles.c' if $filter;
    push @complaints, "no comment in ext/ says what $name() is"
      if $comments !~ $call;
    push @complaints, "tests/load_test.c has no $name()"
      if $source->{'tests/load_test.c'} !~ m{"$name/};
    push @complaints, map { "$_ has no $name()" }
      grep { code($source->{$_}) !~ $call } @files;
    push @complaints, "no statement of tests/fuzz/sql.c gives $name() a handle"
      if $filter && !grep { $_ =~ $call && /\bbloom_open\(/ } fuzzed($source);
    push @complaints, "sql/functions.md has no row of $name()"
      if !$without_page{$name} && $page !~ /^\|[^|]*`$name\(/m;
    push @complaints, "no example has $name()"
      if !$without_page{$name} && $examples !~ $call;
    my @needed = (['a result', qr/$call.*^-- (?!Error: )/ms]);
    push @needed, ['NULL', qr{$call[^;]*\bNULL\b|/\* each:.*\bNULL\b}i],
      ['an error', qr/^-- Error: $name: /m],
      ['a wrong number of arguments',
       qr/^-- Error: .*arguments (?:to function|on) $name\(\)/m]
      if $takes;
    push @complaints, missing('test in tests/sql', $name, \@tests, @needed);
    push @complaints, missing('test in tests/sql/open.sql', $name, \@handles,
      ['a handle', qr/$call.*\bbloom_open\((?![^()]*,).*^-- (?!Error: )/ms],
      ['a handle of parts', qr/$call.*\bbloom_open\([^()]*,[^()]*,/s])
      if $filter;
  }
  return @complaints;
}

# Complaints about the fuzzer's seeds, whose first byte is the index of a
# statement: each statement needs one.
sub seed_complaints {
  my ($source) = @_;
  my $count = () = fuzzed($source);
  my %has = map { ord($source->{$_}) & 0x7f => 1 }
    grep { m{^tests/fuzz/corpus/sql/} } keys %$source;
  return map { "statement $_ of tests/fuzz/sql.c has no seed" }
    grep { !$has{$_} } 0 .. $count - 1;
}

# The statements of the triggers in a file of ext/kept. A word alone, such as
# {add_new}, stands for the statement that its text is.
sub trigger_statements {
  my ($sql) = @_;
  my %text = $sql =~ /^-- (\{\w+\})\n((?!--).*?)(?=^--|\z)/gms;
  my $statement = qr/\s*(\{\w+\}(?=\n)|\S[^;]*;)/;
  my @statements;
  for ($sql =~ /^CREATE TRIGGER (.*?(?:^| )END;)$/gms) {
    my ($head, $body) = /^(.*?)^?(?:BEGIN\b|\{begin\})(.*)END;$/ms;
    $body =~ s/^ *--.*\n//mg;
    for (map { $text{$_} ? "$text{$_};" =~ /$statement/g : $_ } $body =~ /$statement/g) {
      push @statements, $head . $_;
      $head = '';
    }
  }
  return @statements;
}

# Complaints about edits of `make mutation` whose text is not in their file once.
sub edit_complaints {
  my ($source) = @_;
  my @complaints;
  for (edits_in($source->{'tests/tools/mutation.txt'})) {
    my ($file, $text) = @$_;
    my $found = () = ($source->{"ext/$file"} // '') =~ /\Q$text\E/g;
    push @complaints, "ext/$file has what mutation.txt edits $found times: $text"
      if $found != 1;
  }
  return @complaints;
}

# Complaints about statements of triggers in which no edit plants a fault. A fault
# in the head of a trigger is one of its first statement. What stands in two places
# cannot be edited.
sub fault_complaints {
  my ($source) = @_;
  my @complaints;
  my @edits = edits_in($source->{'tests/tools/mutation.txt'});
  for my $file ('kept/parts.sql', 'kept/blocks.sql') {
    my @planted = map { $_->[1] } grep { $_->[0] eq $file } @edits;
    my $sql = $source->{"ext/$file"};
    push @complaints, map { "mutation.txt edits nothing in ext/$file: " . s/\s+/ /gr }
      grep { my $one = $_; !/\bWHEN NULL\b/ && !grep { index($one, $_) >= 0 } @planted }
      grep { my $found = () = $sql =~ /\Q$_\E/g; $found < 2 } trigger_statements($sql);
  }
  return @complaints;
}

# The texts in code that are sentences: strings that are joined are one, and .+ stands
# for what is put into it.
sub sentences_of_c {
  my ($text) = @_;
  return map { join '.+', map { quotemeta } split /%\w/ }
    grep { /[a-z]{2,} [a-z]{2,}/ && !/[A-Z]{3,}/ }
    code($text) =~ s/"\s*"//gr =~ /"((?:[^"\\\n]|\\.)*)"/g;
}
sub sentences_of_sql {
  my ($text) = @_;
  return map { quotemeta s/^[ :;,]+|[ :;,]+$//gr =~ s/''/'/gr } grep { /[a-z]{2,} [a-z]{2,}/ }
    $text =~ s/^--.*\n//mgr =~ s/'\s*\|\|\s*'//gr =~ /'((?:[^'\n]|'')*)'/g;
}

# Complaints about what bloom_check says and no session expects.
sub problem_complaints {
  my ($source) = @_;
  my $expected = join "\n", map { printed($source->{$_}) }
    grep { m{^tests/sql/} } keys %$source;
  my @complaints;
  for my $file (map { "ext/kept/$_" } qw(check.c parts.sql blocks.sql shared.sql)) {
    my ($of_check) = $source->{$file} =~ /^-- ---- What bloom_check finds\.(.*)/ms;
    my @said = $file =~ /c$/ ? sentences_of_c($source->{$file}) : sentences_of_sql($of_check // '');
    push @complaints, "$file says nothing of problems" if !@said;
    push @complaints, map { "no test in tests/sql expects what $file says: " . s/\\(\W)/$1/gr }
      grep { $expected !~ /$_/ } @said;
  }
  return @complaints;
}

# Where the numbers of a part's keys stand again, which ext/kept/parts.sql gives:
# texts, of which {bytes} is the size of a filter with that capacity at 10 bits. A
# comma within a number, and a line break, need not be there.
my %repeated = (
  'README.md' => [],
  'ext/parts.c' => ['rows of some {first_keys} keys each'],
  'sql/README.md' => ['some {first_keys} keys, as in a part'],
  'sql/functions.md' => ['some {first_keys} in each part, which has room for {capacity}'],
  'sql/kept.md' => ['made for some {first_keys} keys and has room for {capacity}',
    'a part has some {first_keys} keys'],
  'sql/parts.sql' => ['rows of some {first_keys} keys each', '1|{bytes}',
    'some {first_keys} keys, and room for {capacity}', 'max(keys) < {capacity}'],
  'sql/sizing.sql' => ['some {first_keys} keys, such as parts',
    'so a part of {first_keys} keys', 'bloom_false_positive_rate(10, {first_keys}))'],
  'sql/shipped_set.sql' => ['a part of {first_keys} keys', 'count(*) / {first_keys})'],
  'tests/bench/parts_bench.c' => ['FIRST_KEYS {first_keys}', 'CAPACITY {capacity}',
    'parts of {first_keys} keys, %'],
  'tests/checks.mk' => ['s/^{first_keys}$$/', 's/^{room}$$/', 's/^{capacity}$$/'],
  'tests/sql/check.sql' => ['10, {capacity})', 'zeroblob({bytes} - 1)'],
  'tests/sql/create_parts.sql' => ['max(keys) < {room}', 'max(keys) < {capacity}',
    '|{bytes}|{bytes}', '0|1|{bytes}', 'SET keys = {room}', 'room for {capacity}'],
  'tests/sql/schema.sql' => ['1, 10, {capacity})'],
);

# Complaints about places that have other numbers, and about places that are not in
# that list, in its files and in all pages.
sub number_complaints {
  my ($source) = @_;
  my %number = $source->{'ext/kept/parts.sql'} =~ /^-- \{(\w+)\}\n(\d+)$/mg;
  $number{bytes} = int(($number{capacity} * 10 + 7) / 8) + 1;
  my @complaints;
  for my $file (sort keys %{{%repeated, map { $_ => 1 } grep { m{^sql/} } keys %$source}}) {
    my $text = $source->{$file} =~ s/(?<=\d),(?=\d{3}\b)//gr =~ s/\s+(?:(?:--|\*\*) )?/ /gr;
    for my $place (@{$repeated{$file} || []}) {
      my $now = $place =~ s/\{(\w+)\}/$number{$1}/gr;
      push @complaints, "$file does not have $now" if $text !~ s/\Q$now\E//g;
    }
    push @complaints, map { "$file has $_, which is not in the list of structure.t" }
      $text =~ /\b((?:some \Q$number{first_keys}\E keys|$number{capacity}|$number{bytes})\b.{0,20})/g;
  }
  return @complaints;
}

my %check = (
  includes => \&include_complaints, functions => \&function_complaints,
  intrinsics => \&intrinsic_complaints, names => \&name_complaints,
  kernels => \&kernel_complaints, steps => \&step_complaints,
  seeds => \&seed_complaints, edits => \&edit_complaints, faults => \&fault_complaints,
  problems => \&problem_complaints, numbers => \&number_complaints,
);

my %source;
for my $file ('README.md', 'tests/tools/mutation.txt', 'tests/checks.mk', map { chomp; $_ }
    `find ext tests -name '*.[ch]' -o -name '*.cc'`,
    `find ext/kept -name '*.sql'`, `find sql tests/sql tests/fuzz/corpus/sql -type f`) {
  $source{$file} = read_file($file);
}

for (sort keys %check) {
  is(join("\n", $check{$_}->(\%source)), '', "the $_ as they are");
}
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

# The planted faults of each check: a file, a line at its end, and the complaint,
# in which FILE stands for the file.
my $long = "static int long_function(void) {\n" . "  ;\n" x 59 . "}";
my $registered = "const sql_function new[] = {\n  {.name = \"bloom_new\"},\n};";
my %planted = (
  includes => [
    ['ext/key.h', '#include "function.h"',
     'FILE includes function.h, which is not in a lower layer'],
    ['ext/core/coding.h', '#include "../key.h"',
     'FILE includes ../key.h, which is not in a lower layer'],
    ['ext/core/hash.c', '#include <sqlite3.h>', 'FILE includes sqlite3.h'],
    ['ext/core/coding.h', '#include "bloom.h"',
     'core/coding includes itself, indirectly'],
    ['ext/info.c', '#include "planning.c"',
     'FILE includes planning.c, which is not in a lower layer'],
    ['ext/info.c', '#include "bloom_ext.h"',
     'FILE includes bloom_ext.h, which is not in a lower layer'],
    ['ext/info.c', '#include "nothing.h"',
     'FILE includes nothing.h, which does not exist'],
    ['ext/folder/new.c', '#include "../info.c"',
     'FILE includes ../info.c, which is not in a lower layer'],
    ['ext/bloom_ext.c', '#include "folder/new.h"',
     "FILE includes folder/new.h, which is another family's"],
    ['ext/bloom_ext.h', '#include <sqlite3ext.h>',
     'FILE, the public header, includes sqlite3ext.h'],
    ['ext/extra.h', 'int extra;', 'FILE is in no layer'],
  ],
  functions => [
    ['ext/planning.c', $long, 'FILE: long_function has 61 lines'],
    ['ext/planning.c', "int bloom_plan(void) {\n}",
     'FILE: bloom_plan is not a name for this layer'],
    ['ext/planning.c', "int plan(int a,\n         int b) {\n}",
     'FILE: plan is not a name for this layer'],
    ['ext/core/hash.c', "void sql_hash(void) {\n}",
     'FILE: sql_hash is not a name for this layer'],
  ],
  intrinsics => [
    ['ext/core/bloom.c', '#include <immintrin.h>',
     'FILE has an intrinsic and is no kernel'],
    ['ext/core/crc32c.c', '#include <cpuid.h>',
     'FILE has an intrinsic and is no kernel'],
    map { ['ext/core/crc32c_avx512.c', "  a = $_(b);",
           "FILE: $_ is not known to be in gcc 8"] }
      qw(_mm512_zextsi128_si512 _mm_loadu_si64),
  ],
  names => [
    ['ext/planning.c', "static bool evict(int a) {\n}",
     'FILE defines evict, as ext/handle.c does'],
    ['ext/planning.c', 'typedef struct filter_build {',
     'FILE defines filter_build, as ext/build.c does'],
    ['ext/planning.c', 'static const char *const families[2] = {',
     'FILE defines families, as ext/bloom_ext.c does'],
    ['ext/planning.c', "enum {\n  COLUMN_KEYS,\n}",
     'FILE defines COLUMN_KEYS, as ext/info.c does'],
    ['ext/planning.c', '#define MAX_COMPARED 1',
     'FILE defines MAX_COMPARED, as ext/handle.c does'],
  ],
  steps => [
    ['ext/new.c', $registered, 'no comment in ext/ says what bloom_new() is'],
  ],
  kernels => [
    ['ext/core/crc32c_new.c', "uint32_t bloom_crc32c_extend_new(uint32_t crc) {\n}",
     'ext/core/crc32c.c has no row of bloom_crc32c_extend_new'],
    ['ext/core/crc32c_new.c', '#ifdef BLOOM_CRC32C_HAVE_NEW',
     'ext/core/crc32c_kernels.h does not define BLOOM_CRC32C_HAVE_NEW'],
  ],
  edits => [
    ['ext/leveldb.c', 'seed = BLOOM_HASH_SEED',
     'FILE has what mutation.txt edits 2 times: seed = BLOOM_HASH_SEED'],
  ],
  problems => [
    ['ext/kept/check.c', 'text = "part %s is odd" " now";',
     'no test in tests/sql expects what FILE says: part .+ is odd now'],
    map { ["ext/kept/$_.sql", "SELECT 'part ' || p.part || ' is odd ' ||\n  'now' || {mend}",
           'no test in tests/sql expects what FILE says: is odd now'] } qw(parts blocks shared)
  ],
  numbers => [
    ['sql/kept.md', 'for some 1,000 keys',
     'FILE has some 1000 keys , which is not in the list of structure.t'],
    ['sql/merge.sql', 'SELECT 1500',
     'FILE has 1500 , which is not in the list of structure.t'],
  ],
  faults => [
    map { ["ext/kept/$_.sql",
           "CREATE TRIGGER a DELETE ON {t}\nBEGIN\n  DELETE FROM b;\nEND;",
           'mutation.txt edits nothing in FILE: a DELETE ON {t} DELETE FROM b;'] } qw(parts blocks)
  ],
);

# The sources with a line more at the end of a file.
sub with_line {
  my ($file, $line) = @_;
  my %copy = (%source, 'ext/folder/new.h' => '');
  $copy{$file} = ($copy{$file} // '') . "\n$line\n";
  return \%copy;
}

for my $check (sort keys %planted) {
  for (@{$planted{$check}}) {
    my ($file, $line, $said) = @$_;
    my @said = $check{$check}->(with_line($file, $line));
    ok(grep({ s/\Q$file\E(?::\d+)?/FILE/r eq $said } @said),
       "finds: $said" =~ s/FILE/$file/r =~ s/\s+/ /gr) or diag(join "\n", @said);
  }
}

# All that is asked for when somebody adds a function. What the sources lack has
# been said above, and is not said again.
is(join("\n", grep { /bloom_new\(/ } step_complaints(
     with_line('ext/new.c', "/* bloom_new(key, filter) */\n$registered"))),
   join("\n", (map { "$_ has no bloom_new()" }
     map({ "tests/$_" } qw(load_test.c stress/memory.c fuzz/sql.c sql/schema.sql
       sql/utf16.sql handle_test.c sql/open.sql stress/handles.c))),
     'no statement of tests/fuzz/sql.c gives bloom_new() a handle',
     'sql/functions.md has no row of bloom_new()', 'no example has bloom_new()',
     (map { "no test in tests/sql has $_ of bloom_new()" }
       'a result', 'NULL', 'an error', 'a wrong number of arguments'),
     (map { "no test in tests/sql/open.sql has $_ of bloom_new()" }
       'a handle', 'a handle of parts')),
   'finds what a new function of a filter lacks');

is(join('', statements("-- 2\n-- each: 0 | NULL\nSELECT f({1});\n-- 1\n")),
   "SELECT f({1}); /* each: 0 | NULL */\n-- 1\n",
   'the values of each: belong to the statement below');

# All that is asked for when somebody changes the numbers of a part.
for (['first_keys', 1000, 2000], ['room', 1400, 1600], ['capacity', 1500, 1700]) {
  my ($word, $old, $new) = @$_;
  my %changed = %source;
  $changed{'ext/kept/parts.sql'} =~ s/^(-- \{$word\}\n)$old$/$1$new/m;
  is(join(' ', sort { $a cmp $b } map { /^(\S+) does not have / } number_complaints(\%changed)),
     join(' ', sort { $a cmp $b } map {
       my $file = $_;
       map { $file } grep { /\{$word\}/ || ($word eq 'capacity' && /\{bytes\}/) } @{$repeated{$file}};
     } keys %repeated), "finds each place that has another $word");
}

my %copy = %source;
delete $copy{'tests/fuzz/corpus/sql/mask'};
is(join("\n", grep { /^statement 22 / } seed_complaints(\%copy)),
   'statement 22 of tests/fuzz/sql.c has no seed', 'finds a seed that is missing');
done_testing();
