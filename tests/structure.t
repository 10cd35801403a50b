#!/usr/bin/perl
# The structure of the sources: each layer of ext/ includes only lower layers, names show
# the layer, functions are short, intrinsics stand in kernels and are known to gcc 8, every
# SQL function stands wherever tests/README.md asks for it, `make mutation` plants faults
# where it must and finds what it edits, some test expects each problem of bloom_check, the
# numbers of a part's keys agree wherever they stand, and the top level has no other files.
#
# Then each rule is shown to work: a fault is planted in a copy of the sources,
# in memory, and must be found.
use strict;
use warnings;
use List::Util qw(min pairmap uniq);
use Test::More;
require './tests/lib/edits.pl';
require './tests/lib/files.pl';

my $max_lines = 60;

# The layers above core, which is layer 0. A .c file that is not listed is a
# family, and so is a folder other than core, whose headers are its own.
my %layer = (
  version => 1, compat => 1, map => 1, arena => 2, key => 2, statement => 2, token => 2,
  open_filter => 3, function => 3,
  handle => 4, chunks => 4, size => 4, families => 4,
  filter => 5, table => 5, bloom_ext => 7,
);
my $family = 6;

# core/hash.c and core/hash.h are core/hash, one unit; the part in ext/ counts.
sub unit { $_[0] =~ s{^ext/}{}r =~ s{\.[ch]$}{}r }

# The folder of a family, or '' if a file is in none.
sub family_of { unit($_[0]) =~ m{^(?!core/)(.*/)} ? $1 : '' }

# The layer of a file, or a number above all layers if it has none.
sub layer_of {
  my ($file) = @_;
  my $unit = unit($file);
  return 0 if $unit =~ m{^core/};
  return $family if family_of($file);
  return $layer{$unit} // ($file =~ /\.c$/ ? $family : 99);
}

