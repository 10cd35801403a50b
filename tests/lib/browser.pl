# Headless Chromium, driven by WebDriver, with the page of `make wasm` in it,
# served from 127.0.0.1. For tests that `require` it; they `use Test::More`.
use strict;
use warnings;
use File::Spec;
use File::Temp qw(tempdir);
use HTTP::Tiny;
use JSON::PP;
BEGIN { require './tests/lib/server.pl' }    # whose END runs after the one below

our $dist = File::Spec->rel2abs($ENV{DIST} || 'dist');
our $work = tempdir(CLEANUP => 1);    # where the page's downloads go
our $patience;

# ---- The server and the browser

my $http = HTTP::Tiny->new(timeout => 3 * $patience);
my ($driver, $session, $port);

# Sends one WebDriver command and returns its value. Dies if it fails.
sub command {
  my ($method, $path, $body) = @_;
  my $answer = $http->request($method, "$driver$path",
    $body ? {content => encode_json($body)} : {});
  my $value = decode_json($answer->{content})->{value};
  die "$path: $value->{message}\n" unless $answer->{success};
  return $value;
}

sub in_session {
  my ($method, $path, $body) = @_;
  return command($method, "$session$path", $body);
}

END {
  my $status = $?;
  eval { in_session('DELETE', '') } if $session;
  $? = $status;
}

# Runs a command of DevTools, which can set the window's size and the user's
# preferences.
sub devtools {
  my ($command, $parameters) = @_;
  in_session('POST', '/goog/cdp/execute',
             {cmd => $command, params => $parameters});
}

# Sets the user's preferences, given as pairs such as ('prefers-color-scheme',
# 'dark').
sub prefer {
  my %features = @_;
  devtools('Emulation.setEmulatedMedia', {features =>
    [map { {name => $_, value => $features{$_}} } sort keys %features]});
}

# Starts the server and the browser, and loads what is in the folder.
sub open_browser {
  $port = start("$work/server.log", qr/ port (\d+) /, qw(python3 -u -m
    http.server 0 --bind 127.0.0.1 --directory), "$dist/wasm");
  $driver = 'http://127.0.0.1:' . start("$work/driver.log",
    qr/successfully on port (\d+)/, qw(/usr/bin/chromedriver --port=0));
  my $created = command('POST', '/session', {capabilities => {alwaysMatch => {
    'goog:loggingPrefs' => {browser => 'ALL'},
    timeouts => {script => 1000 * $patience},
    'goog:chromeOptions' => {
      # The sandbox is off, since root cannot have one. The page is our own.
      args => [qw(--headless=new --no-sandbox --disable-dev-shm-usage)],
      prefs => {'download.default_directory' => $work}}}}});
  $session = "/session/$created->{sessionId}";
  prefer('prefers-reduced-motion', 'reduce');
  in_session('POST', '/url', {url => "http://127.0.0.1:$port/"});
}

# The same, and waits for the page.
sub open_page {
  open_browser();
  my ($sqlite) =
    read_file('ext/packaging/wasm/build') =~ /tests\/tools\/sqlite --source (\S+)\)/
    or die "the build of the page names no version of SQLite\n";
  like(wait_for('version', qr/./),
       qr/^bloom \d+\.\d+\.\d+, SQLite \Q$sqlite\E\.$/,
       'SQLite and the extension are there');
  wait_for('answer', qr/./);
  is(shown('status'), '', 'and it says no longer that they are being loaded');
}

# Loads the page again, and waits for it.
sub reload {
  in_session('POST', '/refresh', {});
  wait_for('answer', qr/./);
}

# The names of the files that the page has requested.
sub requested { return read_file("$work/server.log") =~ m{"GET /(\S*) HTTP}g }

# Types a character with the Control key held.
sub type_control {
  my ($character) = @_;
  in_session('POST', '/actions', {actions => [{type => 'key', id => 'keys',
    actions => [map { {type => $_->[0], value => $_->[1]} } ['keyDown', "\x{e009}"],
      ['keyDown', $character], ['keyUp', $character], ['keyUp', "\x{e009}"]]}]});
}

# Checks at the end that nothing was requested except the page's own files, that
# all of these exist, and that the console is empty.
sub close_page {
  my @asked = read_file("$work/server.log") =~ /"([A-Z]+ \S+) HTTP\S+ (\d+)/g;
  my %asked = @asked;
  is(join(' ', grep { !m{^GET /[\w.-]*$} || $asked{$_} !~ /^(?:200|304)$/ }
           sort keys %asked), '', 'the server was asked for its files, no more');
  my $log = in_session('POST', '/se/log', {type => 'browser'});
  is(join("\n", map { $_->{message} } @$log), '', 'no word on the console');
}

# ---- Using the page

sub script {
  my ($body, @arguments) = @_;
  return in_session('POST', '/execute/sync',
                    {script => $body, args => \@arguments});
}

# Returns WebDriver's name of the element with this id.
sub element {
  my ($id) = @_;
  return (values %{in_session('POST', '/element',
                              {using => 'css selector', value => "#$id"})})[0];
}

sub type_into {
  my ($id, $text) = @_;
  in_session('POST', '/element/' . element($id) . '/value', {text => $text});
}

sub click { in_session('POST', '/element/' . element(shift) . '/click', {}) }

# Returns the text that the element with this id shows, '' if it is hidden.
sub shown { return in_session('GET', '/element/' . element(shift) . '/text') }

# Sets a control's value and sends the events of a user who has changed it.
sub choose {
  my ($id, $value) = @_;
  script(<<'END', $id, $value);
    const control = document.getElementById(arguments[0]);
    control.value = arguments[1];
    for (const name of ['input', 'change']) control.dispatchEvent(new Event(name));
END
}

# Waits until the element with this id shows a text that matches. Returns the
# text that it shows in the end.
sub wait_for {
  my ($id, $pattern) = @_;
  my $text = '';
  my $until = time + $patience;
  while (time < $until) {
    $text = shown($id);
    last if $text =~ $pattern;
    select undef, undef, undef, 0.05;
  }
  return $text;
}

# Waits until an expression is true. Returns whether it has become true in time.
sub wait_until {
  my ($expression) = @_;
  my $until = time + $patience;
  while (time < $until) {
    return 1 if script("return Boolean($expression)");
    select undef, undef, undef, 0.05;
  }
  return 0;
}

# Gives the window this size, and waits until the page has been told and has drawn itself
# again, which happens before the second frame.
sub window {
  my ($width, $height) = @_;
  devtools('Emulation.setDeviceMetricsOverride', {width => $width,
    height => $height, deviceScaleFactor => 1, mobile => JSON::PP::false});
  script('return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

# Returns whether the element that a selector finds is within the window.
sub in_sight {
  return script(<<'END', @_);
    const {top, bottom} = document.querySelector(arguments[0]).getBoundingClientRect();
    return top > -1 && bottom < innerHeight + 1;
END
}

# Returns whether nothing is wider than the window.
sub no_overflow {
  return script('const {scrollWidth, clientWidth} = document.documentElement;'
                . 'return scrollWidth <= clientWidth');
}

1;
