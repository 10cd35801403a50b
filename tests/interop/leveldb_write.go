// Writes a LevelDB database with goleveldb, with a filter, and prints the keys
// and values that it then has, in hexadecimal:
//
//	leveldb_write FOLDER KEYS
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/syndtr/goleveldb/leveldb"
	"github.com/syndtr/goleveldb/leveldb/filter"
	"github.com/syndtr/goleveldb/leveldb/opt"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	keys, err := strconv.Atoi(os.Args[2])
	check(err)
	db, err := leveldb.OpenFile(os.Args[1], &opt.Options{
		Filter:      filter.NewBloomFilter(10),
		WriteBuffer: 20000,
		BlockSize:   1024,
	})
	check(err)
	key := func(i int) []byte { return []byte(fmt.Sprintf("key %06d", i)) }
	for i := 0; i < keys; i++ {
		check(db.Put(key(i), []byte(fmt.Sprint("value ", i)), nil))
	}
	batch := new(leveldb.Batch)
	for i := 0; i < keys; i += 10 {
		batch.Put(key(i), []byte("again"))
		batch.Delete(key(i + 3))
	}
	check(db.Write(batch, nil))
	all := db.NewIterator(nil, nil)
	for all.Next() {
		fmt.Printf("%X|%X\n", all.Key(), all.Value())
	}
	all.Release()
	check(all.Error())
	check(db.Close())
}
