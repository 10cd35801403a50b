# What Bundler requires, by the name of the gem.
require 'sqlite_bloom'
