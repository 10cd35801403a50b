#!/usr/bin/perl
# What `make dist` makes, as users install it: the sources, archives for each
# platform, Debian packages, and what sqlpkg installs.
use strict;
use warnings;
use Test::More;
use File::Spec;
use File::Temp qw(tempdir);
use JSON::PP qw(decode_json);
require './tests/lib/files.pl';
require './tests/lib/links.pl';

my $dist = $ENV{DIST} || 'dist';
my $shell = $ENV{SQLITE3} || 'sqlite3';
my $work = tempdir(CLEANUP => 1);
chomp(my $here = `uname -m`);

sub run_in {
  my ($command) = @_;
  my $output = `$command 2>&1`;
  chomp($output //= $!);
  return $output;
}

# What a shell prints that loads the extension from $file: a filter, and the names
# of the views of two kept filters.
sub built_with {
  my ($file, $environment) = @_;
  return run_in(($environment // '') . qq{ $shell -init /dev/null :memory: } .
                qq{".load $file" "SELECT hex(bloom_build(value)) } .
                qq{FROM json_each('[\\"hello\\",\\"world\\"]')" } .
                qq{"CREATE TABLE t(id INTEGER PRIMARY KEY, c TEXT)" } .
                qq{"SELECT bloom_create_parts('t', 'c')" } .
                qq{"SELECT bloom_create_blocks('t', 'c')"});
}
my $built = "114000414410401006\nt_c_filter\nt_c_spans";

# The names that a binary shows: ELF's dynamic symbols, Mach-O's external ones, or
# PE's table of exports.
sub names_shown {
  my ($file) = @_;
  return run_in("nm -D --defined-only '$file' | sed 's/.* //'")
    if $file =~ /\.so$/;
  return run_in("llvm-nm -gU '$file' | sed 's/.* _//'") if $file =~ /\.dylib$/;
  return join "\n", `llvm-readobj --coff-exports '$file'` =~ /^  Name: (.*)$/mg;
}

# What llvm-readobj says of a Mach-O file that macOS 11 can load: that version is
# the oldest, only the system's library is needed, and on ARM64, where macOS runs
# nothing else, the file is signed.
sub for_macos {
  my ($file, $machine) = @_;
  my $said = `llvm-objdump --macho --private-headers '$file'`;
  my @needed = $said =~ /LC_LOAD_DYLIB\n.*\n +name (\S+)/g;
  return $said =~ /LC_BUILD_VERSION\n.*\n +platform macos\n.*\n +minos 11\.0\n/
    && "@needed" eq '/usr/lib/libSystem.B.dylib'
    && ($machine != 0x0100000c || $said =~ /LC_CODE_SIGNATURE/);
}

sub hardened {
  my ($file) = @_;
  my $dynamic = `readelf -Wld '$file'`;
  return $dynamic =~ /GNU_RELRO/ && $dynamic =~ /BIND_NOW/
    && `nm -D --undefined-only '$file'` =~ /__stack_chk_fail/;
}

# ---- All files

like(run_in("cd '$dist' && sha256sum -c SHA256SUMS"),
     qr/\A(?:\S+: OK\n?)+\z/, 'every file has its SHA-256');
my %sum = reverse read_file("$dist/SHA256SUMS") =~ /^(\w{64})  (.*)$/mg;
is(join("\n", sort keys %sum), run_in("cd '$dist' && find . -type f | sed 's/..//' " .
     "| grep -vxE 'SHA256SUMS|bloom\\.so|wasm/.*' | LC_ALL=C sort"),
   'and every file that was made is listed');

my ($version) = read_file('ext/version.h') =~ /BLOOM_VERSION "(.*)"/;

# ---- The bill of materials names the extension first, and what others wrote. Of its
# form, checkers.t asks spdx-tools.

my $bill = "bloom-$version.spdx.json";
my ($package, @others) = @{decode_json(read_file("$dist/$bill"))->{packages}};
is("$package->{name} $package->{versionInfo}", "bloom $version", "$bill: version");
is(join(' ', grep { !/^(?:mingw-w64|zig)$/ } map { $_->{name} } @others),
   'leveldb sqlite libgcc', "$bill: what others wrote");
my ($header) = run_in("tar -xOzf '$dist'/sqlite_bloom_leveldb-*.tar.gz --wildcards '*/sqlite3.h'")
  =~ /^#define SQLITE_VERSION +"(.*)"/m;
is($others[1]{versionInfo}, $header, "$bill: the version of SQLite's header");

# ---- Archives: each one's suffix and machine (ELF's e_machine, PE's Machine,
# Mach-O's cputype).

my @platforms = (
  ['linux-x86_64', 'so', 62],
  ['linux-aarch64', 'so', 183],
  ['linux-i386', 'so', 3],
  ['linux-musl-x86_64', 'so', 62],
  ['linux-musl-aarch64', 'so', 183],
  ['linux-musl-riscv64', 'so', 243],
  ['macos-x86_64', 'dylib', 0x01000007],
  ['macos-aarch64', 'dylib', 0x0100000c],
  ['windows-x86_64', 'dll', 0x8664],
  ['windows-aarch64', 'dll', 0xaa64],
);
my %binary;    # by platform
for (@platforms) {
  my ($platform, $suffix, $machine) = @$_;
  SKIP: {
    my $name = "bloom-$version-$platform";
    my $archive = "$dist/$name.tar.gz";
    skip "no compiler for $platform here", 6 unless -e $archive || $ENV{CI};
    run_in("tar -C '$work' -xzf '$archive'");
    my $file = $binary{$platform} = "$work/$name/bloom.$suffix";
    is(join(' ', grep { !-s "$work/$name/$_" } 'LICENSE', 'README.md', 'sql/join.sql'), '',
       "$platform: licence, README and recipes");
    is(join("\n", broken_links("$work/$name", pages_in("$work/$name"))), '',
       "$platform: every link of a page has a file and a heading");
    my @modes = map { /^(\S+ \S+).* (\S+)$/ ? "$1 $2" : $_ } `tar -tvzf '$archive'`;
    is(join("\n", grep { !m{^(?:drwxr-xr-x|-rw-r--r--|-rwxr-xr-x(?=.*/bloom\.\w+$)) 0/0 } }
            @modes), '', "$platform: modes and owners");

    my $bytes = read_file($file);
    my $found = $suffix eq 'so' ? unpack('v', substr($bytes, 18, 2))
      : $suffix eq 'dylib' ? unpack('V', substr($bytes, 4, 4))
      : unpack('v', substr($bytes, unpack('V', substr($bytes, 60, 4)) + 4, 2));
    is($found, $machine, "$platform: the file is for that machine");
    is(names_shown($file), 'sqlite3_bloom_init', "$platform: the entry point alone");
    ok($suffix eq 'so' ? hardened($file)
         : $suffix eq 'dll' || for_macos($file, $machine),
       "$platform: relro, now and stack protector, where it is ELF; "
       . 'version, libraries and signature, where it is Mach-O');
  }
}
SKIP: {
  my $name = "bloom-$version-macos-universal";
  skip 'no compiler for macOS here', 2 unless -e "$dist/$name.tar.gz" || $ENV{CI};
  run_in("tar -C '$work' -xzf '$dist/$name.tar.gz'");
  for (['x86_64', 'macos-x86_64'], ['arm64', 'macos-aarch64']) {
    my ($architecture, $platform) = @$_;
    is(run_in("\$(clang -print-prog-name=llvm-lipo) -thin $architecture " .
              "'$work/$name/bloom.dylib' -output '$work/thin' && " .
              "cmp '$work/thin' '$binary{$platform}'"), '',
       "macos-universal: it contains the file of $platform");
  }
}
# What is read first is for a reader without a Makefile, and the first example and the
# recipes run where they are.
sub reads_well {
  my ($folder, $line, $from, $path, $name) = @_;
  my ($first) = read_file("$folder/README.md") =~ /\A(.*?)^## When/ms;
  unlike($first, qr/\bmake\b|\bdist\b/, "$name: the first of the README");
  my ($example) = $first =~ /^```sql\n(.*?)^```/ms;
  like($example, qr/\A\Q$line\E\n/, "$name: $line");
  write_file("$work/example.sql", $example);
  my $session = "cd '$from' && $path $shell -init /dev/null -bail <";
  like(run_in("$session '$work/example.sql'"), qr/^9978\|name 99999\nthe same/, "$name: its example");
  unlike(run_in("grep -rhE '^ *\\.load ' '$folder/sql'"), qr/dist/, "$name: what recipes load");
  for my $recipe ('sizing', 'merge') {
    unlike(run_in("$session '$folder/sql/$recipe.sql'"), qr/no such|cannot|not found/, "$name: $recipe.sql");
  }
}
SKIP: {
  my $file = $binary{"linux-$here"};
  skip "no archive for $here", 7 unless $file;
  is(built_with($file), $built, "linux-$here: it loads");
  my $folder = "$work/bloom-$version-linux-$here";
  reads_well($folder, '.load ./bloom', $folder, '', "linux-$here");
}

# ---- Debian packages

my %debian = (
  amd64 => ['linux-x86_64', 'x86_64-linux-gnu'],
  arm64 => ['linux-aarch64', 'aarch64-linux-gnu'],
  i386 => ['linux-i386', 'i386-linux-gnu'],
);
for my $architecture (sort keys %debian) {
  my ($platform, $triplet) = @{$debian{$architecture}};
  SKIP: {
    my $name = 'libsqlite3-mod-bloom';
    my $file = "$dist/${name}_$version-1_$architecture.deb";
    skip "no $architecture package here", 3 unless -e $file || $ENV{CI};
    my $root = "$work/$architecture";
    run_in("dpkg-deb -x '$file' '$root' && dpkg-deb -e '$file' '$root/DEBIAN'");
    like(run_in("cd '$root' && md5sum -c DEBIAN/md5sums"),
         qr/\A(?:\S+: OK\n?)+\z/, "$architecture: what dpkg installs");
    is(run_in("cmp '$binary{$platform}' '$root/usr/lib/$triplet/bloom.so'"), '',
       "$architecture: the extension");
    skip 'lintian is not installed', 1
      unless $ENV{CI} || run_in('lintian --version') =~ /^Lintian/;
    is(run_in("lintian --allow-root --fail-on error,warning '$file'"), '',
       "$architecture: lintian");
    next if $platform ne "linux-$here";
    my $path = "LD_LIBRARY_PATH='$root/usr/lib/$triplet'";
    is(built_with('bloom', $path), $built, "$architecture: .load bloom");
    reads_well("$root/usr/share/doc/$name", '.load bloom', $work, $path, $architecture);
  }
}

# ---- Manifests and pages of packages: every word is filled in, and from the three
# lines of ext/packaging/project.

my %project = read_file('ext/packaging/project') =~ /^(\w+)='(.*)'$/mg;
run_in("mkdir '$work/unpacked' && cd '$work/unpacked' && " .
       "for file in '$dist'/sqlite*.crate '$dist'/sqlite*.tgz '$dist'/sqlite*.tar.gz; " .
       "do tar -xzf \$file; done; find '$dist/go' -name '*.zip' -exec unzip -q {} \\;; " .
       "for file in '$dist'/*.whl; do unzip -qo \$file; done; " .
       "for file in '$dist'/*.debian.tar.xz; do tar -xJf \$file; done; " .
       "mkdir gem && tar -C gem -xf '$dist'/sqlite*.gem && gunzip gem/metadata.gz && " .
       "tar -C gem -xzf gem/data.tar.gz");
my $manifests = 'METADATA PKG-INFO package.json Cargo.toml go.mod metadata control '
  . 'changelog copyright README.md bloom.go';
is(run_in("cd '$work/unpacked' && find . " .
          join(' -o ', map { "-name $_" } split ' ', $manifests) . " | xargs " .
          "grep -nE '\\b(VERSION|PROJECT_URL|MAINTAINER|EMAIL|GO_MODULE|DATE)\\b'"),
   '', 'no word of a manifest or a page is left');
for my $manifest ('sqlite_bloom_leveldb-*.dist-info/METADATA', 'package/package.json',
                  'sqlite_bloom_leveldb-*/PKG-INFO', 'sqlite-bloom-leveldb-*/Cargo.toml',
                  'debian/control', 'gem/metadata') {
  my ($file) = glob("$work/unpacked/$manifest");
  cmp_ok(index(read_file($file // $manifest), $project{PROJECT_URL}), '>', 0,
         "$manifest: where the project is");
}
my @unpublished = grep { read_file($_) =~ /\b(?:not|no\s+package\s+is)(?:\s+yet)?\s+published/i }
  grep { /\.md$/ } map { split /\n/, run_in("find '$_' -type f") }
  "$work/unpacked", glob("$work/bloom-*");
is("@unpublished", '', 'no page inside a package says that it is not published');

# ---- sqlpkg: it unpacks an archive into one folder, and makes none below that.

my $sqlpkg = decode_json(read_file("$dist/sqlpkg.json"));
is($sqlpkg->{version}, $version, 'sqlpkg.json: version');
like($project{PROJECT_URL}, qr{/\Q$sqlpkg->{owner}/$sqlpkg->{name}\E$},
     'sqlpkg.json: the owner and the long name');
is($sqlpkg->{repository}, $project{PROJECT_URL}, 'sqlpkg.json: repository');
is($sqlpkg->{assets}{path}, "$project{PROJECT_URL}/releases/download/v$version",
   'sqlpkg.json: where the release is');
my ($files, $checksums) = @{$sqlpkg->{assets}}{qw(files checksums)};
is(join(' ', sort values %$files), join(' ', sort grep { /-sqlpkg-/ } keys %sum),
   'sqlpkg.json: every archive');
is_deeply($checksums, {map { $_ => "sha256-$sum{$_}" } values %$files},
          'sqlpkg.json: their checksums');
for my $platform (sort keys %$files) {
  like(run_in("tar -tzf '$dist/$files->{$platform}'"),
       qr/\ALICENSE\nbloom\.(?:so|dll|dylib)\z/, "$platform: files without a folder");
}
SKIP: {
  my $go = {x86_64 => 'amd64', aarch64 => 'arm64'}->{$here} // '';
  my $archive = $files->{"linux-$go"};
  skip "no archive for $here", 2 unless $archive;
  run_in("mkdir '$work/sqlpkg' && tar -C '$work/sqlpkg' -xzf '$dist/$archive'");
  is(built_with("$work/sqlpkg/bloom"), $built, "linux-$go: it loads");
  my $all = 'SELECT DISTINCT name FROM pragma_function_list UNION ' .
            'SELECT name FROM pragma_module_list';
  is(join("\n", sort @{$sqlpkg->{symbols}}),
     run_in(qq{$shell -init /dev/null :memory: "CREATE TABLE before AS $all" } .
            qq{".load $work/sqlpkg/bloom" } .
            qq{"SELECT * FROM ($all) EXCEPT SELECT * FROM before"}),
     'sqlpkg.json: the names of all functions');
}

# ---- The page about packages has each package's own line, and the files that it
# or the README name with a version exist.

my $page = read_file('ext/packaging/README.md');
symlink File::Spec->rel2abs($dist), "$work/dist";
my ($variables) = $page =~ /\n    make dist\n(.*?)\n\n/s;
is(run_in("cd '$work' && $variables\necho \$BLOOM \$VERSION \$GO_MODULE"),
   "$work/dist $version " . $project{PROJECT_URL} =~ s{^https://}{}r . '/go',
   'the variables of the page');
for my $package (qw(npm python ruby rust go)) {
  my ($install) =
    read_file("ext/packaging/$package/README.md") =~ /^    (\S.*)$/mg;
  $install =~ s{ (?:dist(?=[ /])|\.(?=/sqlite))}{ \$BLOOM};
  $install =~ s/\b(?=VERSION|GO_MODULE)/\$/g;
  cmp_ok(index($page, "`$install`"), '>', 0, "the page: $install");
}
(my $readme = read_file('README.md') . $page =~ s/\$VERSION/$version/gr)
  =~ s{\./dist/}{./}g;
for my $file ($readme =~ m{(?:dist|\$BLOOM|\.)/([\w.-]*\Q$version\E[\w.-]*)}g) {
  next if $file =~ /PLATFORM/;
  ok($sum{$file}, "$file is there, as a page says");
}
done_testing();
