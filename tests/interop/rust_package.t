#!/usr/bin/perl
# The crate that `make dist` makes, added from its file to a program with Debian's
# rusqlite as its README says.
# skip: /usr/bin/cargo
use strict;
use warnings;
use Test::More;
use File::Spec;
use File::Temp qw(tempdir);
require './tests/lib/files.pl';

my $registry = '/usr/share/cargo/registry';
my ($rusqlite) = glob("$registry/rusqlite-*");
plan skip_all => 'librust-rusqlite-dev is not installed' unless $rusqlite;

my $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
my $work = tempdir(CLEANUP => 1);
my ($version) = glob("$dist/*.crate") =~ /-([\d.]+)\.crate$/;

mkdir "$work/$_" for qw(home app app/src);
$ENV{BLOOM} = $dist;
write_file("$work/home/config.toml", <<"END");
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "$registry"
END
write_file("$work/app/Cargo.toml", <<'END');
[package]
name = "app"
version = "0.0.0"
edition = "2021"
[[bin]]
name = "readme"
path = "src/readme.rs"
[[bin]]
name = "program"
path = "src/program.rs"
[dependencies]
rusqlite = "*"
END

my $readme = read_file('ext/packaging/rust/README.md') =~ s/VERSION/$version/gr;
write_file("$work/app/src/readme.rs", $readme =~ /```rust\n(.*?)```/s);

# The row's code, after one connection and before the others. The call that keeps a
# filter is made in each way that rusqlite has, while its connection has unread rows,
# and in a transaction that is rolled back.
my ($row) = read_file('ext/packaging/README.md') =~ /^\| Rust, .* \| `(.*)` \|$/m;
write_file("$work/app/src/program.rs", <<'END' =~ s/ROW/$row/r);
use rusqlite::Connection;

const BUILD: &str = "SELECT hex(bloom_build(value, 10)) || ' ' || bloom_version()
    FROM json_each('[\"hello\",\"world\"]')";
const WRONG: &str = "SELECT bloom_may_match('hello', 'x')";
const CREATE: &str = "SELECT bloom_create_parts('page', 'url')";
const KNOWN: &str = "SELECT bloom_may_match('/', filter) || bloom_may_match('/x', filter)
    FROM page_url_filter";

fn ask(db: &Connection, sql: &str) -> rusqlite::Result<String> {
    db.query_row(sql, [], |row| row.get(0))
}

fn main() {
    let before = Connection::open_in_memory().unwrap();
    ROW
    println!("{}", ask(&before, BUILD).unwrap_err());
    println!("{}", ask(&Connection::open_in_memory().unwrap(), BUILD).unwrap());
    let mut db = Connection::open_in_memory().unwrap();
    println!("{}", ask(&db, BUILD).unwrap());
    println!("{}", ask(&db, WRONG).unwrap_err());
    db.execute_batch("CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)").unwrap();
    println!("{}", ask(&db, CREATE).unwrap());
    db.execute_batch("INSERT INTO page(url) VALUES ('/'), ('/a')").unwrap();
    println!("{}", ask(&db, KNOWN).unwrap());
    {
        let mut pages = db.prepare("SELECT url FROM page").unwrap();
        let mut rows = pages.query([]).unwrap();
        rows.next().unwrap();
        println!("{}", ask(&db, CREATE).unwrap_err());
    }
    println!("{}", db.execute_batch(CREATE).is_ok());
    let transaction = db.transaction().unwrap();
    ask(&transaction, "SELECT bloom_drop_parts('page', 'url') || ''").unwrap();
    transaction.rollback().unwrap();
    println!("{}", ask(&db, KNOWN).unwrap());
}
END

# Compiled crates stay in the build folder for the next time.
my $target = File::Spec->rel2abs(($ENV{BUILD} || 'build') . '/interop/rust');
sub run_in_app {
  my ($command) = @_;
  return scalar `cd '$work/app' && export PATH="/usr/bin:\$PATH" \\
    CARGO_HOME='$work/home' CARGO_TARGET_DIR='$target' \\
    CARGO_PROFILE_DEV_DEBUG=0 CARGO_NET_OFFLINE=true
    ($command) 2>'$work/log' || cat '$work/log'`;
}

run_in_app($readme =~ /^    (tar .*)$/m);
# All files have the time of the release, by which cargo would take a crate that was
# compiled before for this one.
run_in_app("touch sqlite-bloom-leveldb-$version/*");
is(run_in_app('cargo run --quiet --bin readme'), "1\n0\n", "the README's example");
my $crate = "$work/app/sqlite-bloom-leveldb-$version";
ok(-s "$crate/LICENSE", 'the licence');
is(run_in_app("cat '$crate/README.md'"), $readme, 'the README');

is(run_in_app('cargo run --quiet --bin program'), <<"END", 'connections, and a kept filter');
no such function: bloom_build
114000414410401006 $version
114000414410401006 $version
bloom_may_match: filter must be a BLOB or a bloom_open() handle, got TEXT 'x' (a name is no filter: build it, or select it from its view; readfile() reads one from a file)
page_url_filter
10
bloom_create_parts: another statement of this connection is running: read its rows to the end, or close its cursor, and call again
true
10
END
done_testing();
