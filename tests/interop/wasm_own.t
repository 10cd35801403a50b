#!/usr/bin/perl
# A page of a user's own that asks a filter, as ext/packaging/wasm/README.md
# shows it: its commands, its worker and its script, in Chromium.
# skip: dist/wasm/index.html
# skip: /usr/bin/chromedriver
use strict;
use warnings;
use File::Temp qw(tempdir);
use Test::More;
require './tests/lib/browser.pl';
our $dist;

my ($section) = read_file('ext/packaging/wasm/README.md')
  =~ /^## In a page of your own\n(.*?)^## /ms or die "no such section\n";
my ($commands) = $section =~ /((?:^    .*\n)+)/m or die "no commands\n";
my ($worker, $script) = $section =~ /^```js\n(.*?)^```/msg;

# The commands, in a folder from which they find the same files.
my $built = $dist;
my $folder = tempdir(CLEANUP => 1);
my $site = "$folder/site";
mkdir $site or die "$!\n";
$commands =~ s{/var/www/my-page}{site} or die "no folder for the page\n";
symlink $built, "$folder/dist" or die "$!\n";
mkdir "$folder/ext";
symlink File::Spec->rel2abs('ext/packaging'), "$folder/ext/packaging";
my $shell = $ENV{SQLITE3} || 'sqlite3';
system("cd '$folder' && $shell my.db 'CREATE TABLE list(word TEXT)' " .
       q{"INSERT INTO list VALUES ('hello'), ('world')" && } . "(\n$commands) >/dev/null");
is($?, 0, 'the commands');

write_file("$site/ask.js", $worker);
write_file("$site/index.html", <<"END");
<!DOCTYPE html><title>own</title><output id="said"></output>
<script>
console.log = (...words) => {
  document.getElementById('said').textContent += words.join(' ') + '. ';
};
</script>
<script type="module">
$script
worker.postMessage('stranger');
</script>
END

# It is served as the folder wasm of a dist.
mkdir "$folder/served";
rename $site, "$folder/served/wasm" or die "$!\n";
$dist = "$folder/served";
open_browser();
is(wait_for('said', qr/hello.*stranger/),
   'hello may be in the set. stranger is certainly not in the set.',
   'a key of the set, and another');
done_testing();
