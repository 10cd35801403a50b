#!tests/lib/row
# skip: /usr/lib/ruby/vendor_ruby/sqlite3.rb
# row: Ruby
# run: ruby app.rb
# class: SQLite3::(?:SQL|Busy)Exception
require 'sqlite3'
{1}
db = SQLite3::Database.new('app.db')
{2}
require '{HERE}/tests/lib/client'
answer(
  run: ->(sql) { db.execute(sql) && nil },
  get: ->(sql, *values) { db.get_first_value(sql, values) },
  open: ->(sql) { (@rows = db.query(sql)).next[0] },
  close: -> { @rows.close && nil },
  blob: ->(f) { {3} }
)
