#!/usr/bin/python3
"""Damaged LevelDB folders, and folders with blocks that LevelDB does not compress so.

Flips, cuts and insertions in the folders of five writers, half of the changes within
a checksum's bytes with the right one for it. What sql/leveldb_newest.sql returns
without a row of `damage` is what LevelDB returns, opened on a copy with paranoid
checks. If each row's effect is `none`, LevelDB's iterator and its Get of each key,
without these checks, return it, and so they do each row that is in no doubt. An
effect is `refusal` exactly if LevelDB does not open the folder.

  tests/interop/leveldb_flips.t [TRIALS [SEED]]
"""
# skip: /usr/include/leveldb/db.h
# skip: /usr/share/gocode/src/github.com/syndtr/goleveldb
# skip: build/interop/node_modules/classic-level
# skip: /usr/lib/python3/dist-packages/plyvel
# skip: /usr/share/java/leveldb.jar
import collections
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
import warnings
import zlib

import plyvel

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 160
RANDOM = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 53)
BUILD = os.environ.get("BUILD", "build")
EXTENSION = os.environ.get("DIST", "dist") + "/bloom"
RECIPE = pathlib.Path("sql/leveldb_newest.sql").read_text()
TESTS = 0
crc = sqlite3.connect(":memory:")
crc.enable_load_extension(True)
crc.load_extension(EXTENSION)


def ok(right, name, *more):
    global TESTS
    TESTS += 1
    print("ok" if right else "not ok", TESTS, "-", name)
    for line in () if right else more:
        print("#", str(line)[:400])


def checksum(data):
    return crc.execute("SELECT leveldb_fixed32(crc32c_mask(crc32c(?)))",
                       (bytes(data),)).fetchone()[0]


def session(*statements):
    script = f".load {EXTENSION}\n" + "\n".join(statements) + "\n"
    run = subprocess.run([os.environ.get("SQLITE3", "sqlite3")], input=script,
                         capture_output=True, text=True, errors="replace")
    return run.stdout.splitlines() + run.stderr.splitlines()


def recipe(folder):
    """What the recipe says of damage, and the keys and values that it reads, each
    with whether it is in doubt."""
    lines = session(
        f".parameter init\n.parameter set :folder '{folder}'",
        RECIPE.replace(".load dist/bloom\n", ""),
        ".print rows\nSELECT name, offset, what, effect FROM damage;",
        "SELECT 'pair', hex(key), hex(value), doubt FROM newest ORDER BY key;")
    start = lines.index("rows")
    rows = [line.split("|")[1:] for line in lines[start:] if line[:5] == "pair|"]
    return ([line for line in lines[start + 1:] if line[:5] != "pair|"]
            + [line + "|refusal" for line in lines[:start]
               if line.startswith("the comparator")],
            [(bytes.fromhex(key), bytes.fromhex(value)) for key, value, _ in rows],
            {bytes.fromhex(key) for key, _, doubt in rows if doubt == "1"})


def leveldb(folder, paranoid=True, keys=()):
    """What LevelDB reads, or its error, and what it gets by each of these keys. It
    may crash, so it has a process."""
    copy = folder.with_name("leveldb")
    shutil.copytree(folder, copy)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        answer, found = "it does not open", {}
        try:
            db = plyvel.DB(str(copy), paranoid_checks=paranoid,
                           bloom_filter_bits=10)
            answer = "it does not read"
            for key in keys:
                try:
                    found[key] = db.get(key, verify_checksums=True)
                except Exception as error:
                    found[key] = str(error)
            answer = list(db.iterator(verify_checksums=True))
        except Exception as error:
            answer += f": {error}"
        with os.fdopen(write, "wb") as pipe:
            pickle.dump((answer, found), pipe)
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        printed = pipe.read()
    os.waitpid(child, 0)
    shutil.rmtree(copy)
    return pickle.loads(printed) if printed else ("it crashed", {})


