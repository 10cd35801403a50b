#!/usr/bin/python3
"""Damaged folders, and folders with blocks that SQL cannot uncompress.

Flips, cuts and insertions in the folders of five writers: what
sql/leveldb_newest.sql returns without a row of `damage` is what LevelDB returns,
opened on a copy with paranoid checks. Where LevelDB fails or skips, `damage` has
a row. Half of the changes that have a checksum get the right one for it, so that
not only checksums tell.

  tests/interop/leveldb_flips.t [TRIALS [SEED]]
"""
# skip: /usr/include/leveldb/db.h
# skip: /usr/share/gocode/src/github.com/syndtr/goleveldb
# skip: build/interop/node_modules/classic-level
# skip: /usr/lib/python3/dist-packages/plyvel
import os
import pathlib
import pickle
import random
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

import plyvel

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 160
RANDOM = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 53)
BUILD = os.environ.get("BUILD", "build")
EXTENSION = os.environ.get("DIST", "dist") + "/bloom"
SHELL = os.environ.get("SQLITE3", "sqlite3")

core = sqlite3.connect(":memory:")
core.enable_load_extension(True)
core.load_extension(EXTENSION)


def checksum(data):
    return core.execute("SELECT leveldb_fixed32(crc32c_mask(crc32c(?)))",
                        (data,)).fetchone()[0]


def session(*statements):
    script = f".load {EXTENSION}\n" + "\n".join(statements) + "\n"
    run = subprocess.run([SHELL], input=script, capture_output=True, text=True,
                         errors="replace", timeout=300)
    return run.stdout.splitlines() + run.stderr.splitlines()


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def text(data):
    return varint(len(data)) + data


def table(entries, kind=0, compress=bytes, padding=0):
    """A table of these keys (each with its 8 bytes) and values."""
    file = b""

    def block(pairs):
        nonlocal file
        data = compress(b"".join(
            b"\0" + varint(len(key)) + text(value)[:-len(value) or None] + key
            + value for key, value in pairs) + struct.pack("<II", 0, 1))
        handle = varint(len(file)) + varint(len(data))
        data += bytes([kind])
        file += data + checksum(data)
        return handle

    index = [(entries[i:i + 20][-1][0], block(entries[i:i + 20]).ljust(
        padding, b"\0")) for i in range(0, len(entries), 20)]
    footer = block([]) + block(index)
    return file + footer.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db")


def write_own(folder, *options):
    """Two tables, of which the second, which is written with these options, has
    new values and deletions of the first one's keys."""
    folder.mkdir()
    edit = (b"\1" + text(b"leveldb.BytewiseComparator") + b"\2\0\3\7\4"
            + varint(200))
    for number, form in (5, ()), (6, options):
        entries = [(b"key %03d" % i + struct.pack(
            "<Q", (i + 1 + 60 * (number - 5)) << 8 | (number == 5 or i % 3 > 0)),
            b"%d of table %d" % (i, number)) for i in range(60)]
        file = table(entries, *form)
        (folder / f"{number:06}.ldb").write_bytes(file)
        edit += (b"\7\0" + varint(number) + varint(len(file))
                 + text(entries[0][0]) + text(entries[-1][0]))
    (folder / "MANIFEST-000002").write_bytes(
        checksum(b"\1" + edit) + struct.pack("<HB", len(edit), 1) + edit)
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    return folder


def write_folders(work):
    """Small folders of each writer, and one as the Java port writes them."""
    yield write_own(work / "java", 0, bytes, 20)
    writer = f"{BUILD}/interop/leveldb_write"
    subprocess.run(["make", "-s", f"BUILD={BUILD}", writer], check=True)
    go = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode"}
    for name, command in (
            ("snappy", [writer, work / "snappy", "80", "1024", "snappy", "10"]),
            ("plain", [writer, work / "plain", "40", "1024", "none", "10"]),
            ("go", ["go", "run", "tests/interop/leveldb_write.go", work / "go",
                    "300"]),
            ("js", ["node", "tests/interop/leveldb_write.js", work / "js",
                    "60"])):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | go)
        yield work / name
    for run in range(3):
        db = plyvel.DB(str(work / "py"), create_if_missing=True)
        for i in range(run, 60, run + 1):
            db.put(b"key %d" % i, b"value %d" % (i * run))
        for i in range(0, 60, 7 + run):
            db.delete(b"key %d" % i)
        db.put(b"long", RANDOM.randbytes(40000 * run))
        db.close()
    yield work / "py"


