#!/usr/bin/perl
# Two machines: a libsql-server and its replica on loopback. Filters that the
# first one builds are read and probed on the second one.
# skip: build/interop/bin/sqld
use strict;
use warnings;
use Test::More;
use Digest::SHA;
use File::Copy qw(copy);
use File::Spec;
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64;
require './tests/lib/files.pl';

my $dist = $ENV{DIST} || 'dist';
my $work = tempdir(CLEANUP => 1);
my $sqld = File::Spec->rel2abs('build/interop/bin/sqld');
my $patience = 60;    # seconds

# A server loads the extensions whose SHA-256 stands in trusted.lst.
mkdir "$work/extensions";
copy("$dist/bloom.so", "$work/extensions/bloom.so") or die "bloom.so: $!\n";
write_file("$work/extensions/trusted.lst",
           Digest::SHA->new(256)->addfile("$dist/bloom.so")->hexdigest . "  bloom.so\n");

my %server;    # pid by name

# Addresses that are free, all held until the last is found.
my @sockets = map {
  IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die "$!\n"
} 1 .. 3;
my ($primary, $replica, $grpc) = map { '127.0.0.1:' . $_->sockport } @sockets;
@sockets = ();

sub start {
  my ($name, $address, @options) = @_;
  my $pid = fork // die "$!\n";
  if ($pid == 0) {
    open STDOUT, '>', "$work/$name.log";
    open STDERR, '>&', \*STDOUT;
    chdir $work;
    exec $sqld, '--no-welcome', '--db-path', "$work/$name",
      '--extensions-path', "$work/extensions",
      '--http-listen-addr', $address, @options;
    exit 127;
  }
  $server{$name} = $pid;
}

# The last lines that a server has printed.
sub said {
  my ($name) = @_;
  return scalar `tail -n 20 '$work/$name.log'`;
}

# Stops every server that was started, even if a test dies.
sub stop_all {
  kill TERM => values %server;
  for my $name (keys %server) {
    my $until = time + $patience;
    while (waitpid($server{$name}, 1) == 0) {
      if (time > $until) { kill KILL => $server{$name}; }
      select undef, undef, undef, 0.05;
    }
  }
  %server = ();
}
END { my $status = $?; stop_all(); $? = $status; }
$SIG{INT} = $SIG{TERM} = sub { exit 1 };

my $http = HTTP::Tiny->new(timeout => $patience);

sub value_of {
  my ($value) = @_;
  return undef if $value->{type} eq 'null';
  return decode_base64($value->{base64}) if $value->{type} eq 'blob';
  return $value->{value};
}

