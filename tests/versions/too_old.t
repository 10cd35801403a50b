#!/bin/sh
# A SQLite before 3.20 refuses to load the extension, and says why.
echo 1..1
version=$($SQLITE3 --version | cut -d' ' -f1)
got=$($SQLITE3 :memory: ".load $DIST/bloom" 2>&1)
case $got in
  *"bloom needs SQLite 3.20.0 or later, this is $version"*)
    echo "ok 1 - SQLite $version is too old and told so" ;;
  *)
    echo "# $got"
    echo "not ok 1 - SQLite $version is told that it is too old"
    exit 1 ;;
esac
