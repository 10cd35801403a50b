#!tests/lib/row
# skip: /usr/share/rubygems-integration/all/specifications/activerecord-6.1.7.10.gemspec
# row: Rails, Active Record (tested with 6.1)
# run: ruby app.rb
# class: ActiveRecord::StatementInvalid
# asks: run get query
require 'active_record'
require 'sqlite-bloom-leveldb' # as Bundler does
{2}
ActiveRecord::Base.establish_connection(adapter: 'sqlite3', database: 'app.db')
class Visit < ActiveRecord::Base
  self.table_name = 'visit'
end
db = ActiveRecord::Base.connection
require '{HERE}/tests/lib/client'
types = { String => ActiveModel::Type::String, Integer => ActiveModel::Type::Integer,
          SQLite3::Blob => ActiveModel::Type::Binary }
answer(
  run: ->(sql) { db.execute(sql) && nil },
  get: lambda { |sql, *values|
    db.exec_query(sql, nil, values.map { |value|
      ActiveRecord::Relation::QueryAttribute.new('', value, types[value.class].new)
    }).rows[0][0]
  },
  query: -> { {3}.pluck(:email).join(',') },
  blob: ->(f) { SQLite3::Blob.new(f) }
)
