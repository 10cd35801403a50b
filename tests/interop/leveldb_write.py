"""Writes LevelDB databases with plyvel, and prints the keys and values that each
then has, in hexadecimal:

  leveldb_write.py KIND FOLDER

Or prints for how many of these keys Get and the iterator of a folder differ:

  leveldb_write.py differ FOLDER KEY...
"""
import random
import shutil
import sys

import plyvel


def open_db(folder, **options):
    return plyvel.DB(folder, create_if_missing=True, **options)


def levels(folder):
    """Several tables and logs, with old versions and deletions in each."""
    for run in range(3):
        db = open_db(folder, write_buffer_size=1 << 16)
        for i in range(0, 3000, run + 1):
            db.put(b"key %06d" % i, b"value %d " % (i * run) * (i % 20))
        for i in range(run, 3000, 7):
            db.delete(b"key %06d" % i)
        db.close()


def long_keys(folder):
    """Keys of up to 12 KB, half of which compress well."""
    db = open_db(folder)
    rand = random.Random(1)
    for i in range(80):
        size = rand.randrange(12000)
        start = bytes([i]) * size if i % 2 else rand.randbytes(size)
        db.put(start + b"%d" % i, b"value %d" % i)
    db.compact_range()
    db.close()


def restarts(folder):
    """A block with more than 65,535 restarts."""
    db = open_db(folder, block_restart_interval=1, block_size=1 << 22)
    with db.write_batch() as batch:
        for i in range(70000):
            batch.put(b"%d" % i, b"")
    db.compact_range()
    db.close()


def large_writes(folder):
    """In the log: a batch of many writes, and values of several log blocks."""
    db = open_db(folder)
    with db.write_batch() as batch:
        for i in range(20000):
            batch.put(b"%05d" % i, b"value %d" % i)
            if i % 10 == 0:
                batch.delete(b"%05d" % (i // 2))
    for i in range(5):
        db.put(b"large %d" % i, random.Random(i).randbytes(i * 70000))
    db.close()


def reopened(folder):
    """The log is empty after this."""
    for _ in range(2):
        db = open_db(folder)
        db.put(b"key", b"value")
        db.close()
    open_db(folder).close()


def empty(folder):
    open_db(folder).close()


def repaired(folder):
    levels(folder)
    plyvel.repair_db(folder)


def compare(a, b):
    return (a < b) - (a > b)


OWN = {"comparator": compare, "comparator_name": b"test.Own"}


def comparator(folder):
    db = open_db(folder, **OWN)
    for i in range(1000):
        db.put(b"key %d" % i, b"value %d" % i)
    db.compact_range()
    db.close()


def differ(folder, keys):
    copy = folder + ".copy"
    shutil.copytree(folder, copy)
    db = plyvel.DB(copy)
    got = [db.get(key) for key in keys]  # before LevelDB moves the entries
    pairs = dict(db)
    print(sum(pairs.get(key) != value for key, value in zip(keys, got)))
    db.close()
    shutil.rmtree(copy)


def main(kind, folder, *keys):
    if kind == "differ":
        differ(folder, [bytes.fromhex(key) for key in keys])
        return
    kinds = {write.__name__: write for write in (
        levels, long_keys, restarts, large_writes, reopened,
        empty, repaired, comparator)}
    kinds[kind](folder)
    # Opening a folder would move the writes of its log into a table.
    copy = folder + ".copy"
    shutil.copytree(folder, copy)
    db = plyvel.DB(copy, **(OWN if kind == "comparator" else {}))
    for key, value in sorted(db):
        print(f"{key.hex().upper()}|{value.hex().upper()}")
    db.close()
    shutil.rmtree(copy)


main(*sys.argv[1:])
