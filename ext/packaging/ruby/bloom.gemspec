Gem::Specification.new do |gem|
  gem.name = 'sqlite-bloom-leveldb'
  gem.version = 'VERSION'
  gem.summary = "LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension"
  gem.authors = ['The bloom authors']
  gem.license = 'BSD-3-Clause'
  gem.required_ruby_version = '>= 2.7'
  gem.files = Dir['LICENSE', 'README.md', 'lib/**/*.*']
end
