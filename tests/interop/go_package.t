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

# Connections before Auto, after it and after Cancel. The call that keeps a filter is
# made by QueryRow and by Exec, while its connection has unread rows, and in a
# transaction that is rolled back.
write_file("$work/program/main.go", <<'END' =~ s/GO_MODULE/$module/r);
package main

import (
	"context"
	"database/sql"
	"fmt"

	bloom "GO_MODULE"
	_ "github.com/mattn/go-sqlite3"
)

const build = `SELECT hex(bloom_build(value, 10)) || ' ' || bloom_version()
  FROM json_each('["hello","world"]')`
const create = `SELECT bloom_create_parts('page', 'url')`
const known = `SELECT bloom_may_match('/', filter) || bloom_may_match('/x', filter)
  FROM page_url_filter`

var ctx = context.Background()

func connect() *sql.Conn {
	db, _ := sql.Open("sqlite3", ":memory:")
	one, err := db.Conn(ctx)
	if err != nil {
		panic(err)
	}
	return one
}

func ask(one *sql.Conn, question string) {
	var answer string
	if err := one.QueryRowContext(ctx, question).Scan(&answer); err != nil {
		fmt.Println(err)
	} else {
		fmt.Println(answer)
	}
}

func main() {
	ask(connect(), build)
	bloom.Auto()
	one := connect()
	ask(one, build)
	ask(one, "SELECT bloom_may_match('hello', 'x')")
	one.ExecContext(ctx, "CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)")
	ask(one, create)
	one.ExecContext(ctx, "INSERT INTO page(url) VALUES ('/'), ('/a')")
	ask(one, known)
	rows, _ := one.QueryContext(ctx, "SELECT url FROM page")
	rows.Next()
	ask(one, create)
	rows.Close()
	_, err := one.ExecContext(ctx, create)
	fmt.Println(err)
	change, _ := one.BeginTx(ctx, nil)
	change.Exec("SELECT bloom_drop_parts('page', 'url')")
	change.Rollback()
	ask(one, known)
	bloom.Cancel()
	ask(connect(), build)
}
END
my ($got) = glob("$work/gopath/pkg/mod/$module\@*");
ok(-s "$got/LICENSE", 'the licence');
is(run_in_scratch("cat '$got/README.md'"), $readme, 'the README');
my ($version) = $got =~ /\@v(.*)/;
is(run_in_scratch('go run ./program'), <<"END", 'connections, and a kept filter');
no such function: bloom_build
114000414410401006 $version
bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'x' (a name is no filter: build it, or select it from its view; readfile() reads one from a file)
page_url_filter
10
bloom_create_parts: another statement of this connection is running: read its rows to the end, or close its cursor, and call again
<nil>
10
no such function: bloom_build
END
done_testing();
