#!/bin/bash -eu
# Builds the fuzzers as OSS-Fuzz asks for: from the sources in $SRC/bloom, by its
# compilers and flags, with whatever engine it links in, into $OUT, each beside
# its first inputs, FUZZER_seed_corpus.zip. SQLite is linked statically, since
# the image that runs them has none.
cd "$SRC/bloom"
read -ra flags <<< "$CFLAGS -std=c11 -DSQLITE_CORE -Iext -Itests"
read -ra link <<< "$CXXFLAGS $LIB_FUZZING_ENGINE"

for fuzzer in core sql; do
  sources=(tests/fuzz/$fuzzer.c ext/core/*.c)
  libraries=(-lm)
  if [ $fuzzer = sql ]; then
    mapfile -t sources < <(find tests/fuzz/sql.c ext -maxdepth 2 -name '*.c' \
      -not -path 'ext/tools/*')
    libraries=(-l:libsqlite3.a -lpthread -ldl -lm)
  fi
  objects=()
  for source in "${sources[@]}"; do
    object=$WORK/$fuzzer-${source//\//-}.o
    "$CC" "${flags[@]}" -c -o "$object" "$source"
    objects+=("$object")
  done
  "$CXX" "${link[@]}" -o "$OUT/$fuzzer" "${objects[@]}" "${libraries[@]}"
  rm -f "$OUT/${fuzzer}_seed_corpus.zip"
  zip -qj "$OUT/${fuzzer}_seed_corpus.zip" tests/fuzz/corpus/$fuzzer/*
done
