#!/usr/bin/ruby
# Ruby's sqlite3.
# skip: /usr/bin/ruby
require_relative '../../lib/client'

db = SQLite3::Database.new(':memory:')
db.enable_load_extension(true)
db.load_extension(ENV.fetch('DIST', 'dist') + '/bloom')
db.enable_load_extension(false)

db.execute('CREATE TABLE key(k)')
%w[hello world].each { |k| db.execute('INSERT INTO key VALUES (?)', [k]) }
db.execute('CREATE TABLE filter AS SELECT bloom_build(k, 10) AS f FROM key')
f = db.get_first_value('SELECT f FROM filter')
ok(f.unpack1('H*') == '114000414410401006', 'a filter is a string of bytes')

# A string is bound as TEXT unless it is a SQLite3::Blob.
f = SQLite3::Blob.new(f)
probe = 'SELECT bloom_may_match(?, ?)'
ok(%w[hello foo].map { |k| db.get_first_value(probe, [k, f]) } == [1, 0],
   'a filter bound as a parameter')

number = SQLite3::Blob.new(db.get_first_value('SELECT bloom_build(42)'))
ok([42, 42.0].map { |k| db.get_first_value(probe, [k, number]) } == [1, 1],
   'a number, whole or float, is the key that 42 is in SQL')

begin
  db.get_first_value(probe, ['hello', 1])
rescue SQLite3::SQLException => error
  message = error.message
end
ok(message == 'bloom_may_match: filter must be a BLOB or a bloom_open() handle, got 1, which is not an open handle (a handle ends with its statement, or when that has opened too many others: store the filter, and open it again)',
   "an error is SQLite3::SQLException: #{message}")

db.execute('CREATE TABLE page(id INTEGER PRIMARY KEY, url TEXT)')
create = "SELECT bloom_create_parts('page', 'url')"
ok(db.get_first_value(create) == 'page_url_filter', 'one call keeps a filter')
db.execute("INSERT INTO page(url) VALUES ('/'), ('/a')")
known = 'SELECT bloom_may_match(?, filter) FROM page_url_filter'
ok(%w[/ /x].map { |k| db.get_first_value(known, [k]) } == [1, 0],
   'a key that was inserted since is in it')
begin
  db.execute('SELECT url FROM page') { db.execute(create) }
  message = 'none'
rescue SQLite3::BusyException => error
  message = error.message
end
ok(message.include?('another statement of this connection is running'),
   "rows that are not read to the end: #{message}")
begin
  db.transaction { db.execute("SELECT bloom_drop_parts('page', 'url')") && raise('undo') }
rescue RuntimeError => error
  message = error.message
end
ok(message == 'undo' && db.get_first_value(known, ['/a']) == 1,
   'a call in a transaction is rolled back with it')
puts "1..#{$count}"
