# frozen_string_literal: true

require 'rbconfig'

# LevelDB's Bloom filter, hash and CRC-32C as a SQLite extension.
module SqliteBloom
  class Error < StandardError; end

  module_function

  # Gives a SQLite3::Database the functions. Afterwards it loads no other
  # extension until it is told to.
  def load(db)
    unless db.respond_to?(:prepare) && db.respond_to?(:execute)
      raise Error, 'load: db must be a SQLite3::Database, such as ' \
                   "SQLite3::Database.new('my.db'), got #{db.inspect}"
    end
    unless db.respond_to?(:enable_load_extension)
      raise Error, 'load: this gem sqlite3 was built without loading of ' \
                   'extensions: install it with a SQLite that can load them'
    end
    db.enable_load_extension(true)
    begin
      db.load_extension(loadable_path)
    ensure
      db.enable_load_extension(false)
    end
  end

  # The file that SQLite loads. Raises SqliteBloom::Error where the gem has none
  # for this platform.
  def loadable_path
    folder = File.join(__dir__, 'sqlite_bloom', platform)
    file = Dir.glob('bloom.*', base: folder).first
    file or raise Error, "sqlite_bloom has no binary for #{platform}: " \
                         'build it from the sources'
    File.join(folder, file)
  end

  # By this name sqlite3 (from 2.4) finds the file: SQLite3::Database.new(file,
  # extensions: [SqliteBloom]).
  def to_path
    loadable_path
  end

  def platform
    os, cpu = RbConfig::CONFIG.values_at('host_os', 'host_cpu')
    cpu = cpu.sub('x64', 'x86_64').sub(/\Ai\d86\z/, 'i386').sub('arm64', 'aarch64')
    case os
    when /android/ then "android-#{cpu}"
    when /linux-musl/ then "linux-musl-#{cpu}"
    when /linux/ then "linux-#{cpu}"
    when /darwin/ then "macos-#{cpu}" # its name ends in a release's number
    when /mingw|mswin/ then "windows-#{cpu}"
    else "#{os}-#{cpu}"
    end
  end
  private_class_method :platform
end
