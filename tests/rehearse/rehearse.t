#!/bin/sh
# A rehearsal of a release: each package that `make dist` makes is published, by
# ext/packaging/publish and so by its registry's own client, to a registry on
# 127.0.0.1, and installed from there by its name into an empty folder, as its page
# says. Then the first example of that page runs.
# skip: build/interop/registry/node_modules/verdaccio
# skip: build/interop/python/checkers
# skip: /usr/bin/cargo
# skip: /usr/bin/go
# skip: /usr/bin/gem
. tests/lib/tap.sh
here=$PWD
dist=$(realpath "${DIST:-dist}")
build=$(realpath "${BUILD:-build}")
version=$(sed -n 's/^#define BLOOM_VERSION "\(.*\)"/\1/p' ext/version.h)
name=sqlite-bloom-leveldb
packaging=$here/ext/packaging
publish="$packaging/publish $dist"

# The clients have no home but $work, and no registry but ours.
unset NODE_PATH PYTHONPATH GOFLAGS DIST BUILD CC MAKEFLAGS MFLAGS MAKELEVEL
for word in $(env | sed -n 's/^\([A-Za-z_]*_proxy\|[A-Z]*_PROXY\|npm_config_[^=]*\|PIP_[^=]*\)=.*/\1/p'); do
  unset "$word"
done
export HOME="$work/home" PATH="$here/build/interop/bin:/usr/bin:$PATH"
export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1 NO_COLOR=1
mkdir "$HOME" "$work/registry"

# ---- Two registries, which end when this does

mkfifo "$work/open"
tests/rehearse/registry.py "$work/registry" <"$work/open" >"$work/address" &
registry=$!
exec 9>"$work/open"
cat >"$work/verdaccio.yaml" <<END
storage: $work/verdaccio
packages:
  '**': { access: \$all, publish: \$all }
log: { type: stdout, level: fatal }
END
port=$(node -e 'const server = require("net").createServer();
  server.listen(0, "127.0.0.1", () => {
    console.log(server.address().port); server.close(); });')
node build/interop/registry/node_modules/verdaccio/bin/verdaccio \
  --config "$work/verdaccio.yaml" --listen "127.0.0.1:$port" \
  >"$work/verdaccio.log" 2>&1 9>&- &
verdaccio=$!
trap 'kill $registry $verdaccio 2>"$work/log"; wait; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
npm=http://127.0.0.1:$port
for try in $(seq 100); do
  test -s "$work/address" && node -e "fetch('$npm/-/ping').catch(() =>
    process.exit(1))" && break
  sleep 0.2
done
address=$(cat "$work/address")

# step NAME COMMAND: runs a command in the folder $work/client.
step() {
  (cd "$work/client" && eval "$2") >"$work/log" 2>&1 9>&-
  status=$?
  test $status = 0 || sed 's/^/# /' "$work/log" >&2
  ok $status "$1"
}

# An empty folder for the next client.
client() {
  rm -rf "$work/client"
  mkdir "$work/client"
}

# install PACKAGE: the command of its page that installs by the name.
install() {
  sed -n '/^Once it is published/,$s/^    //p' "$packaging/$1/README.md" | head -n 1
}

# example PACKAGE LANGUAGE: the first example of its page.
example() {
  awk -v mark="\`\`\`$2" '$0 == "```" && on { exit } on { print }
    $0 == mark { on = 1 }' "$packaging/$1/README.md"
}

# prints NAME COMMAND TEXT: what the example must print.
prints() {
  (cd "$work/client" && eval "$2") >"$work/printed" 2>"$work/log" 9>&-
  test "$(cat "$work/printed")" = "$3"
  status=$?
  test $status = 0 || sed 's/^/# /' "$work/printed" "$work/log" >&2
  ok $status "$1"
}

# ---- npm

client
printf '%s\n' "registry=$npm" "//127.0.0.1:$port/:_authToken=any" >"$HOME/.npmrc"
step 'npm publish' "$publish npm"
step 'npm install' "npm init -y && $(install npm)"
example npm js >"$work/client/example.js"
prints 'npm: the example' 'node example.js' '1 0'

# ---- Python: this machine's wheel, one for another machine, and the sources

client
step 'twine upload' "PYTHONPATH='$here/build/interop/python/checkers' \
  TWINE_USERNAME=any TWINE_PASSWORD=any TWINE_REPOSITORY_URL=$address/pypi/ \
  $publish pypi"
export PIP_INDEX_URL="$address/simple/"
step 'pip install' "/usr/bin/python3 -m venv env && env/bin/$(install python)"
example python python >"$work/client/example.py"
prints 'pip: the example' 'env/bin/python example.py' '(1, 0)'
for platform in manylinux2014_x86_64 manylinux_2_17_aarch64 musllinux_1_2_x86_64 \
  macosx_11_0_universal2 win_amd64; do
  step "pip download for $platform" "env/bin/pip download --no-deps \
    --only-binary=:all: --platform $platform $name"
done
step 'pip install of the sources' "env/bin/pip uninstall -y $name && \
  env/bin/pip install --no-binary=:all: $name"
