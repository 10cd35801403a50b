#!/usr/bin/perl
# The Go module that `make dist` makes, got from its folder into a program with
# Debian's mattn/go-sqlite3 as its README says.
# skip: /usr/bin/go
# skip: /usr/bin/zip
# skip: /usr/share/gocode/src/github.com/mattn/go-sqlite3
use strict;
use warnings;
use Test::More;
use File::Spec;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
my $work = tempdir(CLEANUP => 1);
$ENV{BLOOM} = $dist;
my $cache = File::Spec->rel2abs(($ENV{BUILD} || 'build') . '/interop/go');

# A module's files are read-only unless -modcacherw.
sub run_in_scratch {
  my ($command) = @_;
  return scalar `cd '$work' && export PATH="/usr/bin:\$PATH" \\
    GOPATH='$work/gopath' GOCACHE='$cache' \\
    GOFLAGS=-modcacherw GOPROXY=off GOSUMDB=off
    ($command) 2>'$work/log' || cat '$work/log'`;
}

my $driver = 'github.com/mattn/go-sqlite3';
write_file("$work/go.mod", <<"END");
module scratch
go 1.19
require $driver v0.0.0
replace $driver => /usr/share/gocode/src/$driver
END

my ($module) = `find '$dist/go' -name '*.mod' -exec cat {} +` =~ /^module (.*)/m;
my $readme = read_file('ext/packaging/go/README.md') =~ s/GO_MODULE/$module/gr;
run_in_scratch($readme =~ /^    (GOPROXY=.*)$/m);

mkdir "$work/$_" for qw(readme program);
write_file("$work/readme/main.go", $readme =~ /```go\n(.*?)```/s);
is(run_in_scratch('go run ./readme'), "1 0 <nil>\n", "the README's example");

# Connections before Auto, after it and after Cancel. What else a connection does,
# clients/go.go tests.
write_file("$work/program/main.go", <<'END' =~ s/GO_MODULE/$module/r);
package main

import (
	"database/sql"
	"fmt"

	bloom "GO_MODULE"
	_ "github.com/mattn/go-sqlite3"
)

func ask() {
	db, _ := sql.Open("sqlite3", ":memory:")
	var answer string
	err := db.QueryRow(`SELECT hex(bloom_build(value, 10)) || ' ' || bloom_version()
		FROM json_each('["hello","world"]')`).Scan(&answer)
	fmt.Println(answer, err)
}

func main() {
	ask()
	bloom.Auto()
	ask()
	bloom.Cancel()
	ask()
}
END
my ($got) = glob("$work/gopath/pkg/mod/$module\@*");
ok(-s "$got/LICENSE", 'the licence');
is(run_in_scratch("cat '$got/README.md'"), $readme, 'the README');
my ($version) = $got =~ /\@v(.*)/;
is(run_in_scratch('go run ./program'), <<"END", 'connections');
 no such function: bloom_build
114000414410401006 $version <nil>
 no such function: bloom_build
END
done_testing();
