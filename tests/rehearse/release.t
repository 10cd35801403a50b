#!/usr/bin/perl
# What a release needs: `make version` changes the version in every file that shows
# it, and none shows another; and `make release-check` names what is missing.
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my ($version) = read_file('ext/version.h') =~ /BLOOM_VERSION "(\d+\.\d+\.\d+)"/;

# The files below a folder that show the version of today: not the tests, which
# know older ones, nor the measurements and the history.
sub files_of {
  my ($folder) = @_;
  return split /\n/, `cd '$folder' && find README.md Makefile ext sql -type f | sort`;
}

# The versions that a text shows after a package's name, and those ending in 0 that are
# releases of the extension, by the list of .github/CHANGELOG.md, wherever they stand.
my $releases = join '|', map { quotemeta }
  read_file('.github/CHANGELOG.md') =~ /^\| (\d+\.\d+) \|/mg;
sub versions_in {
  my ($text) = @_;
  return ($text =~ /bloom[\w-]*?(?:@|==|[-_ ]v?)(\d+\.\d+\.\d+)/g,
          $text =~ /(?<![\d.@])((?:$releases)\.0)(?!\.?\d)/g);
}

sub others {
  my ($folder, $right) = @_;
  return join "\n", map {
    my $file = $_;
    map { "$file: $_" } grep { $_ ne $right } versions_in(read_file("$folder/$file"));
  } files_of($folder);
}
is(others('.', $version), '', "no file has another version than $version");

my ($minor) = $version =~ /^(\d+\.\d+)/;
like($minor, qr/^(?:$releases)$/, "the page of versions has a row for $minor");

# In a copy, another version reaches every place where this one was.
my $copy = tempdir(CLEANUP => 1);
system("cp -R --parents README.md Makefile ext sql tests/*.mk tests/*/*.mk '$copy'") == 0 or die "cp: $?\n";
my %before = map { $_ => scalar(() = read_file("$copy/$_") =~ /\Q$version\E/g) }
  files_of($copy);
cmp_ok(scalar(grep { $_ } values %before), '>', 2, 'several files have the version');
system("'$copy/ext/tools/version' 97.86.75 >/dev/null") == 0 or die "version: $?\n";
my %after = map { $_ => scalar(() = read_file("$copy/$_") =~ /97\.86\.75/g) }
  files_of($copy);
is_deeply(\%after, \%before, 'make version changes each place that has it');
is(others($copy, '97.86.75'), '', 'and leaves no other');

# A place that was missed is found.
for my $missed ("npm install ./sqlite-bloom-leveldb-$version.tgz", "-- 1|$version",
                "sqlite-bloom-leveldb==3.2.1", "bloom-3.2.1-linux-x86_64.tar.gz") {
  write_file("$copy/README.md", "$missed\n");
  isnt(others($copy, '97.86.75'), '', "found: $missed");
}
like(`ext/tools/version 1.5 2>&1`, qr/^usage:/, 'a version has three numbers');

# ---- Where GitHub says who publishes, twine uploads a signature of each file. No
# registry here takes them, so two programs stand for it and for what signs.

mkdir "$copy/$_" for qw(bin files);
write_file("$copy/bin/pypi-attestations", <<'END');
#!/bin/sh
shift
for file; do touch "$file.publish.attestation"; done
END
write_file("$copy/bin/twine", <<'END');
#!/bin/sh
for word; do echo "${word##*/}"; done
END
chmod 0755, glob("$copy/bin/*");
my @files = map { "sqlite_bloom_leveldb-$version$_" } '-py3-none-any.whl', '.tar.gz';
write_file("$copy/files/$_", 'x') for @files;
system("cd '$copy/files' && sha256sum * >SHA256SUMS") == 0 or die "sums: $?\n";
for my $signed (0, 1) {
  my $github = $signed ? 'ACTIONS_ID_TOKEN_REQUEST_URL=x' : '-u ACTIONS_ID_TOKEN_REQUEST_URL';
  my @words = split /\n/, `env $github PATH='$copy/bin:$ENV{PATH}' ext/packaging/publish '$copy/files' pypi`;
  is(join(' ', grep { !/^(?:upload|--(?:non-interactive|disable-progress-bar))$/ } @words),
     join(' ', $signed ? ('--attestations', map { ($_, "$_.publish.attestation") } @files) : @files),
     $signed ? 'with signatures' : 'without');
}