def parts(path):
    """Where a file's blocks or records, with their checksums, are."""
    if path.suffix in (".ldb", ".sst"):
        reader, insert, table = "table", "", "block"
    else:
        kind = "'batch'," if path.suffix == ".log" else "'edit',"
        reader, insert, table = "log", kind, "record"
    return [tuple(map(int, line.split("|"))) for line in session(
        f".read sql/leveldb_read_{reader}.sql",
        f"INSERT INTO read_{reader} VALUES ({insert} readfile('{path}'));",
        f"SELECT offset, size FROM {table} WHERE size > 0;")]


def flip(data, start, end):
    at = RANDOM.randrange(start, end)
    data[at] ^= 1 << RANDOM.randrange(8)
    return f"bit of byte {at}"


def change(path, places):
    """Changes a file, and says how."""
    data = bytearray(path.read_bytes())
    if places and RANDOM.random() < 0.5:
        offset, size = RANDOM.choice(places)
        if path.suffix in (".ldb", ".sst"):
            what = flip(data, offset, offset + size + 1)
            data[offset + size + 1:offset + size + 5] = checksum(
                bytes(data[offset:offset + size + 1]))
        else:
            what = flip(data, offset + 6, offset + 7 + size)
            data[offset:offset + 4] = checksum(
                bytes(data[offset + 6:offset + 7 + size]))
        what += ", with its checksum"
    else:
        kind = RANDOM.choice(("flip", "cut", "truncate", "insert", "zeros"))
        at = RANDOM.randrange(len(data))
        size = RANDOM.choice((1, 2, 7, 40, 5000))
        if kind == "flip":
            what = flip(data, 0, len(data))
        elif kind == "truncate":
            del data[at:]
            what = f"only {at} bytes"
        elif kind == "cut":
            del data[at:at + size]
            what = f"without {size} bytes from {at}"
        elif kind == "insert":
            data[at:at] = RANDOM.randbytes(size)
            what = f"{size} bytes inserted at {at}"
        else:
            data[at:at + size] = bytes(size)
            what = f"{size} zeros at {at}"
    path.write_bytes(data)
    return f"{path.parent.name}, {path.name}: {what}"


