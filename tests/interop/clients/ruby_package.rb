#!/usr/bin/ruby
# The gem that `make dist` makes, installed from its file as its README says.
# skip: /usr/bin/gem
require_relative '../../lib/client'
require 'tmpdir'

scratch = Dir.mktmpdir
at_exit { FileUtils.rm_rf(scratch) }
FileUtils.ln_s(File.expand_path(ENV.fetch('DIST', 'dist')), "#{scratch}/dist")
file = File.basename(Dir["#{scratch}/dist/*.gem"].first, '.gem')
version = file.split('-').last
readme = File.read('ext/packaging/ruby/README.md').sub('VERSION', version)
system({ 'GEM_HOME' => scratch }, readme[%r{^    (gem .* dist/.*)$}, 1],
       chdir: scratch, out: :err) or abort 'gem install failed'
gem = "#{scratch}/gems/#{file}"
$LOAD_PATH.unshift("#{gem}/lib")
require 'sqlite_bloom'

db = SQLite3::Database.new(':memory:')
SqliteBloom.load(db)
sql = %q{SELECT hex(bloom_build(value, 10)) FROM json_each('["hello","world"]')}
ok(db.get_first_value(sql) == '114000414410401006', 'load(db)')
message = begin
  db.load_extension(SqliteBloom.loadable_path)
rescue RuntimeError => error
  error.message
end
ok(message == 'not authorized', "loading is disabled again: #{message}")
ok(File.file?(SqliteBloom.loadable_path) &&
   SqliteBloom.to_path == SqliteBloom.loadable_path, SqliteBloom.loadable_path)

ok(db.get_first_value('SELECT bloom_version()') == version, "version #{version}")
ok(File.file?("#{gem}/LICENSE"), 'the licence')
ok(File.read("#{gem}/README.md") == readme, 'the README')

# The characters of a glob in a folder's name are only characters.
odd = "#{scratch}/a[b] {c,d}?*"
FileUtils.mkdir(odd)
FileUtils.cp_r("#{gem}/lib", odd)
printed = IO.popen(['/usr/bin/ruby', '-I', "#{odd}/lib", '-r', 'sqlite_bloom',
                    '-e', 'print SqliteBloom.loadable_path'],
                   err: %i[child out], &:read)
ok(printed.start_with?("#{odd}/lib/") && File.file?(printed), printed)

# Each platform's file, and what is said where there is none.
{ 'linux-gnu x86_64' => 'linux-x86_64/bloom.so',
  'linux-gnu aarch64' => 'linux-aarch64/bloom.so',
  'linux-gnu i686' => 'linux-i386/bloom.so',
  'linux-musl x86_64' => 'linux-musl-x86_64/bloom.so',
  'linux-musl aarch64' => 'linux-musl-aarch64/bloom.so',
  'linux-musl riscv64' => 'linux-musl-riscv64/bloom.so',
  'darwin23 arm64' => 'macos-aarch64/bloom.dylib',
  'darwin19.0.0 x86_64' => 'macos-x86_64/bloom.dylib',
  'mingw-ucrt aarch64' => 'windows-aarch64/bloom.dll',
  'mingw32 x64' => 'windows-x86_64/bloom.dll' }.each do |platform, file|
  unless File.file?("#{gem}/lib/sqlite_bloom/#{file}")
    puts "# #{file} was not built"
    next
  end
  RbConfig::CONFIG['host_os'], RbConfig::CONFIG['host_cpu'] = platform.split
  ok(SqliteBloom.loadable_path.end_with?("/#{file}"), "#{platform}: #{file}")
end
{ 'plan9 mips' => 'plan9-mips',
  'linux-android aarch64' => 'android-aarch64' }.each do |platform, name|
  RbConfig::CONFIG['host_os'], RbConfig::CONFIG['host_cpu'] = platform.split
  message = begin
    SqliteBloom.loadable_path
  rescue SqliteBloom::Error => error
    error.message
  end
  ok(message.include?("no binary for #{name}:"), message)
end

incapable = Struct.new(:prepare, :execute).new
{ incapable => 'without loading of extensions', 'my.db' => 'got "my.db"',
  nil => 'must be a SQLite3::Database', SQLite3::Database => 'got SQLite3::Database' }.each do |db, said|
  SqliteBloom.load(db)
rescue SqliteBloom::Error => error
  ok(error.message.include?(said), error.message)
else
  ok(false, said)
end

example = readme[/```ruby\n(.*?)```/m, 1]
printed = IO.popen(['/usr/bin/ruby', '-I', "#{gem}/lib", '-e', example], &:read)
ok(printed == "[[1, 0]]\n", "the README's example: #{printed.chomp}")
puts "1..#{$count}"
