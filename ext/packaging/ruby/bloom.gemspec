Gem::Specification.new do |gem|
  gem.name = 'sqlite-bloom-leveldb'
  gem.version = 'VERSION'
  gem.summary = "LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension"
  gem.description = <<~END
    Functions that build and probe Bloom filters in SQL, byte for byte those of
    LevelDB: small values that tell, without a lookup, which keys are certainly not
    in a set.
  END
  gem.authors = ['The bloom authors', 'MAINTAINER'].uniq
  gem.email = 'EMAIL'
  gem.homepage = 'PROJECT_URL'
  gem.metadata = {
    'source_code_uri' => 'PROJECT_URL/tree/vVERSION',
    'bug_tracker_uri' => 'PROJECT_URL/issues',
    'changelog_uri' => 'PROJECT_URL/blob/vVERSION/.github/CHANGELOG.md',
    'documentation_uri' => 'PROJECT_URL/blob/vVERSION/sql/functions.md',
    'rubygems_mfa_required' => 'true'
  }
  gem.license = 'BSD-3-Clause'
  gem.required_ruby_version = '>= 2.7'
  gem.files = Dir['LICENSE', 'README.md', 'lib/**/*.*']
end
