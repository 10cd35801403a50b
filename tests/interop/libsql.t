#!/usr/bin/perl
# Two machines: a libsql-server and its replica on loopback. Filters that the
# first one builds are read and probed on the second one.
# skip: build/interop/bin/sqld
use strict;
use warnings;
use Test::More;
use Digest::SHA;
use File::Copy qw(copy);
use File::Temp qw(tempdir);
use HTTP::Tiny;
use IO::Socket::INET;
use JSON::PP;
use MIME::Base64;
require './tests/lib/server.pl';
our $patience;

my $dist = $ENV{DIST} || 'dist';
my $work = tempdir(CLEANUP => 1);
my $sqld = File::Spec->rel2abs('build/interop/bin/sqld');

# A server loads the extensions whose SHA-256 stands in trusted.lst.
mkdir "$work/extensions";
copy("$dist/bloom.so", "$work/extensions/bloom.so") or die "bloom.so: $!\n";
write_file("$work/extensions/trusted.lst",
           Digest::SHA->new(256)->addfile("$dist/bloom.so")->hexdigest . "  bloom.so\n");

# Addresses that are free, all held until the last is found.
my @sockets = map {
  IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die "$!\n"
} 1 .. 3;
my ($primary, $replica, $grpc) = map { '127.0.0.1:' . $_->sockport } @sockets;
@sockets = ();

sub start_server {
  my ($name, $address, @options) = @_;
  start("$work/$name.log", qr/(listening)/, 'env', '-C', $work, $sqld, '--no-welcome',
        '--db-path', "$work/$name", '--extensions-path', "$work/extensions",
        '--http-listen-addr', $address, @options);
}

my $http = HTTP::Tiny->new(timeout => $patience);

sub value_of {
  my ($value) = @_;
  return 'NULL' if $value->{type} eq 'null';
  return decode_base64($value->{base64}) if $value->{type} eq 'blob';
  return $value->{value};
}