# A C file without its comments, of which line breaks stay.
sub code { $_[0] =~ s{/\*.*?\*/}{$& =~ tr/\n//cdr}gser }

# The files that the extension is built from.
sub extension_files {
  my ($source) = @_;
  return grep { m{^ext/(?!tools/|packaging/)} } sort keys %$source;
}

# What a unit includes of its own layer, through others, too.
sub reached {
  my ($below, $unit, $seen) = @_;
  return map { ($_, $seen->{$_}++ ? () : reached($below, $_, $seen)) }
    keys %{$below->{$unit}};
}

# Complaints about the extension's #include lines.
sub include_complaints {
  my ($source) = @_;
  my (@complaints, %below, %called);
  for my $file (extension_files($source)) {
    # gcc calls what it writes beside an object by this name alone.
    my $first = $file =~ m{([^/]+\.c)$} ? $called{$1} ||= $file : $file;
    push @complaints, "$file is called like $first" if $first ne $file;
    my $layer = layer_of($file);
    push @complaints, "$file is in no layer" if $layer == 99;
    push @complaints, "$file includes SQLite"
      if $layer == 0 && $source->{$file} =~ /^\s*#\s*include <sqlite/m;
    for my $name ($source->{$file} =~ /^\s*#\s*include "(.*)"/mg) {
      my $to = $file =~ s{[^/]*$}{$name}r =~ s{[^/]+/\.\./}{}r;
      next if unit($to) eq unit($file);
      my $is_lower = layer_of($to) < ($layer || 1);
      $below{unit($file)}{unit($to)} = 1 if layer_of($to) == $layer;
      push @complaints, "$file includes $name, which it may not"
        if family_of($to) ? family_of($to) ne family_of($file) : !$is_lower;
    }
  }
  return (@complaints, map { "$_ includes itself, indirectly" }
    grep { my $unit = $_; grep { $_ eq $unit } reached(\%below, $unit, {}) } keys %below);
}

# The functions that a file defines, each [name, static or not, lines].
sub functions {
  my $text = code(shift) =~ s/^\s*#(?:.*\\\n)*.*//mgr
    =~ s/__attribute__\s*(\((?:[^()]|(?1))*\))\s*//gr;
  my $in_head = qr/[^;{}\n]|\n(?!\n)/;
  my @functions;
  while ($text =~ /^((?=\w)$in_head*?(\w+)\($in_head*)\{\n.*?^\}/msg) {
    my ($function, $head, $name) = ($&, $1, $2);
    push @functions, [$name, $head =~ /\bstatic\b/ || 0, 1 + ($function =~ tr/\n//)];
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
      my ($name, $static, $lines) = @$_;
      push @complaints, "$file: $name has $lines lines" if $lines > $max_lines;
      my $is_macro = $name =~ /^[A-Z0-9_]+$/;    # it gives the name
      my $fits = $tool || $is_macro || ($core ? $static || $name =~ /^bloom_/
        : $name !~ /^bloom_/ && ($static || $name =~ /^(?:sql_|sqlite3_bloom_init$)/));
      push @complaints, "$file: $name is not a name for this layer" if !$fits;
    }
  }
  return @complaints;
}

# The names that a file makes for itself alone: its static functions and variables, its
# types and macros.
sub own_names {
  my ($file, $text) = @_;
  my $code = code($text);
  return uniq((map { $_->[1] ? $_->[0] : () } functions($text)),
    $code =~ /^static (?:const )?[\w ]+?[ *](?:const )?(\w+)(?:\[\w*\])*(?: =|;)/mg,
    $code =~ /^(?:typedef .*?|\} )(\w+);/mg, $code =~ /^(?:typedef )?(?:struct|enum|union) (\w+) \{/mg,
    $file =~ /c$/ ? $code =~ /^#define (\w+)/mg : ());
}

# Complaints about names that two files make, since all files become one (ext/tools/amalgamate).
sub name_complaints {
  my ($source) = @_;
  my (%made, @complaints);
  for my $file (extension_files($source)) {
    for my $name (own_names($file, $source->{$file})) {
      push @complaints, "$file makes $name, as $made{$name} does" if $made{$name};
      $made{$name} //= $file;
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

# Complaints about the kernels of the CRC: each must be in the table that chooses
# one, and crc32c_kernels.h must define the macro of its platforms.
sub kernel_complaints {
  my ($source) = @_;
  my $kernels = join '', map { code($source->{$_}) }
    grep { m{^ext/core/crc32c\w*\.c$} } sort keys %$source;
  my ($table) = $kernels =~ /^const \w+ \w+\[\] = \{(.*?)\};/ms;
  my $macros = $source->{'ext/core/crc32c_kernels.h'};
  return (map({ "ext/core/crc32c.c has no row of bloom_crc32c_extend_$_ called \"$_\"" }
      grep { $table !~ /\{"$_", \w+, bloom_crc32c_extend_$_\}/ }
      uniq($kernels =~ /\bbloom_crc32c_extend_(\w+)/g)),
    map { "ext/core/crc32c_kernels.h does not define $_" } grep { $macros !~ /^#define $_ /m }
      $kernels =~ /\b(BLOOM_CRC32C_HAVE_\w+)/g);
}

# The fuzzer's statements.
sub fuzzed {
  my ($source) = @_;
  my ($list) = code($source->{'tests/fuzz/sql.c'}) =~ /statements\[\] = \{(.*?)^\};/ms;
  return $list =~ /((?:\s*"(?:[^"\\]|\\.)*")+),/g;
}

# The paragraphs of a session, without the comments above them. `each:` is made a
# comment of another kind, so that lines that begin with `-- ` are what must be printed.
sub paragraphs {
  my ($session) = @_;
  return map { s/\A(?:--.*\n)+//r } split /\n\n+/, $session =~ s{^-- (each: .*)}{/* $1 */}mgr;
}

# Its statements, each with what it must print.
sub statements { map { split /(?<=;\n)(?!--)/ } paragraphs(@_) }

# What a session must print, once for each value of `each:`.
sub printed {
  my ($session) = @_;
  return map {
    my @values = map { split / \| / } m{/\* each: (.*) \*/}g;
    my @lines = /^-- (.*)/mg;
    map {
      my @word = ($_, split / => /);
      map { s/\{([1-9])\}/$word[$1] \/\/ $word[1] \/\/ ''/ger } @lines;
    } @values ? @values : '';
  } paragraphs($session);
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
  my $comments = join('', $families =~ m{/\*.*?\*/}gs) =~ s/\s+(?:\*\* +)?/ /gr;
  my $examples = join '', map { /\.md$/ ? $source->{$_} =~ /^```sql\n(.*?)^```/gms
    : $source->{$_} } 'README.md', grep { m{^sql/} } keys %$source;
  my %tests = (
    'tests/sql' => [map { statements($source->{$_}) }
      grep { m{^tests/sql/(?!schema|utf16|open|data_)} } keys %$source],
    'tests/sql/open.sql' => [statements($source->{'tests/sql/open.sql'})],
    'tests/fuzz/sql.c' => [fuzzed($source)],
    'an example' => [$examples], 'the comments of ext/' => [$comments],
    'sql/functions.md' => [$source->{'sql/functions.md'}],
    map { $_ => [code($source->{$_})] } map { "tests/$_" } qw(lib/functions.h
      data/memory.txt sql/schema.sql sql/utf16.sql),
  );
  my %entries;    # in the tables of ext/, by name
  for (map { split /[})],\n/ } $families =~ /\bsql_function \w+\[\] = \{(.*?)^\};/gms) {
    $entries{$1} .= $_ if /"(\w+)"/;
  }
  for my $name (sort keys %entries) {
    my $call = qr/\b$name\(/;
    my $takes = join ', ', $comments =~ /$call([^)]*)/g;
    my ($filter, $key) = map { $takes =~ /\b(?:$_)\b/ || 0 } 'filter', 'key|data';
    for (
      # Whether it is needed, where, what, and a pattern.
      [1, 'the comments of ext/', 'no description', $call],
      [1, 'tests/lib/functions.h', 'no entry', qr{"$name/}],
      [1, 'tests/data/memory.txt', 'no call', $call],
      [1, 'tests/sql', 'no result', qr/$call.*^-- (?!Error: )/ms],
      [$takes, 'tests/sql', 'no NULL', qr{$call[^;]*\bNULL\b|/\* each:.*\bNULL\b(?s:.*)$call}i],
      [$takes, 'tests/sql', 'no error', qr/^-- Error: $name: /m],
      [$takes, 'tests/sql', 'no wrong number of arguments',
       qr/^-- Error: .*arguments (?:to function|on) $name\(\)/m],
      [$takes, 'tests/fuzz/sql.c', 'no call', $call],
      [$key, 'tests/sql/utf16.sql', 'no call', $call],
      [$entries{$name} !~ /$direct/, 'tests/sql/schema.sql', 'no call', $call],
      [$filter, 'tests/lib/functions.h', 'no call', qr{"$name/[^\}]*\{e\}}],
      [$filter, 'tests/fuzz/sql.c', 'no handle',
       qr/$call.*\bbloom_open\(|\bbloom_open\(.*$call/s],
      [$filter, 'tests/sql/open.sql', 'no handle',
       qr/$call.*\bbloom_open\((?![^()]*,).*^-- (?!Error: )/ms],
      [$filter, 'tests/sql/open.sql', 'no handle of one part',
       qr/$call.*\bbloom_open\([^()]*,[^()]*,/s],
      [$filter, 'tests/sql/open.sql', 'no handle of several parts',
       qr/$call.*\bFROM\b.*\bparted\b/s],
      [1, 'sql/functions.md', 'no row', qr/^\|[^|]*`$name\(/m],
      # Only views, triggers and bloom_advise call the three that need no example.
      [$name !~ /^bloom_(?:(?:is|build)_kept|until)$/, 'an example', 'no call', $call],
    ) {
      my ($is_needed, $where, $what, $pattern) = @$_;
      push @complaints, "$where: $what of $name()"
        if $is_needed && !grep { /$pattern/ } @{$tests{$where}};
    }
  }
  return (@complaints, map { "sql/functions.md has $_, which no comment of ext/ describes" }
    grep { index($comments, $_) < 0 } $tests{'sql/functions.md'}[0] =~ /^\| \[?`(\w+\(.*?\))`/mg);
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

# The statements of the triggers in a file of ext/kept, the first one of each with the
# head of the trigger, and the queries of {check_content}. A word alone, such as {add},
# stands for the statement that its text is.
sub statements_to_edit {
  my ($sql) = @_;
  my %text = $sql =~ /^-- (\{\w+\})\n((?!--).*?)(?=^--|\z)/gms;
  my @triggers = $sql =~ s/^ *--.*\n//mgr =~ s/^ +(\{\w+\})$/$text{$1};/mgr
    =~ /^CREATE (TRIGGER .*?)^END;$/msg;
  return split(/\n(?:UNION ALL\n|\z)/, $text{'{check_content}'}), map { split /(?<=;)\s+/ } @triggers;
}

# Complaints about edits of `make mutation` whose text is not in their file once, and
# about C files, statements of triggers and queries of bloom_check in which no edit
# plants a fault. What stands in two places cannot be edited.
sub edit_complaints {
  my ($source) = @_;
  my @complaints;
  my @edits = edits_in($source->{'tests/tools/mutation.txt'});
  for (@edits) {
    my ($file, $text) = @$_;
    my $found = () = ($source->{"ext/$file"} // '') =~ /\Q$text\E/g;
    push @complaints, "ext/$file has what mutation.txt edits $found times: $text"
      if $found != 1;
  }
  my %edited = map { ("ext/$_->[0]" => 1) } @edits;
  push @complaints, map { "mutation.txt edits nothing in $_" }
    grep { /\.c$/ && !$edited{$_} } extension_files($source);
  for my $file ('kept/parts.sql', 'kept/blocks.sql') {
    my @planted = map { $_->[1] } grep { $_->[0] eq $file } @edits;
    for my $statement (statements_to_edit($source->{"ext/$file"})) {
      my $found = () = $source->{"ext/$file"} =~ /\Q$statement\E/g;
      push @complaints, "mutation.txt edits nothing in ext/$file: " . $statement =~ s/\s+/ /gr
        if $found < 2 && $statement !~ /\bWHEN NULL\b/
        && !grep { index($statement, $_) >= 0 } @planted;
    }
  }
  return @complaints;
}

# The sentences in the strings of C and of SQL: strings that are joined are one, and
# .+ stands for what is put into it.
sub sentences_of {
  my ($file, $text) = @_;
  my @strings = $file =~ /c$/ ? code($text) =~ s/"\s*"//gr =~ /"((?:[^"\\\n]|\\.)*)"/g
    : map { s/''/'/gr } $text =~ s/^--.*\n//mgr =~ s/'\s*\|\|\s*'//gr =~ /'((?:[^'\n]|'')*)'/g;
  return map { join '.+', map { quotemeta } split /%\w|\{\w+\}/, s/^[ :;,]+|[ :;,]+$//gr }
    grep { /[a-z]{2,} [a-z]{2,}/ && !/[A-Z]{3,}/ } @strings;
}

# Complaints about what bloom_check says and no session expects.
sub problem_complaints {
  my ($source) = @_;
  my $expected = join "\n", map { printed($source->{$_}) }
    grep { m{^tests/sql/} } keys %$source;
  my @complaints;
  for my $file (map { "ext/kept/$_" } qw(check.c guard.c parts.sql blocks.sql shared.sql)) {
    my @said = sentences_of($file, $source->{$file} =~ s/.*^-- ---- What bloom_check finds\.//msr);
    push @complaints, "$file says nothing of problems" if !@said;
    push @complaints, map { "no test in tests/sql expects what $file says: " . s/\\(\W)/$1/gr }
      grep { $expected !~ /$_/ } @said;
  }
  return @complaints;
}

# Where the numbers of ext/kept/parts.sql, and of blocks.sql, stand again.
my %repeated = (
  first_keys => qr/\bsome (\d+) (?:keys|in each part)|\bparts? of (\d+) keys|FIRST_KEYS (\d+)|\^(\d+)\$\$\/8/,
  room => qr/\^(\d+)\$\$\/12/,
  capacity => qr/\b(?:keys,? and(?: has)?|part, which has) room for (\d+)|\bCAPACITY (\d+)|\^(\d+)\$\$\/24/,
  many_keys => qr/\^(\d+)\$\$\/10/,
  default_bits => qr/By default, `bits_per_key` is (\d+)|class KeepFilter\b.*?default_bits_per_key = (\d+)/,
  'blocks default_bits' =>
    qr/`bits_per_key` is (\d+) and `rows`|class KeepBlockFilters\b.*?default_bits_per_key = (\d+)|filters (\d+) bits for each key, which are the default|keep_sessions\(4096, (\d+)\)/,
  'blocks default_number' => qr/ids in a block, is (\d+)|range of ids, (\d+) by default/,
);

# These numbers by their words.
sub numbers_of_parts {
  my ($source) = @_;
  return map { my $form = $_;
    pairmap { $form . $a => $b } $source->{"ext/kept/" . ($form ? 'blocks' : 'parts') . '.sql'}
      =~ /^-- \{(\w+)\}\n(\d+)$/mg } '', 'blocks ';
}

# What {most_number} is at these bits for each key, in millions.
sub most_millions {
  my ($source, $bits) = @_;
  my %number = numbers_of_parts($source);
  my ($shift) = $source->{'ext/open_filter.h'} =~ /MAX_PARTS \(1 << (\d+)\)/;
  my ($most_bytes) = $source->{'ext/open_filter.h'} =~ /MAX_ALLOCATION (\d+)/;
  my $fitting = int($most_bytes / ($number{capacity} * $bits / 8 + 64));
  return int($number{first_keys} * min(1 << $shift, $fitting) / 1e6);
}

# Complaints about places that have other numbers. A comma within a number, and a line
# break, need not be there.
sub number_complaints {
  my ($source) = @_;
  my %number = numbers_of_parts($source);
  my @complaints;
  for my $file (grep { m{^(?:README|sql/|tests/bench/(?:parts|block)|tests/checks|ext/parts|ext/pack)} }
                sort keys %$source) {
    my $text = $source->{$file} =~ s/(?<=\d),(?=\d{3}\b)//gr =~ s/\s+(?:(?:--|\*\*) )?/ /gr;
    for my $word (sort keys %repeated) {
      push @complaints, map { "$file has $_ as $word" }
        grep { defined && $_ != $number{$word} } $text =~ /$repeated{$word}/g;
    }
    while ($text =~ /(\d+) million(?: keys)? at (\d+)\b/g) {
      my ($given, $bits, $right) = ($1, $2, most_millions($source, $2));
      push @complaints, "$file has $given million keys at $bits bits, not $right" if $given != $right;
    }
  }
  return @complaints;
}

my %check = (
  includes => \&include_complaints, functions => \&function_complaints,
  intrinsics => \&intrinsic_complaints, kernels => \&kernel_complaints,
  steps => \&step_complaints, seeds => \&seed_complaints, edits => \&edit_complaints,
  problems => \&problem_complaints, numbers => \&number_complaints,
  names => \&name_complaints,
);

my %source;
for my $file ('README.md', 'tests/tools/mutation.txt', 'tests/checks.mk', 'tests/data/memory.txt', map { chomp; $_ }
    `find ext tests -name '*.[ch]' -o -name '*.cc' -o -name django.py`,
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
  return join ' ', grep { !/^(?:ext|sql|tests|Makefile|README\.md|LICENSE|\..*)$/ }
    sort keys %at_top;
}
is(strangers(split /\n/, `git ls-files 2>/dev/null`), '',
   'the top level has no other files');
is(strangers('ext/key.c', 'notes.sql', '.gitignore', 'sql/join.sql'),
   'notes.sql', 'finds another file at the top level');

# The planted faults of each check: a file, a line at its end, and the complaints,
# in which FILE stands for the file.
my $long = "static int long_function(void) {\n" . "  ;\n" x 59 . "}";
my $registered = "const sql_function new[] = {\n  {.name = \"bloom_new\"},\n};";
my @for_all = ('tests/lib/functions.h: no entry', 'tests/data/memory.txt: no call',
  'tests/sql: no result', 'tests/sql/schema.sql: no call', 'sql/functions.md: no row',
  'an example: no call');
my $trigger = "CREATE TRIGGER a DELETE ON {t}\nBEGIN\n  DELETE FROM b;\nEND;";
my %planted = (
  includes => [
    ['ext/key.h', '#include "function.h"', 'FILE includes function.h, which it may not'],
    ['ext/core/coding.h', '#include "../key.h"', 'FILE includes ../key.h, which it may not'],
    ['ext/core/hash.c', '#include <sqlite3.h>', 'FILE includes SQLite'],
    ['ext/core/coding.h', '#include "bloom.h"',
     map { "core/$_ includes itself, indirectly" } qw(bloom coding hash)],
    ['ext/info.c', '#include "planning.c"', 'FILE includes planning.c, which it may not'],
    ['ext/info.c', '#include "bloom_ext.h"', 'FILE includes bloom_ext.h, which it may not'],
    ['ext/folder/new.c', '#include "../info.c"', 'FILE includes ../info.c, which it may not'],
    ['ext/bloom_ext.c', '#include "folder/new.h"',
     'FILE includes folder/new.h, which it may not'],
    ['ext/extra.h', 'int extra;', 'FILE is in no layer'],
    ['ext/new/hash.c', 'int hash;', 'FILE is called like ext/core/hash.c'],
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
  names => [
    map { ['ext/planning.c', $_->[0], "FILE makes $_->[1], as ext/$_->[2] does"] }
      ["static bool ends_with(int a,\n    int b) {\n}\nstatic int note_words(int op) {\n}",
       'note_words', 'advise/mirror.c'],
      ["typedef struct new_rows {\n  int n;\n} near_rows;", 'near_rows', 'advise/difference.c'],
      ["static const sql_table advise_table = {\n};", 'advise_table', 'advise/advise.c'],
      ["#define NAMES_SHOWN 2", 'NAMES_SHOWN', 'advise/values.c'],
  ],
  intrinsics => [
    ['ext/core/bloom.c', '#include <immintrin.h>', 'FILE has an intrinsic and is no kernel'],
    ['ext/core/crc32c.c', '#include <cpuid.h>', 'FILE has an intrinsic and is no kernel'],
    map { ['ext/core/crc32c_avx512.c', "  a = $_(b);", "FILE: $_ is not known to be in gcc 8"] }
      qw(_mm512_zextsi128_si512 _mm_loadu_si64),
  ],
  steps => [
    ['ext/new.c', $registered, map { "$_ of bloom_new()" } @for_all,
     'the comments of ext/: no description'],
    ['ext/new.c', "/* bloom_new(key, filter) */\n$registered", map { "$_ of bloom_new()" } @for_all,
     (map { "tests/sql: no $_" } 'NULL', 'error', 'wrong number of arguments'),
     (map { "tests/$_: no call" } qw(fuzz/sql.c sql/utf16.sql lib/functions.h)),
     'tests/fuzz/sql.c: no handle', 'tests/sql/open.sql: no handle',
     'tests/sql/open.sql: no handle of one part',
     'tests/sql/open.sql: no handle of several parts'],
    ['sql/functions.md', '| `bloom_keys(f)` |',
     'FILE has bloom_keys(f), which no comment of ext/ describes'],
  ],
  kernels => [
    ['ext/core/crc32c_new.c', "TARGET uint32_t bloom_crc32c_extend_new(uint32_t crc) {\n}",
     'ext/core/crc32c.c has no row of bloom_crc32c_extend_new called "new"'],
    ['ext/core/crc32c_new.c', '#ifdef BLOOM_CRC32C_HAVE_NEW',
     'ext/core/crc32c_kernels.h does not define BLOOM_CRC32C_HAVE_NEW'],
  ],
  edits => [
    ['ext/leveldb.c', 'seed = BLOOM_HASH_SEED',
     'FILE has what mutation.txt edits 2 times: seed = BLOOM_HASH_SEED'],
    ['ext/core/crc32c_new.c', 'int new;', 'mutation.txt edits nothing in FILE'],
    map { ["ext/kept/$_.sql", $trigger, 'mutation.txt edits nothing in FILE: '
           . 'TRIGGER a DELETE ON {t} BEGIN DELETE FROM b;'],
      ["ext/kept/$_.sql", "-- {check_content}\nSELECT 'b is odd'",
       "mutation.txt edits nothing in FILE: SELECT 'b is odd'"] } qw(parts blocks)
  ],
  problems => [
    ['ext/kept/check.c', 'text = "part %s is odd" " now";',
     'no test in tests/sql expects what FILE says: part .+ is odd now'],
    map { ["ext/kept/$_.sql", "SELECT 'part ' || p.part || ' is odd ' ||\n  'now' || {mend}",
           'no test in tests/sql expects what FILE says: is odd now'] } qw(parts blocks shared)
  ],
  numbers => [
    ['sql/kept.md', 'for some 1,100 keys', 'FILE has 1100 as first_keys'],
    ['sql/kept.md', 'and for 9 million at 12',
     'FILE has 9 million keys at 12 bits, not ' . most_millions(\%source, 12)],
    ['sql/merge.sql', "-- keys and\n-- room for 1,600", 'FILE has 1600 as capacity'],
    ['tests/checks.mk', 's/^1401$$/12/', 'FILE has 1401 as room'],
    ['sql/kept.md', '`bits_per_key` is 13 and `rows`', 'FILE has 13 as blocks default_bits'],
    ['ext/packaging/python/sqlite_bloom/django.py', "class KeepFilter:\n  default_bits_per_key = 11",
     'FILE has 11 as default_bits'],
  ],
);

for my $check (sort keys %planted) {
  my %said_above = map { $_ => 1 } $check{$check}->(\%source);
  for (@{$planted{$check}}) {
    my ($file, $line, @said) = @$_;
    my %copy = (%source, 'ext/folder/new.h' => '');
    $copy{$file} = ($copy{$file} // '') . "\n$line\n";
    my @found = grep { !$said_above{$_} } $check{$check}->(\%copy);
    is(join("\n", sort map { s/\Q$file\E/FILE/r } @found), join("\n", sort @said),
       "finds: $said[0]" =~ s/FILE/$file/r);
  }
}

is(join('|', statements("-- 2\n-- each: 0 | NULL\nSELECT f({1});\n-- 1\n\nCALL 1;\nCALL 2;\n")),
   "/* each: 0 | NULL */\nSELECT f({1});\n-- 1|CALL 1;\n|CALL 2;\n",
   'the values of each: belong to the statement below');

my %copy = %source;
delete $copy{'tests/fuzz/corpus/sql/mask'};
is(join("\n", grep { / 22 / } seed_complaints(\%copy)),
   'statement 22 of tests/fuzz/sql.c has no seed', 'finds a seed that is missing');
done_testing();
