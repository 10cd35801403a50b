#!/usr/bin/perl
# make install, and what make dist packs for each platform.
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $work = tempdir(CLEANUP => 1);

sub run_in {
  my ($command) = @_;
  my $output = `$command 2>&1`;
  chomp $output;
  return $output;
}

sub loads {
  my ($file) = @_;
  return run_in(qq{$shell :memory: ".load $file" "SELECT hex(bloom_build(k, 10)) } .
                qq{FROM (SELECT 'hello' AS k UNION SELECT 'world')"});
}

run_in("make install BUILD='$ENV{BUILD}' DIST='$dist' CC='$ENV{CC}' " .
       "DESTDIR='$work' PREFIX=/opt/x");
is(loads("$work/opt/x/lib/bloom"), '114000414410401006',
   'make install DESTDIR= PREFIX=: the extension loads');

like(run_in("cd '$dist' && sha256sum -c SHA256SUMS"),
     qr/\A(?:\S+: OK\n?)+\z/, 'every file has its SHA-256');

# Each platform: its file's suffix and its machine (ELF's e_machine, PE's
# Machine).
my @platforms = (
  ['linux-x86_64', 'so', 62],
  ['linux-aarch64', 'so', 183],
  ['linux-i386', 'so', 3],
  ['linux-musl-x86_64', 'so', 62],
  ['windows-x86_64', 'dll', 0x8664],
);
for (@platforms) {
  my ($platform, $suffix, $machine) = @$_;
  SKIP: {
    my ($archive) = glob("$dist/bloom-*-$platform.tar.gz");
    skip "no compiler for $platform here", 3 unless $archive;
    run_in("tar -C '$work' -xzf '$archive'");
    my ($folder) = glob("$work/bloom-*-$platform");
    ok(-s "$folder/LICENSE" && -s "$folder/README.md",
       "$platform: licence and README");
    my $file = "$folder/bloom.$suffix";
    open my $in, '<:raw', $file or die "$file: $!\n";
    my $bytes = do { local $/; <$in> };
    close $in;
    my $found = $suffix eq 'so'
      ? unpack('v', substr($bytes, 18, 2))
      : unpack('v', substr($bytes, unpack('V', substr($bytes, 60, 4)) + 4, 2));
    is($found, $machine, "$platform: the file is for that machine");
    ok(index($bytes, "sqlite3_bloom_init\0") > 0, "$platform: the entry point");
  }
}

# The archive's own file in this machine's shell.
chomp(my $here = `uname -m`);
SKIP: {
  my ($file) = glob("$work/bloom-*-linux-$here/bloom.so");
  skip "no archive for $here", 1 unless $file;
  is(loads($file), '114000414410401006', "linux-$here: it loads");
}
done_testing();
