#!/usr/bin/python3
"""The wheels for Python that `make dist` makes, this machine's installed from its
file as their README says, in a virtual environment, too, and in sqlite-utils and
plugins."""
# skip: /usr/lib/python3/dist-packages/pip
# skip: /usr/share/python-wheels
# skip: /usr/bin/sqlite-utils
import glob
import os
import re
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import unittest.mock
import zipfile

count = 0


def ok(passed, name):
    global count
    count += 1
    print("ok" if passed else "not ok", count, "-", name)


scratch = tempfile.TemporaryDirectory()
site = os.path.join(scratch.name, "site")
dist = os.path.join(scratch.name, "dist")
os.symlink(os.path.abspath(os.environ.get("DIST", "dist")), dist)


def run(command):
    """What a command prints in the scratch folder, with Debian's programs."""
    return subprocess.run(
        command,
        cwd=scratch.name,
        env={
            **os.environ,
            "PATH": "/usr/bin:" + os.environ["PATH"],
            "PIP_TARGET": site,
            "PYTHONPATH": site,
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        shell=isinstance(command, str),
        text=True,
    ).stdout.strip()


(source,) = glob.glob(os.path.join(dist, "sqlite_bloom_leveldb-*.tar.gz"))
with tarfile.open(source) as files:
    (page,) = [name for name in files.getnames() if name.endswith("/README.md")]
    readme = files.extractfile(page).read().decode()
(question,) = re.findall(r"```sh\n(.*?)\n```", readme, re.S)
answer = run(question)
ok(answer == "True", "Debian's Python can load extensions: " + answer)
install = re.search("^    (pip .* dist .*)$", readme, re.M).group(1)
print("#", run(install).replace("\n", "\n# "))
sys.path.insert(0, site)
import sqlite_bloom as bloom

db = sqlite3.connect(":memory:")
bloom.load(db)
sql = 'SELECT hex(bloom_build(value, 10)) FROM json_each(\'["hello","world"]\')'
ok(db.execute(sql).fetchone()[0] == "114000414410401006", "load(connection)")
try:
    db.load_extension(bloom.loadable_path())
    message = "none"
except sqlite3.OperationalError as error:
    message = str(error)
ok(message == "not authorized", "loading is disabled again: " + message)
ok(os.path.isfile(bloom.loadable_path()), "loadable_path()")

ok(os.path.isfile(os.path.join(site, "sqlite_bloom", "py.typed")), "it has types")

(info,) = glob.glob(os.path.join(site, "*.dist-info"))
with open(os.path.join(info, "METADATA")) as file:
    metadata, about = file.read().split("\n\n", 1)
(version,) = db.execute("SELECT bloom_version()").fetchone()
ok(f"\nVersion: {version}\n" in metadata, "the version: " + version)
ok(about == readme, "the README")
ok(os.path.isfile(os.path.join(info, "licenses", "LICENSE")), "the licence")

example, *blocks = re.findall(r"```python\n(.*?)```", readme, re.S)
(keys,) = [block for block in blocks if "with_index" in block]
printed = run([sys.executable, "-c", example])
ok(printed == "(1, 0)", "the README's example: " + printed)
printed = run([sys.executable, "-c", example + keys]).replace("\n", " ")
ok(printed == "(1, 0) [('/',)] [('/',)]", "with a list of keys: " + printed)

# The same in a virtual environment, whose own pip and packages are used.
alone = "env -u PIP_TARGET -u PYTHONPATH env/bin/"
print("#", run("/usr/bin/python3 -m venv env").replace("\n", "\n# "))
print("#", run(alone + install).replace("\n", "\n# "))
with open(os.path.join(scratch.name, "example.py"), "w") as file:
    file.write(example)
printed = run(alone + "python example.py")
ok(printed == "(1, 0)", "in a virtual environment: " + printed)

command = re.search(r"^    (sqlite-utils .*?\")$", readme, re.M | re.S).group(1)
printed = run(command)
ok(printed == '[{"bloom_version()": "%s"}]' % version, "sqlite-utils: " + printed)


# Programs that find the package as a plugin: an sqlite-utils and a Datasette that
# are newer than Debian's.
later = os.path.abspath("build/interop/python")
for program, command in {
    "sqlite-utils": "sqlite_utils memory 'SELECT bloom_version()'",
    "datasette": "datasette --get '/_memory.json?sql=SELECT+bloom_version()&_shape=array'",
}.items():
    folder = os.path.join(later, program)
    if not os.path.exists(folder):
        ok(True, f"# skip no {program} in {later}")
        continue
    printed = run(f"env PYTHONPATH={folder}:{site} {sys.executable} -m {command}")
    ok(version in printed, f"the plugin of {program}: {printed}")

# A Python that loads no extensions, as their plugin sees it.
with open(os.path.join(scratch.name, "unable.py"), "w") as file:
    file.write(
        "import sqlite3\n"
        "from sqlite_bloom.plugin import prepare_connection\n"
        "class Unable(sqlite3.Connection):\n"
        "    enable_load_extension = property(lambda self: self.none)\n"
        "prepare_connection(sqlite3.connect(':memory:', factory=Unable))\n"
        "print('goes on')\n"
    )
printed = run(f"{sys.executable} unable.py")
warns = "UserWarning: load: this Python was built without" in printed
ok(warns and printed.endswith("goes on"), "the plugin warns: " + printed)

# Each wheel's name tells the oldest C library that has what its binary asks for, of
# those from 2.5 on, which have a tag. If it is older than 2.17, the name also has both
# of that version's tags, one of which is what a download for another machine asks for.
# The binary is where loadable_path() looks for it on that system.
for wheel in sorted(glob.glob(os.path.join(dist, "*.whl"))):
    platform = wheel[:-4].split("-")[-1]
    system = {"win": "win32", "mac": "darwin"}.get(platform[:3], "linux")
    with unittest.mock.patch("sys.platform", system):
        name = os.path.basename(bloom.loadable_path())
    with zipfile.ZipFile(wheel) as files:
        binary = files.read(f"sqlite_bloom/{name}")
    needs = [int(minor) for minor in re.findall(rb"GLIBC_2\.(\d+)", binary)]
    if platform.startswith("manylinux"):
        minors = {int(minor) for minor in re.findall(r"manylinux_2_(\d+)_", platform)}
        oldest = max(needs + [5])
        passed = minors == {oldest, max(oldest, 17)}
        passed = passed and ("manylinux2014_" in platform) == (oldest <= 17)
    else:
        passed = not needs
    ok(passed, f"{platform}: {name}, glibc 2.{max(needs, default='-')}")
print(f"1..{count}")