# The first row of each statement on one connection, or its error as a string; the
# empty list where the server does not answer.
sub answers {
  my ($address, @statements) = @_;
  my $answer = $http->post("http://$address/v2/pipeline", {
    content => encode_json({requests => [
      map({ {type => 'execute', stmt => $_} } @statements), {type => 'close'}]}),
    headers => {'content-type' => 'application/json'}});
  return if !$answer->{success};
  return map {
    $_->{type} eq 'error' ? $_->{error}{message}
      : join '|', map { value_of($_) // 'NULL' } @{$_->{response}{result}{rows}[0] // []}
  } @{decode_json($answer->{content})->{results}}[0 .. $#statements];
}

# The answer to one statement; undef where the server does not answer.
sub ask {
  my ($address, $sql, @arguments) = @_;
  my @arguments_json = map {
    ref $_ ? {type => 'blob', base64 => encode_base64($$_, '') =~ s/=+$//r}
           : {type => 'text', value => $_}
  } @arguments;
  return (answers($address, {sql => $sql, args => \@arguments_json}))[0];
}

# What several statements on one connection answer.
sub ask_all {
  my ($address, @sql) = @_;
  return join ' ', grep { length } answers($address, map { {sql => $_} } @sql);
}

# Repeats a query until its answer is the expected one, or until time runs out.
sub wait_for {
  my ($expected, @question) = @_;
  my $until = time + $patience;
  my $answer;
  while (1) {
    $answer = ask(@question);
    last if defined $answer && $answer eq $expected || time > $until;
    select undef, undef, undef, 0.1;
  }
  return $answer // 'no answer';
}

start('primary', $primary, '--grpc-listen-addr', $grpc);
is(wait_for('1', $primary, 'SELECT 1'), '1', 'a primary')
  or BAIL_OUT("the primary does not answer:\n" . said('primary'));
my $version = ask($primary, 'SELECT bloom_version()');
like($version, qr/^\d+\.\d+\.\d+$/, 'it has the extension');
start('replica', $replica, '--primary-grpc-url', "http://$grpc");
is(wait_for($version, $replica, 'SELECT bloom_version()'), $version,
   'a replica, with the extension too')
  or BAIL_OUT("the replica does not answer:\n" . said('replica'));

for my $sql (
  'CREATE TABLE filter(name PRIMARY KEY, f BLOB)',
  q{INSERT INTO filter SELECT 'hello', bloom_build(value, 10)
    FROM json_each('["hello","world"]')},
  # Four shards of 1,000 keys, each with room for them all.
  q{WITH RECURSIVE n(k) AS (
      SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 3999)
    INSERT INTO filter SELECT 'shard ' || (k % 4), bloom_build(k, 10, 4000)
    FROM n GROUP BY k % 4},
  q{INSERT INTO filter SELECT 'merged', bloom_merge(f) FROM filter
    WHERE name LIKE 'shard %'},
) {
  is(ask($primary, $sql), '', 'on the primary: ' . $sql =~ s/\s+/ /gr);
}

is(wait_for('6', $replica, 'SELECT count(*) FROM filter'), '6',
   'the replica has the filters');
is(ask($replica, q{SELECT hex(f) FROM filter WHERE name = 'hello'}),
   '114000414410401006', 'a filter is the same bytes there');
my $merged = q{WITH RECURSIVE n(k) AS (
    SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 3999)
  SELECT bloom_build(k, 10) = (SELECT f FROM filter WHERE name = 'merged') FROM n};
is(ask($replica, $merged), '1', 'merged shards are the filter of all their keys');

my $opened = q{SELECT bloom_may_match(?, (
    SELECT bloom_open(f) FROM filter WHERE name = 'hello'))};
is(ask($replica, $opened, $_->[0]), $_->[1],
   "bloom_may_match('$_->[0]', bloom_open(f)) on the replica")
  for ['hello', 1], ['foo', 0];
my $bytes = pack 'H*', ask($replica, q{SELECT hex(f) FROM filter WHERE name = 'hello'});
is(ask($replica, 'SELECT bloom_may_match(?, ?)', 'hello', \$bytes) .
   ask($replica, 'SELECT bloom_may_match(?, ?)', 'foo', \$bytes), '10',
   'a filter bound as a parameter through HTTP');
like(ask($replica, q{SELECT bloom_may_match('hello', 1)}),
     qr/bloom_may_match: filter must be a BLOB or a bloom_open\(\) handle, got 1/,
     'an error is in the answer');

# A write on the replica is forwarded to the primary.
is(ask($replica, q{UPDATE filter SET f = bloom_add(f, 'foo') WHERE name = 'hello'}),
   '', 'bloom_add through the replica');
is(wait_for('1', $replica, $opened, 'foo'), '1', 'the added key is found there');

# Kept filters. The primary makes one in a statement of its own and one in a
# transaction. A row that is inserted there is found on the replica: through one
# part, through the handle of all parts, and through the spans.
my $parts = q{SELECT bloom_create_parts('customer', 'email')};
my $blocks = q{SELECT bloom_create_blocks('customer', 'email')};
is(ask($primary, 'CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT)'), '',
   'a table');
is(ask($primary, q{INSERT INTO customer VALUES (1, 'ann@example.org')}), '',
   'a row before its filters');
is(ask($primary, $parts), 'customer_email_filter', "on the primary: $parts");
my $objects = q{SELECT count(*) FROM sqlite_master WHERE name GLOB 'customer_*'};
my $made = ask($primary, $objects);
is(ask_all($primary, 'BEGIN', $blocks, 'ROLLBACK', $objects),
   "customer_email_spans $made", 'in a transaction that is rolled back');
is(ask_all($primary, 'BEGIN', $blocks,
           q{INSERT INTO customer VALUES (9000, 'bo@example.org')}, 'COMMIT'),
   'customer_email_spans', 'and in one that is committed, with a row after it');

my $in_part = q{SELECT bloom_may_match(?1, (SELECT f FROM customer_email_part
  WHERE part = bloom_part(?1, parts)))};
is(wait_for('1', $replica, $in_part, 'bo@example.org'), '1',
   'on the replica, in its one part: a key that a trigger added');
is(ask($replica, $in_part, 'ann@example.org') .
   ask($replica, $in_part, 'cy@example.org'), '10',
   'one that was there before, and one that nobody added');
my $in_parts = q{SELECT bloom_may_match(?,
  (SELECT filter FROM customer_email_filter))};
is(join('', map { ask($replica, $in_parts, "$_\@example.org") } qw(ann bo cy)),
   '110', 'all parts by one handle');
my $in_spans = q{SELECT group_concat(k.id) FROM customer_email_spans AS s
  CROSS JOIN customer AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
  WHERE bloom_may_match(?1, s.f) AND k.email = ?1};
is(join(' ', map { ask($replica, $in_spans, "$_\@example.org") } qw(ann bo cy)),
   '1 9000 NULL', 'rows by spans');
is(ask($replica, q{SELECT count(*) FROM customer_email_spans WHERE f NOT NULL}),
   '1', 'of which one block is closed');
is(ask($replica, q{INSERT INTO customer VALUES (2, 'cy@example.org')}), '',
   'an insert through the replica, into the closed block');
is(wait_for('1', $replica, $in_part, 'cy@example.org') .
   ask($replica, $in_spans, 'cy@example.org'), '12',
   'runs the triggers on the primary, and the key comes back');
is(ask($replica, q{SELECT count(*) FROM bloom_check('customer', 'email')}), '0', 'and nothing is wrong');

# A replica runs a SELECT itself, but forwards every statement of a transaction
# that was begun by a request of its own. The primary carries out a call in such a
# transaction, and what it makes is replicated.
like(ask_all($replica, 'BEGIN', q{SELECT bloom_drop_blocks('customer', 'email')},
             'COMMIT'), qr/^[5-9]$/, 'through the replica: the blocks are dropped');
is(wait_for($made, $replica, $objects) . ' ' . ask($primary, $objects),
   "$made $made", 'here and on the primary');
is(ask_all($replica, 'BEGIN', $blocks, 'ROLLBACK'), 'customer_email_spans',
   'made in a transaction that is rolled back');
is(ask($primary, $objects), $made, 'which leaves nothing');
is(ask_all($replica, 'BEGIN', $parts, $blocks,
           q{INSERT INTO customer VALUES (3, 'dee@example.org')}, 'COMMIT'),
   'customer_email_filter customer_email_spans', 'and in one that is committed');
for my $address ($replica, $primary) {
  is(wait_for('1', $address, $in_part, 'dee@example.org') .
     ask($address, $in_spans, 'dee@example.org') .
     ask($address, $in_part, 'eve@example.org'), '130',
     $address eq $replica ? 'the filters are here' : 'and on the primary');
}

my @pids = values %server;
stop_all();
is(scalar(grep { kill 0 => $_ } @pids), 0, 'both have stopped');
done_testing();
