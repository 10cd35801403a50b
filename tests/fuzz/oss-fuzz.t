#!/bin/bash
# tests/fuzz/oss-fuzz/build.sh in the environment that OSS-Fuzz gives it, once for
# each of its sanitizers and once with an engine other than libFuzzer: it builds
# the fuzzers, which need no library that the runner lacks, take every seed, and
# then run for a moment.
# skip: /usr/bin/clang++
# skip: /usr/bin/zip
# skip: /usr/bin/unzip
. tests/lib/tap.sh
seconds=1
folder=tests/fuzz/oss-fuzz

# build SANITIZER ENGINE FLAGS: into $work/out, from a copy of the sources.
build() {
  rm -rf "$work/src" "$work/out" "$work/work"
  mkdir -p "$work/src/bloom" "$work/out" "$work/work"
  cp -R ext tests "$work/src/bloom/"
  local flags="-O1 -fno-omit-frame-pointer -gline-tables-only \
    -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION $3"
  env -i PATH="$PATH" HOME="$work" SRC="$work/src" OUT="$work/out" \
    WORK="$work/work" CC=clang CXX=clang++ CFLAGS="$flags" CXXFLAGS="$flags" \
    LIB_FUZZING_ENGINE="$2" SANITIZER="$1" ARCHITECTURE="$(uname -m)" \
    bash -eu "$work/src/bloom/$folder/build.sh" > "$work/log" 2>&1
  ok $? "$1: build.sh"
  sed 's/^/# /' "$work/log"
}

# Runs a fuzzer as the runner does: in a folder with nothing else.
run() {
  (cd "$work/out" && env -i PATH="$PATH" "$@") > "$work/log" 2>&1
}

for sanitizer in address undefined; do
  case $sanitizer in
    address) flags='-fsanitize=address -fsanitize-address-use-after-scope' ;;
    undefined) flags='-fsanitize=undefined -fno-sanitize-recover=undefined' ;;
  esac
  build $sanitizer -fsanitize=fuzzer "$flags -fsanitize=fuzzer-no-link"
  for fuzzer in core sql; do
    ! ldd "$work/out/$fuzzer" | grep -q sqlite
    ok $? "$sanitizer: $fuzzer asks for no library of SQLite"
    seeds="$work/out/seeds-$fuzzer"
    mkdir "$seeds"
    unzip -q "$work/out/${fuzzer}_seed_corpus.zip" -d "$seeds"
    diff -r "$seeds" tests/fuzz/corpus/$fuzzer > "$work/log"
    ok $? "$sanitizer: the seeds of $fuzzer"
    run "./$fuzzer" -runs=0 "seeds-$fuzzer"
    ok $? "$sanitizer: $fuzzer takes every seed"
    run "./$fuzzer" -max_total_time="$seconds" -timeout=20 "seeds-$fuzzer"
    status=$?
    ok $status "$sanitizer: $fuzzer, $seconds s"
    [ $status = 0 ] || sed 's/^/# /' "$work/log" >&2
  done
done

# LIB_FUZZING_ENGINE is the engine: here a main function that passes the files of
# its arguments to the fuzzer, without a sanitizer.
cat > "$work/engine.c" <<'END'
#include <stdint.h>
#include <stdio.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
int main(int argc, char **argv) {
  static uint8_t data[1 << 20];
  if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) {
    FILE *in = fopen(argv[i], "rb");
    if (!in) return 1;
    const size_t size = fread(data, 1, sizeof(data), in);
    fclose(in);
    if (LLVMFuzzerTestOneInput(data, size) != 0) return 1;
  }
  printf("%d inputs\n", argc - 1);
  return 0;
}
END
clang -c -o "$work/engine.o" "$work/engine.c"
build none "$work/engine.o" ''
for fuzzer in core sql; do
  seeds=(tests/fuzz/corpus/$fuzzer/*)
  "$work/out/$fuzzer" "${seeds[@]}" > "$work/log" 2>&1
  grep -qx "${#seeds[@]} inputs" "$work/log"
  ok $? "another engine: $fuzzer takes ${#seeds[@]} seeds"
done

# What both files must say.
for key in homepage language primary_contact main_repo; do
  grep -q "^$key: ." $folder/project.yaml
  ok $? "project.yaml: $key"
done
grep -q '^FROM ' $folder/Dockerfile &&
  grep -q "$folder/build.sh \$SRC/build.sh" $folder/Dockerfile
ok $? 'Dockerfile: from an image, with build.sh where it is looked for'
tap_done