# The first row of each statement on one connection, or its error; a statement is its
# SQL, or that with values.
sub answers {
  my ($address, @statements) = @_;
  my $answer = $http->post("http://$address/v2/pipeline", {
    content => encode_json({requests => [
      map({ {type => 'execute', stmt => ref $_ ? $_ : {sql => $_}} } @statements),
      {type => 'close'}]}),
    headers => {'content-type' => 'application/json'}});
  return 'no answer' if !$answer->{success};
  return join ' ', grep { length } map {
    $_->{type} eq 'error' ? $_->{error}{message}
      : join '|', map { value_of($_) } @{$_->{response}{result}{rows}[0] // []}
  } @{decode_json($answer->{content})->{results}}[0 .. $#statements];
}

# What statements must answer.
sub answer {
  my ($address, $expected, @statements) = @_;
  is(answers($address, @statements), $expected, ($address eq $replica ? 'replica: ' : 'primary: ')
     . join '; ', map { (ref $_ ? $_->{sql} : $_) =~ s/\s+/ /gr } @statements);
}

# The same of a query that is repeated until its answer is that, or until time runs out.
sub answer_soon {
  my ($address, $expected, $query) = @_;
  my $until = time + $patience;
  select undef, undef, undef, 0.1 until answers($address, $query) eq $expected || time > $until;
  answer($address, $expected, $query);
}

my ($version) = read_file('ext/version.h') =~ /BLOOM_VERSION "(.*)"/;
start_server('primary', $primary, '--grpc-listen-addr', $grpc);
answer_soon($primary, $version, 'SELECT bloom_version()');
start_server('replica', $replica, '--primary-grpc-url', "http://$grpc");
answer_soon($replica, $version, 'SELECT bloom_version()');

# ---- Filters, two of which are of four shards of 1,000 keys, each with room for all

my $numbers = 'WITH RECURSIVE n(k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM n WHERE k < 3999)';
answer($primary, '', 'CREATE TABLE filter(name PRIMARY KEY, f BLOB)',
       q{INSERT INTO filter SELECT 'hello', bloom_build(value, 10)
         FROM json_each('["hello","world"]')},
       "$numbers INSERT INTO filter SELECT 'shard ' || (k % 4), bloom_build(k, 10, 4000)
        FROM n GROUP BY k % 4",
       q{INSERT INTO filter SELECT 'merged', bloom_merge(f) FROM filter
         WHERE name LIKE 'shard %'});
answer_soon($replica, '6', 'SELECT count(*) FROM filter');
answer($replica, '114000414410401006', q{SELECT hex(f) FROM filter WHERE name = 'hello'});
answer($replica, '1', "$numbers SELECT bloom_build(k, 10) =
  (SELECT f FROM filter WHERE name = 'merged') FROM n");
my $opened = q{SELECT bloom_may_match(?, (SELECT bloom_open(f) FROM filter WHERE name = 'hello'))};
my $blob = encode_base64(pack('H*', '114000414410401006'), '') =~ s/=+$//r;
for (['hello', '1'], ['foo', '0']) {
  my %key = (type => 'text', value => $_->[0]);
  answer($replica, $_->[1], {sql => $opened, args => [\%key]});
  answer($replica, $_->[1], {sql => 'SELECT bloom_may_match(?, ?)',
                             args => [\%key, {type => 'blob', base64 => $blob}]});
}
like(answers($replica, q{SELECT bloom_may_match('hello', 1)}),
     qr/bloom_may_match: filter must be a BLOB or a bloom_open\(\) handle, got 1/,
     'an error is in the answer');

# A write on the replica is forwarded to the primary.
answer($replica, '', q{UPDATE filter SET f = bloom_add(f, 'foo') WHERE name = 'hello'});
answer_soon($replica, '1', $opened =~ s/\?/'foo'/r);

# ---- Kept filters. The primary makes one in a statement of its own and one in a
# transaction. A row that is inserted there is found on the replica: through one
# part, through the handle of all parts, and through the spans.

my $parts = q{SELECT bloom_create_parts('customer', 'email')};
my $blocks = q{SELECT bloom_create_blocks('customer', 'email')};
my $objects = q{SELECT count(*) FROM sqlite_master WHERE name GLOB 'customer_*'};
answer($primary, 'customer_email_filter',
       'CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT)',
       q{INSERT INTO customer VALUES (1, 'ann')}, $parts);
my $made = answers($primary, $objects);
answer($primary, "customer_email_spans $made", 'BEGIN', $blocks, 'ROLLBACK', $objects);
answer($primary, 'customer_email_spans', 'BEGIN', $blocks,
       q{INSERT INTO customer VALUES (9000, 'bo')}, 'COMMIT');

# Whether a key is in its part and in all parts, and the ids of its rows by spans.
sub found {
  my ($key) = @_;
  return "SELECT bloom_may_match(key, (SELECT f FROM customer_email_part
      WHERE part = bloom_part(key, parts))),
    bloom_may_match(key, (SELECT filter FROM customer_email_filter)),
    (SELECT group_concat(k.id) FROM customer_email_spans AS s
     CROSS JOIN customer AS k NOT INDEXED ON k.id BETWEEN s.first AND s.last
     WHERE bloom_may_match(key, s.f) AND k.email = key) FROM (SELECT '$key' AS key)";
}
answer_soon($replica, '1|1|9000', found('bo'));
answer($replica, '1|1|1 0|0|NULL', found('ann'), found('cy'));
answer($replica, '1', 'SELECT count(*) FROM customer_email_spans WHERE f NOT NULL');

# An insert through the replica, into the closed block, runs the triggers on the
# primary, and the key comes back.
answer($replica, '', q{INSERT INTO customer VALUES (2, 'cy')});
answer_soon($replica, '1|1|2', found('cy'));
answer($replica, '0', q{SELECT count(*) FROM bloom_check('customer', 'email')});

# A replica runs a SELECT itself, but forwards every statement of a transaction
# that was begun by a request of its own. The primary carries out a call in such a
# transaction, and what it makes is replicated.
like(answers($replica, 'BEGIN', q{SELECT bloom_drop_blocks('customer', 'email')}, 'COMMIT'),
     qr/^[5-9]$/, 'through the replica: the blocks are dropped');
answer_soon($replica, $made, $objects);
answer($primary, $made, $objects);
answer($replica, 'customer_email_spans', 'BEGIN', $blocks, 'ROLLBACK');
answer($primary, $made, $objects);
answer($replica, 'customer_email_filter customer_email_spans', 'BEGIN', $parts, $blocks,
       q{INSERT INTO customer VALUES (3, 'dee')}, 'COMMIT');
for my $address ($replica, $primary) {
  answer_soon($address, '1|1|3', found('dee'));
  answer($address, '0|0|NULL', found('eve'));
}
done_testing();