prints 'pip: the example with what was built' 'env/bin/python example.py' '(1, 0)'

# ---- Ruby

client
step 'gem push' "GEM_HOST_API_KEY=any RUBYGEMS_HOST=$address $publish gem"
export GEM_HOME="$work/client/gems"
step 'gem install' "$(install ruby) --no-document --clear-sources --source $address/"
example ruby ruby >"$work/client/example.rb"
prints 'gem: the example' 'ruby example.rb' '[[1, 0]]'

# ---- Rust. Debian's crates stand for the rest of the registry.

client
mkdir "$HOME/.cargo"
cat >"$HOME/.cargo/config.toml" <<END
[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
[registry]
default = "here"
[registries.here]
token = "any"
index = "file://$work/registry/index"
END
export CARGO_HOME="$HOME/.cargo" CARGO_TARGET_DIR="$build/interop/rust"
export CARGO_PROFILE_DEV_DEBUG=0
step 'cargo publish' "$publish crate"
step 'cargo add' "/usr/bin/cargo init --name app --vcs none && \
  echo 'rusqlite = \"*\"' >>Cargo.toml && /usr/bin/$(install rust) --registry here"
example rust rust >"$work/client/src/main.rs"
prints 'cargo: the example' '/usr/bin/cargo run --quiet' '1
0'

# ---- Go: the tag's folder is the module's, and the files of dist/go are what a proxy
# makes of it. Debian has the driver.

client
git init --quiet --bare "$work/forge.git"
git init --quiet --bare "$work/clone.git"
git -C "$work/clone.git" remote add origin "$work/forge.git"
step 'git push' "GIT_DIR=$work/clone.git $publish go && mkdir tag zip && \
  git -C $work/forge.git archive go/v$version | tar -C tag -xf - && \
  unzip -q \$(find '$dist/go' -name '*.zip') -d zip && \
  diff -r tag/go zip/*/*/go@v$version"
cp -R "$dist/go" "$work/registry/"
module=$(find "$dist/go" -name '*.mod' -exec sed -n 's/^module //p' {} +)
driver=github.com/mattn/go-sqlite3
export GOPROXY="$address/go" GOSUMDB=off GOFLAGS=-modcacherw
export GOPATH="$work/client/go" GOCACHE="$build/interop/go"
step 'go get' "/usr/bin/go mod init app && /usr/bin/go mod edit \
  -require=$driver@v0.0.0 -replace=$driver=/usr/share/gocode/src/$driver && \
  /usr/bin/$(install go | sed "s|GO_MODULE|$module|") && \
  test -s go/pkg/mod/$module@v$version/bloom.c"
example go go | sed "s|GO_MODULE|$module|" >"$work/client/main.go"
prints 'go: the example' '/usr/bin/go run .' '1 0 <nil>'

# ---- Debian: a repository of the binary and the source package

client
mkdir "$work/registry/debian"
cp "$dist"/libsqlite3-mod-bloom_* "$work/registry/debian/"
(cd "$work/registry" && dpkg-scanpackages -m debian >debian/Packages &&
  dpkg-scansources debian >debian/Sources) 2>"$work/log"
root=$work/client/root
lib=$root/var/lib
mkdir -p "$lib/dpkg/updates" "$lib/dpkg/info"
touch "$lib/dpkg/status" "$lib/dpkg/available"
outer=$work
work=$outer/apt
mkdir "$work"
. tests/lib/apt.sh
work=$outer
for type in deb deb-src; do
  echo "$type [trusted=yes] $address debian/"
done >"$work/apt/sources/here.list"
step 'apt-get update' 'apt-get update'
step 'apt-get install' "apt-get install -y -o DPkg::Options::=--root=$root \
  -o DPkg::Options::=--force-depends -o Dir::Log=$work/apt libsqlite3-mod-bloom"
prints 'apt-get: .load bloom' "LD_LIBRARY_PATH=\$(dirname root/usr/lib/*/bloom.so) \
  sqlite3 -init /dev/null :memory: '.load bloom' 'SELECT bloom_version()'" "$version"
step 'apt-get source' 'apt-get source libsqlite3-mod-bloom'
step 'dpkg-buildpackage' "cd libsqlite3-mod-bloom-$version && \
  dpkg-buildpackage -b -uc -us -nc"
prints 'dpkg-buildpackage: .load bloom' "dpkg-deb -x \
  libsqlite3-mod-bloom_$version-1_\$(dpkg --print-architecture).deb built && \
  LD_LIBRARY_PATH=\$(dirname built/usr/lib/*/bloom.so) sqlite3 -init /dev/null \
  :memory: '.load bloom' 'SELECT bloom_version()'" "$version"
prints 'dpkg-buildpackage: the files that make dist packs' "for of in root built; do \
  (cd \$of/usr && find . -type f) | sort >\$of.files; done; diff root.files built.files" ''

# ---- Nothing is left

exec 9>&-
wait $registry
ok $? 'the registry ends with its input'
kill $verdaccio
wait $verdaccio 2>"$work/log"
status=$?
test $status = 143
ok $? "verdaccio ends when it is told to: $status"
tap_done
