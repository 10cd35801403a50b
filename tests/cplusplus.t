#!/bin/sh
# A C++ program can use the core: each header compiles alone and without a
# warning, and links with objects that a C compiler made. amalgamation.t has the single
# file.
for cxx in "$CXX" c++ g++ clang++ ''; do
  if [ -n "$cxx" ] && command -v "${cxx%% *}" >/dev/null; then break; fi
done
if [ -z "$cxx" ]; then
  echo '1..0 # skip there is no C++ compiler'
  exit
fi
. tests/lib/tap.sh
strict='-Wall -Wextra -Wconversion -Wshadow -Wpedantic -Werror'

for header in ext/core/*.h; do
  echo "#include \"${header#ext/}\"" |
    $cxx -std=c++11 $strict -Wno-unused -Iext -fsyntax-only -x c++ -
  ok $? "$header is C++"
done

cat > "$work/program.cc" <<'END'
#include "core/bloom.h"
#include "core/coding.h"
#include "core/crc32c.h"
#include "core/crc32c_kernels.h"
#include "core/decimal.h"

int main() {
  const void *keys[] = {"hello", "world"};
  const size_t sizes[] = {5, 5};
  uint8_t filter[9], text[BLOOM_DECIMAL_SIZE], number[4];
  const size_t size = bloom_create_filter(keys, sizes, 2, 10, filter, nullptr);
  bloom_store_fixed32(number, 7);
  return size == sizeof(filter) && bloom_key_may_match("hello", 5, filter, 9) &&
                 !bloom_key_may_match("x", 1, filter, 9) &&
                 bloom_hash("", 0, 7) == 7 &&
                 bloom_crc32c_value("123456789", 9) == 0xe3069283u &&
                 bloom_crc32c_extend_portable(0, "", 0) == 0 &&
                 bloom_crc32c_kernels[0].name != nullptr &&
                 bloom_load_fixed32(number) == 7 &&
                 bloom_decimal(-12, text) == 3 &&
                 text[BLOOM_DECIMAL_SIZE - 3] == '-'
             ? 0
             : 1;
}
END
for source in ext/core/*.c; do
  $cxx -x c -std=c11 -O1 -c "$source" -o "$work/$(basename "$source").o" || exit 1
done
$cxx -std=c++11 $strict -Iext "$work/program.cc" "$work"/*.o -o "$work/program"
ok $? 'a C++ program links with the core'
"$work/program"
ok $? 'and gets the right answers'
tap_done
