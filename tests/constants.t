#!/bin/sh
# The constants of the CRC kernels are those that their generator prints.
. tests/lib/tap.sh
ext/tools/crc32c_constants | cmp - ext/core/crc32c_constants.h
ok $? 'ext/core/crc32c_constants.h is what `make constants` gives'
ext/tools/templates | cmp - ext/kept/templates.h
ok $? 'ext/kept/templates.h is what `make templates` gives'
tap_done
