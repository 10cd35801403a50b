"""Makes wheels: of bloom.c, as pip asks for them (PEP 517), or of a binary that is there,
as `make dist` does:

    python3 build_bloom.py BINARY TAGS FOLDER

It needs nothing but Python, and for bloom.c a C compiler that takes gcc's options.
"""

import base64
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
import zipfile

# What a wheel says of when it was made.
TIME = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))


def build_sdist(folder, config_settings=None):
    parent, name = os.path.split(os.getcwd())
    archive = shutil.make_archive(os.path.join(folder, name), "gztar", parent, name)
    return os.path.basename(archive)


def build_wheel(folder, config_settings=None, metadata_directory=None):
    suffix = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
    platform = sysconfig.get_platform()
    flags = ["-O2", "-shared", "-Iinclude"]
    if suffix != "dll":
        flags.append("-fPIC")
    if suffix == "so":
        flags.append("-Wl,-z,nodelete")
    if platform.endswith("universal2"):
        flags += ["-arch", "arm64", "-arch", "x86_64"]
    with tempfile.TemporaryDirectory() as scratch:
        binary = os.path.join(scratch, "bloom." + suffix)
        compiler = shlex.split(os.environ.get("CC", "cc"))
        flags += shlex.split(os.environ.get("CFLAGS", ""))
        subprocess.check_call([*compiler, *flags, "bloom.c", "-o", binary, "-lm"])
        return _wheel(binary, platform.replace("-", "_").replace(".", "_"), folder)


def _wheel(binary, tags, folder):
    """Writes the wheel of a binary. `tags` are names of platforms, joined by dots."""
    with open("PKG-INFO", "rb") as file:
        metadata = file.read()
    fields = dict(line.split(": ", 1) for line in metadata.decode().split("\n\n")[0].split("\n"))
    distribution = fields["Name"].replace("-", "_") + "-" + fields["Version"]
    info = distribution + ".dist-info/"
    about = ["Wheel-Version: 1.0", "Generator: build_bloom", "Root-Is-Purelib: false"]
    about += ["Tag: py3-none-" + tag for tag in tags.split(".")]
    contents = {
        info + "METADATA": metadata,
        info + "WHEEL": "".join(line + "\n" for line in about).encode(),
    }
    files = {
        "sqlite_bloom/" + name: os.path.join("sqlite_bloom", name)
        for name in os.listdir("sqlite_bloom")
        if name != "__pycache__"
    }
    files["sqlite_bloom/" + os.path.basename(binary)] = binary
    files[info + "entry_points.txt"] = "entry_points.txt"
    files[info + "licenses/LICENSE"] = "LICENSE"
    for name, path in files.items():
        with open(path, "rb") as file:
            contents[name] = file.read()
    record = ""
    for name, content in sorted(contents.items()):
        sum = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
        record += "%s,sha256=%s,%d\n" % (name, sum.decode(), len(content))
    contents[info + "RECORD"] = (record + info + "RECORD,,\n").encode()

    wheel = "%s-py3-none-%s.whl" % (distribution, tags)
    with zipfile.ZipFile(os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED) as packed:
        # Metadata is at the end, as wheels should have it.
        for name in sorted(contents, key=lambda name: (name.startswith(info), name)):
            entry = zipfile.ZipInfo(name, time.gmtime(max(TIME, 315532800))[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            packed.writestr(entry, contents[name])
    return wheel


if __name__ == "__main__":
    _wheel(*sys.argv[1:])
