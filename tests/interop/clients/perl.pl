#!tests/lib/row
# skip: /usr/share/doc/libdbd-sqlite3-perl
# row: Perl, DBD::SQLite
# run: perl app.pl
# class: DBD::SQLite::db selectrow_array failed
use strict;
use warnings;
use DBI;
my $db = DBI->connect('dbi:SQLite:dbname=app.db', '', '',
                      {RaiseError => 1, PrintError => 0});
{1};
{2};
my $rows;
my %answer = (
  run => sub { $db->do($_[0]); '' },
  get => sub {
    my ($sql, @values) = @_;
    my $statement = $db->prepare($sql);
    for my $i (1 .. @values) {
      $statement->bind_param($i, ref $values[$i - 1] ? (${$values[$i - 1]}, {3})
                                                      : $values[$i - 1]);
    }
    return $db->selectrow_array($statement);
  },
  open => sub { $rows = $db->prepare($_[0]); $rows->execute; ($rows->fetchrow_array)[0] },
  close => sub { $rows->finish; '' },
);
open my $questions, '<', 'questions' or die "questions: $!\n";
while (<$questions>) {
  chomp;
  my ($kind, @fields) = split /\t/;
  my @values = map { /^x([0-9a-f]+)$/ ? \pack('H*', $1) : s/^#// ? $_ + 0 : $_ } @fields;
  my $said = eval { $answer{$kind}->(@values) } // ($@ =~ s/ at \S+ line.*//sr);
  print $said =~ /^\x11/ ? 'x' . unpack('H*', $said) : $said, "\n";
}
# Without AutoCommit, DBI begins a transaction before any statement.
$db->{AutoCommit} = 0;
$db->selectrow_array("SELECT bloom_drop_parts('customer', 'email')");
$db->rollback;
$db->selectrow_array('SELECT filter FROM customer_email_filter');
undef $rows; # before its connection, or DBD::SQLite reads freed memory
$db->rollback;
$db->disconnect;
