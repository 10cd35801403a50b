# What tests in Ruby share: sqlite3, without which they are skipped, TAP, and how a
# client answers the questions of tests/lib/row.
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

# A function for each kind of question, and `blob`, which gives what a BLOB is bound as.
def answer(**client)
  File.foreach('questions', chomp: true) do |line|
    kind, *fields = line.split("\t")
    values = fields.map do |field|
      if field =~ /^x[0-9a-f]+$/ then client[:blob].call([field[1..]].pack('H*'))
      else field.start_with?('#') ? field[1..].to_i : field
      end
    end
    said = begin
      client[kind.to_sym].call(*values)
    rescue StandardError => error
      "#{error.class}: #{error.message}"
    end
    bytes = said.is_a?(String) && said.encoding == Encoding::BINARY
    puts bytes ? "x#{said.unpack1('H*')}" : said
  end
end
