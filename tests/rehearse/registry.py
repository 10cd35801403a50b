#!/usr/bin/python3
"""A registry on 127.0.0.1 that takes what twine, gem and cargo publish, and serves
the files of a folder, among them what it took:

    tests/rehearse/registry.py FOLDER

It prints its address, and ends when its standard input does. What it takes lands in

    simple/NAME/            for pip, whose index is the list of that folder
    gems/                   for gem, beside the index that `gem generate_index` makes
    crates/, index/         for cargo: files, and the git repository of their index
"""

import email
import hashlib
import http.server
import io
import json
import os
import re
import struct
import subprocess
import sys
import tarfile
import threading

FOLDER = sys.argv[1]


def write(path, content):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        raise ValueError("it is there already: " + path)
    with open(path, "wb") as file:
        file.write(content)


def take_distribution(headers, body):
    """A form, as twine sends it."""
    kind = b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n"
    parts = email.message_from_bytes(kind + body).get_payload()
    fields = {
        part.get_param("name", header="Content-Disposition"): part for part in parts
    }
    content = fields["content"].get_payload(decode=True)
    if hashlib.sha256(content).hexdigest() != fields["sha256_digest"].get_payload():
        raise ValueError("another SHA-256")
    name = fields["name"].get_payload()
    write("simple/%s/%s" % (name, fields["content"].get_filename()), content)


def take_gem(headers, body):
    with tarfile.open(fileobj=io.BytesIO(body)) as gem:
        packed = gem.extractfile("metadata.gz").read()
    metadata = subprocess.run(
        ["gunzip"], input=packed, stdout=subprocess.PIPE, check=True
    ).stdout.decode()
    name = re.search(r"^name: (\S+)$", metadata, re.M).group(1)
    version = re.search(r"^  version: (\S+)$", metadata, re.M).group(1)
    write("gems/%s-%s.gem" % (name, version), body)
    command = ["gem", "generate_index", "--directory", FOLDER]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)


def take_crate(headers, body):
    """Each of two parts has its length before it: JSON about the crate, and the
    crate. The index has a line of JSON for each version."""
    (length,) = struct.unpack_from("<I", body)
    about = json.loads(body[4 : 4 + length])
    crate = body[8 + length :]
    name, version = about["name"], about["vers"]
    write("crates/%s/%s/download" % (name, version), crate)
    for dependency in about["deps"]:
        dependency["req"] = dependency.pop("version_req")
    line = {
        "name": name,
        "vers": version,
        "deps": about["deps"],
        "cksum": hashlib.sha256(crate).hexdigest(),
        "features": about["features"],
        "yanked": False,
        "links": about["links"],
    }
    place = "index/%s/%s/%s" % (name[:2], name[2:4], name)
    write(place, json.dumps(line).encode() + b"\n")
    commit_index()


def commit_index():
    git = ["git", "-C", os.path.join(FOLDER, "index")]
    git += ["-c", "user.name=registry", "-c", "user.email=registry@localhost"]
    for command in ["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "index"]:
        subprocess.run(git + command, check=True)


TAKES = {
    ("POST", "/pypi/"): take_distribution,
    ("POST", "/api/v1/gems"): take_gem,
    ("PUT", "/api/v1/crates/new"): take_crate,
}


class Registry(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *arguments):
        super().__init__(*arguments, directory=FOLDER)

    def log_message(self, *arguments):
        pass

    def take(self):
        take = TAKES.get((self.command, self.path))
        if not take:
            return self.send_error(404)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = b""
            while length := int(self.rfile.readline(), 16):
                body += self.rfile.read(length)
                self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            take(self.headers, body)
        except (KeyError, ValueError) as error:
            return self.send_error(400, str(error))
        answer = b"{}"
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_PUT = take


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
address = "http://127.0.0.1:%d" % server.server_port
config = {"dl": address + "/crates", "api": address}
write("index/config.json", json.dumps(config).encode())
commit_index()
threading.Thread(target=server.serve_forever, daemon=True).start()
print(address, flush=True)
sys.stdin.read()