def corruption_tests(work):
    """LevelDB's own tests (db/corruption_test.cc), by their names: which bytes
    are wrong, what the damage is, and how many of 100 keys are left. Where LevelDB has
    none left, the recipe has all, in doubt."""
    for name, pattern, places, what, least, most in (
            ("Recovery, one byte", "*.log", [19], "checksum", 68, 68),
            ("Recovery", "*.log", [19, 33768], "checksum", 36, 36),
            ("TableFile", "*.ldb", [100], "data block", 90, 99),
            ("TableFileIndexData", "*.ldb", range(-200, -99), "index", 100, 100),
            ("MissingDescriptor", "MANIFEST*", None, "CURRENT|0|it na", 100, 100),
            ("CorruptedDescriptor", "MANIFEST*", range(50), "MANIFEST", 100, 100)):
        folder = work / name
        db = plyvel.DB(str(folder), create_if_missing=True)
        for i in range(100):
            db.put(b"%016d" % i, RANDOM.randbytes(500) + bytes(500))
        if pattern != "*.log":
            db.compact_range()
        db.close()
        (path,) = (path for path in folder.glob(pattern) if path.stat().st_size)
        data = bytearray(path.read_bytes())
        for place in places or ():
            data[place] ^= 0x80
        path.write_bytes(data) if places else path.unlink()
        (damage, pairs, doubted), (read, _) = recipe(folder), leveldb(folder)
        ok(least <= len(pairs) <= most and damage and what in damage[0]
           and (read in (pairs, []) or isinstance(read, str))
           and (least < 100 or len(doubted) == 100), name, damage, read)
        if pattern != "*.log":
            plyvel.repair_db(str(folder), paranoid_checks=True)
            if pattern != "*.ldb":
                damage, pairs, _ = recipe(folder)
                ok(not damage and len(pairs) == 100, f"{name}, repaired", damage)
        if "Index" not in name:
            ok(leveldb(folder, False)[0] == pairs, f"{name}: LevelDB reads as much")


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def text(data):
    return varint(len(data)) + data


def table(entries, kind=0, compress=bytes):
    """A table of these keys (each with its 8 bytes) and values, whose blocks have
    a type, and are compressed."""
    file = b""

    def block(pairs):
        nonlocal file
        data = compress(b"".join(
            b"\0" + varint(len(key)) + varint(len(value)) + key + value
            for key, value in pairs) + struct.pack("<II", 0, 1))
        handle = varint(len(file)) + varint(len(data))
        data += bytes([kind])
        file += data + checksum(data)
        return handle

    index = [(entries[i + 19][0], block(entries[i:i + 20]))
             for i in range(0, len(entries), 20)]
    footer = block([]) + block(index)
    return file + footer.ljust(40, b"\0") + bytes.fromhex("57fb808b247547db")


def write_own(folder, *options):
    """Two tables, of which the second, which is written with these options, has
    new values and deletions of the first one's keys."""
    folder.mkdir()
    edit = (b"\1" + text(b"leveldb.BytewiseComparator") + b"\2\0\3\7\4"
            + varint(999))
    for number, form in (5, ()), (6, options):
        entries = [(b"key %03d" % i + struct.pack(
            "<Q", (i + 60 * number) << 8 | (number == 5 or i % 3 > 0)),
            b"%d of table %d" % (i, number)) for i in range(60)]
        file = table(entries, *form)
        (folder / f"{number:06}.ldb").write_bytes(file)
        edit += (b"\7\0" + varint(number) + varint(len(file))
                 + text(entries[0][0]) + text(entries[-1][0]))
    (folder / "MANIFEST-000002").write_bytes(
        checksum(b"\1" + edit) + struct.pack("<HB", len(edit), 1) + edit)
    (folder / "CURRENT").write_bytes(b"MANIFEST-000002\n")
    return folder


def zstd(data, function="zstdCompressSync"):
    return subprocess.run(["node", "-e", "process.stdout.write(require('zlib')."
                           f"{function}(require('fs').readFileSync(0)))"],
                          input=data, capture_output=True, check=True).stdout


NODE = """
const bloom = require(process.argv[1]);
const driver = require(process.argv[2]);
const Database = driver.DatabaseSync ?? driver;
const db = new Database(':memory:', {allowExtension: true});
bloom.load(db);
const hex = (bytes) => Buffer.from(bytes).toString('hex');
for (const options of [{}, {prefix: 'key 00'}, {key: Buffer.from('key 005')}]) {
  for (const {key, value, doubt} of bloom.leveldb(db, process.argv[3], options)) {
    console.log(hex(key), hex(value), doubt);
  }
}
for (const call of [() => bloom.leveldb(null, 'x'), () => bloom.leveldb(db, '.'),
  () => bloom.leveldb(db, process.argv[3], {table: 'x'}),
  () => bloom.leveldb(db, process.argv[3], {key: 'a', prefix: 'a'})]) {
  try { call(); console.log('no error'); } catch (error) { console.log(error.message); }
}
"""


