#!/usr/bin/ruby
# What Rails writes into schema.rb where a table has kept filters, and the line of the
# page of packages that leaves their tables out.
# skip: /usr/share/rubygems-integration/all/specifications/activerecord-6.1.7.10.gemspec
require_relative '../../lib/client'
require 'active_record'
require 'stringio'

ActiveRecord::Base.establish_connection(adapter: 'sqlite3', database: ':memory:')
db = ActiveRecord::Base.connection
db.raw_connection.enable_load_extension(true)
db.raw_connection.load_extension("#{ENV.fetch('DIST', 'dist')}/bloom")
db.execute('CREATE TABLE customer(id INTEGER PRIMARY KEY, email TEXT)')
db.execute('CREATE TABLE log(id INTEGER PRIMARY KEY, request TEXT)')
db.execute('CREATE TABLE spare_parts(id INTEGER PRIMARY KEY)')
db.execute("SELECT bloom_create_parts('customer', 'email')," \
           " bloom_create_blocks('log', 'request')")
tables = lambda {
  text = StringIO.new
  ActiveRecord::SchemaDumper.dump(db, text)
  text.string.scan(/create_table "(\w+)"/).flatten
}
all = %w[customer customer_email_parts log log_request_blocks spare_parts]
ok(tables.call == all, "schema.rb has the filters' tables: #{tables.call}")
page = File.read('ext/packaging/README.md')
eval(page[/`(ActiveRecord::SchemaDumper[^`]*)`/, 1])
ok(tables.call == %w[customer log spare_parts],
   "the page's line leaves them out: #{tables.call}")
puts "1..#{$count}"
