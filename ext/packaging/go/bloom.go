// Package bloom gives SQLite's connections LevelDB's Bloom filter, hash and
// CRC-32C. It is linked to the SQLite of a driver that uses cgo, such as
// github.com/mattn/go-sqlite3.
package bloom

/*
#cgo CFLAGS: -DSQLITE_CORE -I${SRCDIR}
#cgo !windows LDFLAGS: -lm
#include <bloom.h>
*/
import "C"

// Auto gives the functions to every connection that is opened from now on. It
// panics if SQLite is out of memory.
func Auto() {
	if C.sqlite3_auto_extension((*[0]byte)(C.sqlite3_bloom_init)) != C.SQLITE_OK {
		panic("bloom: SQLite is out of memory")
	}
}

// Cancel ends Auto for connections that are opened from now on.
func Cancel() {
	C.sqlite3_cancel_auto_extension((*[0]byte)(C.sqlite3_bloom_init))
}
