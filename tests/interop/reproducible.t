#!/bin/sh
# The archive of the sources is enough to make all that `make dist` makes, with the same
# bytes in any folder.
. tests/lib/tap.sh
dist=${DIST:-dist}
version=$(sed -n 's/.*BLOOM_VERSION "\(.*\)"/\1/p' ext/version.h)
umask 077
tar -xzf "$dist/bloom-$version.tar.gz" -C "$work" --strip-components=1 --no-same-permissions
env -i PATH="$PATH" HOME="$HOME" make -s -C "$work" dist >/dev/null
diff "$dist/SHA256SUMS" "$work/dist/SHA256SUMS"
ok $? 'make dist of the sources elsewhere, under umask 077: the same bytes'
[ -z "$(find "$work/dist" -type f ! -perm 644)" ]
ok $? 'and modes'
tap_done