def node_tests(work, name, folder, expected):
    """What the package for npm reads of a folder, by each driver."""
    package = work / "npm"
    if not package.exists():
        shutil.copytree("ext/packaging/npm", package)
        shutil.copy("sql/leveldb_folder.sql", package)
        (package / "linux-x64").mkdir()
        shutil.copy(EXTENSION + ".so", package / "linux-x64")
    wanted = [*expected, *(pair for pair in expected if pair[0][:6] == b"key 00"),
              *(pair for pair in expected if pair[0] == b"key 005")]
    for driver in "node:sqlite", "better-sqlite3":
        run = subprocess.run(["node", "-e", NODE, package / "index.js", driver, folder],
                             capture_output=True, text=True)
        *rows, no_db, no_folder, no_table, both = run.stdout.splitlines() or [""] * 4
        ok(rows == [f"{key.hex()} {value.hex()} 0" for key, value in wanted],
           f"{name}: {driver} reads what LevelDB reads", run.stderr, rows)
        ok("db must be a connection" in no_db and "no LevelDB folder: ." in no_folder
           and "got x" in no_table and "both" in both, f"{driver}: errors", run.stdout)


def inflate_tests(work):
    """Blocks that LevelDB 1.23 cannot read: the packages' calls read what LevelDB reads
    of the same entries in a folder whose blocks are not compressed."""
    expected, _ = leveldb(write_own(work / "whole"))
    package = work / "package" / "sqlite_bloom"
    shutil.copytree("ext/packaging/python/sqlite_bloom", package)
    for file in EXTENSION + ".so", "sql/leveldb_folder.sql":
        shutil.copy(file, package)
    sys.path.insert(0, str(package.parent))
    import sqlite_bloom
    for name, kind, compress in (
            ("zlib", 2, zlib.compress),
            ("raw deflate", 4, lambda data: zlib.compress(data)[2:-4]),
            ("zstd", 2, zstd)):
        folder = write_own(work / name, kind, compress)
        damage, pairs, _ = recipe(folder)
        ok(damage and all(f": {name}, probably" in row or "data blocks: " in row
                          for row in damage) and pairs != expected,
           f"{name}: in the shell, each block that is left out is damage", damage)
        node_tests(work, name, folder, expected)
        if name != "zstd" or sys.version_info >= (3, 14):
            rows = list(sqlite_bloom.leveldb(folder))
            ok(sorted(rows) == [(*pair, 0) for pair in expected],
               f"{name}: Python reads what LevelDB reads", rows)
    rows = list(sqlite_bloom.leveldb(work / "zlib", "key 00"))
    ok(rows == [(*pair, 0) for pair in expected if pair[0] < b"key 010"], "a prefix")
    rows = list(sqlite_bloom.leveldb(str(work / "zlib"), key=b"key 005"))
    ok(rows == [(*pair, 0) for pair in expected if pair[0] == b"key 005"], "a key")
    rows = list(sqlite_bloom.leveldb(work / "zlib", table="record"))
    ok(len(rows) == 120 and len(rows[0]) == 8, "each record", rows)
    nothing = write_own(work / "nothing", 2, lambda data: zlib.compress(b""))
    rows = list(sqlite_bloom.leveldb(nothing, table="damage"))
    ok(any("an entry is wrong" in row[2] for row in rows), "blocks of nothing", rows)
    for arguments, error in (
            ({"folder": work / "package"}, "FileNotFoundError: leveldb: no LevelDB folder"),
            ({"folder": work / "none"}, "FileNotFoundError"),
            ({"folder": work / "zlib", "table": "x"}, "ValueError: leveldb: table must"),
            ({"folder": work / "zlib", "key": "a", "prefix": "b"}, "ValueError: leveldb:")):
        try:
            said = str(sqlite_bloom.leveldb(**arguments))
        except Exception as exception:
            said = f"{type(exception).__name__}: {exception}"
        ok(said.startswith(error), said)
    (work / "zlib" / "000006.ldb").unlink()
    with warnings.catch_warnings(record=True) as warned:
        rows = list(sqlite_bloom.leveldb(work / "zlib"))
    ok(len(rows) == 60 and rows[0][2] == 1 and "rows of damage" in str(warned[0].message),
       "a warning of damage", rows[:3])


def write_folders(work):
    """Small folders of each writer, of plyvel with several tables."""
    writer = f"{BUILD}/interop/leveldb_write"
    subprocess.run(["make", "-s", f"BUILD={BUILD}", writer], check=True)
    go = "GO111MODULE=off GOPATH=/usr/share/gocode go run"
    java = "java -Dsun.arch.data.model=32 -cp '/usr/share/java/*'"
    own = "tests/interop/leveldb_write"
    for name, command in (
            ("snappy", f"{writer} FOLDER 80 1024 snappy 10"),
            ("plain", f"{writer} FOLDER 40 1024 none 10"),
            ("go", f"{go} {own}.go FOLDER 300"),
            ("js", f"node {own}.js FOLDER 60"),
            ("java", f"{java} {own}.java FOLDER 900")):
        subprocess.run(command.replace("FOLDER", str(work / name)), shell=True,
                       check=True, stdout=subprocess.DEVNULL)
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


