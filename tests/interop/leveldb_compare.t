#!/bin/sh
# skip: /usr/include/leveldb/filter_policy.h
make -s BUILD="$BUILD" "$BUILD/interop/leveldb_compare" >&2 &&
  exec "$BUILD/interop/leveldb_compare"
