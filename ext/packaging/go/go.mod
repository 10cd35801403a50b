module example.com/sqlite-bloom-leveldb

go 1.19