def places(path):
    """Where the file has checksums: the offsets and sizes of what they are of,
    each with the offset of its checksum."""
    if path.suffix in (".ldb", ".sst"):
        form, of = "table", "offset, size + 1, offset + size + 1"
    else:
        form, of = "log", "offset + 6, size + 1, offset"
    return [tuple(map(int, line.split("|"))) for line in session(
        f"SELECT {of} FROM leveldb_read(readfile('{path}'), '{form}') "
        "WHERE size > 0 AND kind <> 'batch';")]


def change(path, places):
    """Changes a file, and says how."""
    data = bytearray(path.read_bytes())
    if places and RANDOM.random() < 0.5:
        start, size, stored = RANDOM.choice(places)
        at = RANDOM.randrange(start, start + size)
        data[at] ^= 1 << RANDOM.randrange(8)
        data[stored:stored + 4] = checksum(data[start:start + size])
        what = "a bit, with its checksum"
    else:
        at = RANDOM.randrange(len(data))
        size = RANDOM.choice((1, 2, 7, 40, 5000))
        what, old, new = RANDOM.choice((
            ("a bit", 1, bytes([data[at] ^ 1 << RANDOM.randrange(8)])),
            (f"cut of {size}", size, b""), ("the rest is cut", len(data), b""),
            (f"insertion of {size}", 0, RANDOM.randbytes(size)),
            (f"{size} zeros", size, bytes(size))))
        data[at:at + old] = new
    path.write_bytes(data)
    return f"{path.parent.name}, {path.name}, at {at}: {what}"


def judge(folder, keys):
    """What is wrong with what the recipe says of a folder, or what it said."""
    damage, pairs, doubted = recipe(folder)
    effects = {line.rsplit("|", 1)[-1] for line in damage}
    if not effects <= {"none", "loss", "refusal"}:
        return "wrong: the recipe fails", damage
    strict, _ = leveldb(folder)
    read, found = leveldb(folder, False, keys | {key for key, _ in pairs})
    values = dict(pairs)
    if not damage and strict != pairs:
        return "wrong: no damage", strict
    if effects <= {"none"} and read != pairs:
        return "wrong: LevelDB reads other rows", read, damage
    if read == "it crashed":
        return "damage", "it crashed"
    if ("refusal" in effects) != str(read).startswith("it does not open"):
        return "wrong: refusal", read, damage
    if "refusal" not in effects:
        for key, value in found.items():
            if effects <= {"none"} and values.get(key) != value:
                return "wrong: Get", key, value, damage
            if key in values and key not in doubted and values[key] != value:
                return "wrong: no doubt", key, value, damage
    return (("right",) if not damage else ("damage",) if isinstance(strict, str)
            else ("damage, all read",))


def main(work):
    corruption_tests(work)
    inflate_tests(work)
    counts, wrong = collections.Counter(), 0
    folders = list(write_folders(work))
    files, keys = {}, {}
    for folder in folders:
        damage, pairs, _ = recipe(folder)
        ok(not damage and pairs == leveldb(folder)[0], f"{folder.name}: whole", damage)
        keys[folder] = {key for key, _ in pairs}
        files[folder] = {
            path: [] if path.name == "CURRENT" else places(path)
            for path in sorted(folder.iterdir())
            if path.stat().st_size and not path.name.startswith("LO")}
    for trial in range(TRIALS):
        folder = folders[trial % len(folders)]
        path = RANDOM.choice(list(files[folder]))
        whole = path.read_bytes()
        what = change(path, files[folder][path])
        said = judge(folder, keys[folder])
        path.write_bytes(whole)
        counts[said[0]] += 1
        if said[0].startswith("wrong"):
            wrong += 1
            print(f"# trial {trial}: {what}: {str(said)[:600]}")
    print("#", ", ".join(f"{what}: {n}" for what, n in counts.items()))
    ok(not wrong, "no change is missed")
    ok(min(counts["right"], counts["damage"]) > TRIALS / 20,
       "some leave all as it was, and some do not")
    print(f"1..{TESTS}")


with tempfile.TemporaryDirectory() as folder_of_all:
    main(pathlib.Path(folder_of_all))
