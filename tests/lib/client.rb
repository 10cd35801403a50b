# What tests in Ruby share: sqlite3, without which they are skipped, and TAP.
begin
  require 'sqlite3'
rescue LoadError
  puts '1..0 # skip ruby-sqlite3 is not installed'
  exit
end

$count = 0
def ok(passed, name)
  puts "#{passed ? 'ok' : 'not ok'} #{$count += 1} - #{name}"
end
