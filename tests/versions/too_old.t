#!/bin/sh
# The extension refuses a SQLite before 3.26 and says why.
echo 1..1
version=$($SQLITE3 --version | cut -d' ' -f1)
got=$($SQLITE3 :memory: ".load $DIST/bloom" 2>&1)
case $got in
  *"bloom needs SQLite 3.26.0 or later, this is $version"*)
    echo "ok 1 - SQLite $version is refused, with a message" ;;
  *)
    echo "# $got"
    echo "not ok 1 - SQLite $version is refused, with a message"
    exit 1 ;;
esac
