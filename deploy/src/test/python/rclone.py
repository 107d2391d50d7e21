"""rclone: folders copied, synced, compared and moved."""

import json
import os
import subprocess
import tempfile
import urllib.request

from checks import ACCESS_KEY, ENDPOINT, MIB, REGION, SECRET_KEY, check, content, holds, new_bucket_name, run, same, same_bytes

RCLONE = os.environ["RCLONE"]
BUCKET = new_bucket_name("rclone")
FOLDER = tempfile.TemporaryDirectory()
BIG = content("rclone big", 40 * MIB)
FILES = {f"d{n % 3}/f ü {n:03}": content(f"rclone {n}", 1000 + n) for n in range(60)} | {"empty": b""}
REMOTE = {f"RCLONE_CONFIG_S_{name}": value for name, value in {
    "TYPE": "s3", "PROVIDER": "Other", "ACCESS_KEY_ID": ACCESS_KEY, "SECRET_ACCESS_KEY": SECRET_KEY, "REGION": REGION,
    "ENDPOINT": ENDPOINT}.items()}


def rclone(*arguments, code=0, input=None, environment=None, said=False):
    done = subprocess.run([RCLONE, "--config", "/dev/null", "--retries", "1", "--low-level-retries", "1", *arguments],
                          capture_output=True, timeout=200, check=False, input=input,
                          env=os.environ | REMOTE | (environment or {}))
    same(done.returncode, code, f"exit code of {arguments}: {done.stderr.decode(errors='replace')[-700:]}")
    return done.stderr if said else done.stdout


def path(name, data=None):
    full = os.path.join(FOLDER.name, name)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if data is not None:
        with open(full, "wb") as out:
            out.write(data)
    return full


def at(name=""):
    return f"s:{BUCKET}/{name}"


def names(where, *options):
    return sorted(found["Path"] for found in json.loads(rclone("lsjson", "-R", "--files-only", *options, at(where))))


@check
def a_folder_up_and_down():
    for name, data in FILES.items():
        path(f"up/{name}", data)
    rclone("mkdir", at())
    rclone("copy", path("up/"), at("set"))
    same(names("set"), sorted(FILES), "listing")
    rclone("check", path("up/"), at("set"))
    rclone("check", "--download", path("up/"), at("set"))
    rclone("copy", at("set"), path("down/"))
    for name, data in FILES.items():
        with open(path(f"down/{name}"), "rb") as source:
            same(source.read(), data, name)


@check
def a_sync_sends_what_changed_and_deletes_what_went():
    said = rclone("sync", "--use-json-log", "--stats-log-level", "NOTICE", path("up/"), at("set"), said=True)
    holds(b'"transfers":0' in said, f"what a second sync does: {said}")
    path("up/d0/new", b"new")
    os.remove(path("up/empty"))
    rclone("sync", path("up/"), at("set"))
    same(names("set"), sorted((FILES.keys() | {"d0/new"}) - {"empty"}), "after the sync")


@check
def a_large_file_by_multipart_and_by_ranges():
    rclone("copyto", "--s3-upload-cutoff", "5M", "--s3-chunk-size", "8M", path("big", BIG), at("big"))
    rclone("copyto", "--multi-thread-streams", "4", "--multi-thread-cutoff", "8M", at("big"), path("big back"))
    with open(path("big back"), "rb") as source:
        same_bytes(source.read(), BIG)
    same(rclone("cat", "--offset", "1000000", "--count", "500", at("big")), BIG[1_000_000:1_000_500], "a range")
    digest = rclone("hashsum", "md5", "--download", at("big")).split()[0].decode()
    same(rclone("md5sum", at("big")).split()[0].decode(), digest, "the MD5 that rclone keeps in the metadata")


@check
def streams_and_metadata():
    rclone("rcat", at("piped"), input=b"piped")
    same(rclone("cat", at("piped")), b"piped", "a stream")
    rclone("copyto", "-M", "--metadata-set", "label=cat", "--metadata-set", "cache-control=max-age=9", path("up/d0/new"), at("named"))
    found = json.loads(rclone("lsjson", "-M", "--stat", at("named")))["Metadata"]
    same((found["label"], found["cache-control"]), ("cat", "max-age=9"), "metadata")


@check
def copies_moves_and_links_within():
    rclone("copy", at("set/d1"), at("copied"))
    same(names("copied"), names("set/d1"), "copies on the server")
    rclone("moveto", "--s3-copy-cutoff", "8M", at("big"), at("moved"))
    same_bytes(rclone("cat", at("moved")), BIG, "moved by UploadPartCopy")
    link = rclone("link", "--expire", "5m", at("piped")).decode().strip()
    with urllib.request.urlopen(link, timeout=30) as answer:
        same(answer.read(), b"piped", "a presigned link")


@check
def as_another_provider():
    for provider in ("Minio", "Ceph"):  # AWS wants HTTPS
        environment = {"RCLONE_CONFIG_S_PROVIDER": provider}
        rclone("copy", path("up/d2"), at(f"as/{provider}"), environment=environment)
        rclone("check", path("up/d2"), at(f"as/{provider}"), environment=environment)


@check
def refusals():
    rclone("deletefile", at("missing"), code=4)
    holds(BUCKET in rclone("lsd", "s:").decode(), "not listed")
    rclone("lsd", "s:", code=1, environment={"RCLONE_CONFIG_S_SECRET_ACCESS_KEY": "wrong"})


@check
def remove():
    rclone("cleanup", at())
    rclone("backend", "list-multipart-uploads", at())
    rclone("delete", "--include", "/d0/**", at("set"))
    same([name for name in names("set") if name.startswith("d0/")], [], "a deleted folder")
    rclone("purge", at())
    holds(BUCKET not in rclone("lsd", "s:").decode(), "still listed")


run()
