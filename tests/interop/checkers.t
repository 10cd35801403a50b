#!/usr/bin/perl
# What the checkers of each registry and format say of the packages that `make dist`
# makes: nothing. `gem build --strict` runs when the gem is made, and lintian in
# packages.t.
# skip: build/interop/python/checkers
# skip: build/interop/node_modules/publint
# skip: build/interop/node_modules/typescript
# skip: build/interop/node_modules/@arethetypeswrong/cli
# skip: /usr/bin/cargo
# skip: /usr/bin/go
use strict;
use warnings;
use Test::More;
use Cwd qw(getcwd);
use File::Spec;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
my $build = File::Spec->rel2abs($ENV{BUILD} || 'build');
my $tools = getcwd() . '/build/interop';
my $work = tempdir(CLEANUP => 1);
my ($version) = read_file('ext/version.h') =~ /BLOOM_VERSION "(.*)"/;
$ENV{PATH} = "$tools/bin:/usr/bin:$ENV{PATH}";
$ENV{PYTHONPATH} = "$tools/python/checkers";
$ENV{NO_COLOR} = 1;

# What a command prints in the scratch folder.
sub run_in { return scalar `cd '$work' && ($_[0]) 2>&1` }

# A checker that ends well or not, and prints what matches.
sub says {
  my ($accepts, $command, $pattern, $name) = @_;
  my $output = run_in($command);
  ok(($? == 0) == $accepts && $output =~ $pattern, $name) or diag("$command:\n$output");
}
sub accepts { says(1, @_) }
sub refuses { says(0, @_) }

# ---- Python: twine, and the validator of metadata, since twine lets some faults
# pass that an index refuses.

accepts("python3 -m twine check --strict '$dist'/*.whl '$dist'/sqlite_*.tar.gz",
        qr/\A(?:(?!WARNING|FAILED).)*\z/s, 'twine check --strict');
write_file("$work/metadata.py", <<'END');
import sys
import zipfile
from packaging import __version__
from packaging.metadata import Metadata
from packaging.version import Version

assert Version(__version__) >= Version("24"), __version__
for file in sys.argv[1:]:
    if file.endswith(".whl"):
        with zipfile.ZipFile(file) as wheel:
            (name,) = [n for n in wheel.namelist() if n.endswith("/METADATA")]
            text = wheel.read(name)
    else:
        with open(file, "rb") as metadata:
            text = metadata.read()
    fields = Metadata.from_email(text, validate=True)
    assert fields.license_expression and fields.project_urls, file
END
run_in("tar -xzf '$dist/sqlite_bloom_leveldb-$version.tar.gz'");
my $info = "sqlite_bloom_leveldb-$version/PKG-INFO";
accepts("python3 metadata.py $info '$dist'/*.whl", qr/\A\z/,
        'packaging: the metadata of the sources and of each wheel');
write_file("$work/old", read_file("$work/$info") =~ s/^(Metadata-Version:) .*/$1 2.1/r);
refuses('python3 metadata.py old', qr/license-expression/,
        'packaging refuses a field that is newer than its version');

# ---- npm

my $node = "node $tools/node_modules/.bin";
my $npm = "sqlite-bloom-leveldb-$version.tgz";
accepts("$node/publint --strict '$dist/$npm'", qr/All good!\s*\z/, 'publint --strict');
accepts("$node/attw '$dist/$npm' --no-emoji", qr/No problems found/, 'attw: the types');

# load() takes a connection of each driver, whose own types need no cast, and no path.
run_in("mkdir node_modules && tar -xzf '$dist/$npm' && " .
       'mv package node_modules/sqlite-bloom-leveldb && ' .
       "cd node_modules && ln -s '$tools'/node_modules/\@[pt]* '$tools'/node_modules/*-types .");
write_file("$work/drivers.ts", <<'END');
import {DatabaseSync} from 'node:sqlite';
import BetterSqlite3 from 'better-sqlite3';
import {Database} from 'bun:sqlite';
import bloom, {getLoadablePath, load} from 'sqlite-bloom-leveldb';
load(new DatabaseSync(getLoadablePath(), {allowExtension: true}));
load(new BetterSqlite3(':memory:'));
bloom.load(new Database(':memory:'));
END
write_file("$work/path.ts", "import {load} from 'sqlite-bloom-leveldb';\nload('my.db');\n");
my ($first, $second, $cast) = read_file('ext/packaging/README.md')
  =~ /^\| Prisma,.*? \| `(.*?)`, `(.*?)` \(in TypeScript, `(.*?)`\)/m or die "no row of Prisma\n";
$second =~ s/adapter\.client/$cast/;
write_file("$work/prisma.ts", <<"END");
import {PrismaBetterSqlite3} from '\@prisma/adapter-better-sqlite3';
const factory = new PrismaBetterSqlite3({url: ':memory:'});
$first;
$second;
END
my $tsc = "$node/tsc --strict --noEmit --module nodenext " .
  '--types node,bun-types,better-sqlite3';
accepts("$tsc drivers.ts", qr/\A\z/, 'tsc --strict: a connection of each driver');
accepts("$tsc prisma.ts", qr/\A\z/, "and Prisma's row");
refuses("$tsc path.ts", qr/not assignable/, 'and not the path of a file');

# ---- Rust: what cargo would publish is what the file has, and it builds.

mkdir "$work/cargo";
write_file("$work/cargo/config.toml", <<'END');
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
END
my $crate = "sqlite-bloom-leveldb-$version";
my $target = "$build/interop/rust";
run_in("tar -xzf '$dist/$crate.crate'");
accepts("cd $crate && CARGO_HOME='$work/cargo' CARGO_TARGET_DIR='$target' " .
        'CARGO_NET_OFFLINE=true /usr/bin/cargo package --quiet', qr/\A\z/,
        'cargo package');
my $files = 'grep -vE "/$|/Cargo.toml.orig$" | sort';
is(run_in("tar -tzf '$target/package/$crate.crate' | $files"),
   run_in("tar -tzf '$dist/$crate.crate' | $files"),
   'cargo package: the same files');

# ---- Go

run_in("mkdir go && cd go && find '$dist/go' -name '*.zip' -exec unzip -q {} \\;");
accepts('cd "$(dirname "$(find go -name go.mod)")" && ' .
        "GOCACHE='$build/interop/go' GOPROXY=off GOFLAGS= /usr/bin/go vet ./... && " .
        'gofmt -l .', qr/\A\z/, 'go vet, gofmt');

# ---- The bill of materials

my $spdx = 'python3 -m spdx_tools.spdx.clitools.pyspdxtools -i';
my $bill = "bloom-$version.spdx.json";
accepts("$spdx '$dist/$bill'", qr/\A\z/, 'spdx-tools');
write_file("$work/broken.spdx.json",
           read_file("$dist/$bill") =~ s/("licenseConcluded": ")BSD-3/$1BSD/r);
refuses("$spdx broken.spdx.json", qr/license/, 'spdx-tools refuses what is no licence');
done_testing();