def leveldb(folder, paranoid=True):
    """What LevelDB reads, or its error. It may crash, so it has a process."""
    copy = folder.with_name("leveldb")
    shutil.copytree(folder, copy)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            db = plyvel.DB(str(copy), paranoid_checks=paranoid)
            answer = list(db.iterator(verify_checksums=True))
        except Exception as error:
            answer = str(error)
        with os.fdopen(write, "wb") as pipe:
            pickle.dump(answer, pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    shutil.rmtree(copy)
    return pickle.loads(printed) if printed else "it crashed"


RECIPE = pathlib.Path("sql/leveldb_newest.sql").read_text()


def recipe(folder, inflated="NULL"):
    """What the recipe says of damage, and the keys and values it reads."""
    lines = session(
        f".parameter init\n.parameter set :folder '{folder}'\n"
        f".parameter set :inflated {inflated}",
        RECIPE.replace(".load dist/bloom\n", ""), ".print rows",
        "SELECT * FROM damage;",
        "SELECT 'pair', hex(key), hex(value) FROM newest ORDER BY key;")
    start = lines.index("rows")
    damage = [line for line in lines[start + 1:] if line[:5] != "pair|"]
    damage += [line for line in lines[:start] if line.startswith("the compar")]
    return damage, [tuple(map(bytes.fromhex, line.split("|")[1:]))
                    for line in lines[start:] if line.startswith("pair|")]


OK = 0


def ok(right, name, *more):
    global OK
    OK += 1
    print("ok" if right else "not ok", OK, "-", name)
    for line in () if right else more:
        print("#", str(line)[:400])


def corruption_tests(work):
    """LevelDB's own tests (db/corruption_test.cc), by their names: where the bits
    flip, what the damage is, and how many of 100 keys are left."""
    for name, compacted, pattern, places, what, least, most in (
            ("Recovery, one byte", 0, "*.log", [19], "checksum", 68, 68),
            ("Recovery", 0, "*.log", [19, 33768], "checksum", 36, 36),
            ("TableFile", 1, "*.ldb", [100], "data block", 90, 99),
            ("TableFileIndexData", 1, "*.ldb", range(-200, -100), "index", 0, 0),
            ("MissingDescriptor", 1, "MANIFEST*", None, "CURRENT|0|it names", 0,
             0),
            ("CorruptedDescriptor", 1, "MANIFEST*", range(50), "MANIFEST-", 0,
             0)):
        folder = work / name
        db = plyvel.DB(str(folder), create_if_missing=True)
        for i in range(100):
            db.put(b"%016d" % i, RANDOM.randbytes(500) + bytes(500))
        if compacted:
            db.compact_range()
        db.close()
        (path,) = [path for path in folder.glob(pattern) if path.stat().st_size]
        data = bytearray(path.read_bytes())
        for place in places or ():
            data[place] ^= 0x80
        path.write_bytes(data)
        if places is None:
            path.unlink()
        (damage, pairs), read = recipe(folder), leveldb(folder)
        ok(least <= len(pairs) <= most and damage and what in damage[0]
           and (read == pairs or isinstance(read, str)), name, damage, read)
        if pattern == "*.log":
            ok(leveldb(folder, False) == pairs, name + ": LevelDB reads the same")
            continue
        plyvel.repair_db(str(folder), paranoid_checks=True)
        damage, after = recipe(folder)
        ok(not damage and after == leveldb(folder) and len(after) == (
            100 if pattern != "*.ldb" else len(pairs)),
           name + ": LevelDB's repair keeps what the recipe read", damage)


def zstd(data, function="zstdCompressSync"):
    return subprocess.run(["node", "-e", "process.stdout.write(require('zlib')."
                           f"{function}(require('fs').readFileSync(0)))"],
                          input=data, capture_output=True, check=True).stdout


def raw_deflate(data):
    deflate = zlib.compressobj(wbits=-15)
    return deflate.compress(data) + deflate.flush()


def inflate_tests(work):
    """Blocks that LevelDB 1.23 cannot read either: it reads their twins."""
    whole = write_own(work / "whole")
    expected = leveldb(whole)
    readme = pathlib.Path("sql/README.md").read_text()
    program = re.search(r"```python\n(import sqlite3, zlib\n.*?)```", readme,
                        re.S)[1]
    zstd_program = program.replace("zlib.decompress(stored,", "zstd(stored,")
    for name, kind, compress in (("zlib", 2, zlib.compress),
                                 ("raw deflate", 4, raw_deflate),
                                 ("zstd", 2, zstd)):
        folder, blocks = write_own(work / name, kind, compress), f"{name}.db"
        for step in "index", "data":
            damage, pairs = recipe(folder, f"'{work / blocks}'")
            ok(damage and all(f": {name}, probably" in row for row in damage)
               and f"|{step} block" in damage[-1] and pairs != expected,
               f"{name}: each block that is left out is damage", damage)
            names = {"zstd": lambda stored, _: zstd(stored, "zstdDecompressSync")}
            exec((zstd_program if name == "zstd" else program).replace(
                "blocks.db", str(work / blocks)), names)
            names["db"].close()
        ok(recipe(folder, f"'{work / blocks}'") == ([], expected),
           f"{name}: inflated, the recipe reads what LevelDB reads of the same")


def main():
    counts = dict.fromkeys(("right", "damage", "damage, all read", "wrong"), 0)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        corruption_tests(work)
        inflate_tests(work)
        folders = list(write_folders(work))
        files = {folder: {
            path: [] if path.name == "CURRENT" else parts(path)
            for path in folder.iterdir()
            if path.stat().st_size and not path.name.startswith("LO")}
            for folder in folders}
        for folder in folders:
            damage, pairs = recipe(folder)
            if damage or pairs != leveldb(folder):
                counts["wrong"] += 1
                print(f"# {folder.name}: whole, and {damage}")
        for trial in range(TRIALS):
            folder = folders[trial % len(folders)]
            path = RANDOM.choice(sorted(files[folder]))
            whole = path.read_bytes()
            what = change(path, files[folder][path])
            expected, (damage, pairs) = leveldb(folder), recipe(folder)
            if damage:
                result = ("damage" if isinstance(expected, str)
                          else "damage, all read")
            elif pairs == expected:
                result = "right"
            else:
                result = "wrong"
                print(f"# {what}: LevelDB {str(expected)[:100]}, and "
                      f"{len(pairs)} keys without damage")
            counts[result] += 1
            path.write_bytes(whole)
    print("#", ", ".join(f"{what}: {n}" for what, n in counts.items()))
    ok(not counts["wrong"], "no change is missed")
    ok(min(counts["right"], counts["damage"]) > TRIALS / 20,
       "some leave all as it was, and some do not")
    print(f"1..{OK}")


main()
