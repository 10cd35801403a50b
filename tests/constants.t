#!/bin/sh
# The constants of the CRC kernels are those that their generator prints.
echo 1..1
if "$BUILD/ext/tools/crc32c_constants" | cmp - ext/core/crc32c_constants.h; then
  echo 'ok 1 - ext/core/crc32c_constants.h is what its generator prints'
else
  echo 'not ok 1 - ext/core/crc32c_constants.h is not what `make constants` gives'
  exit 1
fi