# ---- What stands in the way of a release

sub faults {
  my ($dist, $tag) = @_;
  my $said = `make -s --no-print-directory -C '$copy' release-check DIST='$dist' TAG='@{[$tag // '']}' 2>&1`;
  return $? ? $said =~ s/^make(?:\[\d+\])?: .*\n//mr : "none\n";
}

system("mkdir '$copy/.github' '$copy/dist' && cp .github/CHANGELOG.md '$copy/.github' && "
       . "'$copy/ext/tools/version' $version >/dev/null") == 0 or die "copy: $?\n";
my %known = (PROJECT_URL => 'https://forge.test/bloom', MAINTAINER => 'Ann',
             EMAIL => 'ann@forge.test');
my @names = read_file("$copy/ext/packaging/project") =~ /^([A-Z_]+)='/mg;
is_deeply([sort @names], [sort keys %known], 'three things are to be known');
my $dist = "$copy/dist";
write_file("$copy/ext/packaging/project",
           join '', map { "$_='https://example.org/x'\n" } @names);
my $said = faults($dist);
is(scalar(() = $said =~ /: \w+ is not known yet/g), 3, 'and each is missed');

# Then it lists what the owner does first, in order: all that the workflow asks for.
my $page = read_file('ext/packaging/RELEASE.md');
cmp_ok(scalar(() = $page =~ /\n/g), '<=', 60, 'the page of releases has at most 60 lines');
my @steps = $said =~ /^(\d)\. /mg;
is("@steps", '1 2 3 4 5 6 7 8 9', 'what to do first, in order');
my $release = read_file('.github/workflows/release.yml');
my $flat = join ' ', split ' ', $said;
my ($registries) = $flat =~ /for e in ([\w ]+); do gh api/;
is(join(' ', sort split ' ', $registries), join(' ', sort $release =~ /environment: (\w+)/g),
   'an environment for each job that has one');
my ($names) = $flat =~ /for r in ([\w ]+); do gh variable set \$\{r\}_NAME/;
is(join(' ', sort split ' ', $names), join(' ', sort $release =~ /vars\.(\w+)_NAME/g),
   'a variable for each registry');
like($flat, qr/make publish TO=$_\b/, "published by hand: $_") for qw(npm crate);
write_file("$copy/ext/packaging/project",
           join '', map { "$_='$known{$_}'\n" } @names);
is(faults($dist), "there are no packages: run make dist\n", 'packages are missed');

my @platforms = read_file('ext/packaging/platforms') =~ /^([a-z]\S*) /mg;
my @packages = map { "x-$version$_" } (map { "-$_.tar.gz" } @platforms),
  qw(.crate .deb .dsc .gem .spdx.json .tgz .whl .zip);
sub has { write_file("$dist/SHA256SUMS", join '', map { "0  $_\n" } @_); }
for my $missed (@packages) {
  has(grep { $_ ne $missed } @packages);
  is(faults($dist), "$dist: version $version has no " .
     substr($missed, 2 + length $version) . "\n", "missed: $missed");
}
has(@packages);
is(faults($dist), "none\n", 'nothing stands in the way');
is(faults($dist, "v$version"), "none\n", "with the tag v$version");
is(faults($dist, 'v3.2.1'), "the tag is v3.2.1, and the version $version\n",
   'and not with another');
system("'$copy/ext/tools/version' 97.86.75 >/dev/null") == 0 or die "version: $?\n";
like(faults($dist), qr/^\.github\/CHANGELOG.md: there is no row for 97\.86$/m,
     'a version without a row is found');
done_testing();
