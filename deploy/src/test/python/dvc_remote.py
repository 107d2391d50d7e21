"""DVC: data sets pushed to a remote, pulled by another clone, and collected."""

import os
import shutil
import subprocess
import sys
import tempfile

import boto3
from checks import ENDPOINT, MIB, check, content, holds, new_bucket_name, run, same, same_bytes

BUCKET = new_bucket_name("dvc")
FOLDER = tempfile.TemporaryDirectory()
BIG = content("dvc big", 60 * MIB)
FILES = {f"images/{n % 4}/{n:03}.bin": content(f"dvc {n}", 700 + n) for n in range(80)}
CLIENT = boto3.client("s3", endpoint_url=ENDPOINT)


def dvc(*arguments, project="first", code=0):
    done = subprocess.run(
        [sys.executable, "-m", "dvc", *arguments], cwd=path(project), capture_output=True, text=True, timeout=200, check=False,
        env=os.environ | {"DVC_NO_ANALYTICS": "1", "DVC_GLOBAL_CONFIG_DIR": path("none"), "DVC_SITE_CACHE_DIR": path("site"),
                          "AWS_CONFIG_FILE": EMPTY, "AWS_SHARED_CREDENTIALS_FILE": EMPTY},  # they have to be files here
    )
    same(done.returncode, code, f"exit code of {arguments}: {(done.stdout + done.stderr)[-900:]}")
    return done.stdout


def path(name, data=None):
    full = os.path.join(FOLDER.name, name)
    os.makedirs(os.path.dirname(full) if data is not None else full, exist_ok=True)
    if data is not None:
        with open(full, "wb") as out:
            out.write(data)
    return full


EMPTY = path("empty", b"")


def read(name):
    with open(os.path.join(FOLDER.name, name), "rb") as source:
        return source.read()


def stored():
    pages = CLIENT.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
    return [found["Key"] for page in pages for found in page.get("Contents", [])]


@check
def data_is_added_and_pushed():
    CLIENT.create_bucket(Bucket=BUCKET)
    for name, data in FILES.items():
        path(f"first/data/{name}", data)
    path("first/big.bin", BIG)
    dvc("init", "--no-scm", "-q")
    dvc("remote", "add", "-d", "store", f"s3://{BUCKET}/remote")
    dvc("remote", "modify", "store", "endpointurl", ENDPOINT)
    dvc("add", "-q", "data", "big.bin")
    dvc("push")
    same(len(stored()), len(FILES) + 2, "objects of the files, the folder and the large file")
    holds("up to date" in dvc("push"), "nothing to push")
    holds("in sync" in dvc("status", "-c"), "in sync")


@check
def another_clone_pulls_it():
    shutil.copytree(path("first/.dvc"), os.path.join(FOLDER.name, "second/.dvc"), ignore=shutil.ignore_patterns("cache", "tmp"))
    for name in ("data.dvc", "big.bin.dvc"):
        path(f"second/{name}", read(f"first/{name}"))
    dvc("pull", project="second")
    for name, data in FILES.items():
        same(read(f"second/data/{name}"), data, name)
    same_bytes(read("second/big.bin"), BIG, "the large file")


@check
def a_changed_set_pushes_only_its_changes():
    before = set(stored())
    path("first/data/images/0/new.bin", b"new")
    dvc("add", "-q", "data")
    holds("new:" in dvc("status", "-c"), "what is not pushed")
    dvc("push")
    same(len(set(stored()) - before), 2, "objects of one file and the folder")


@check
def files_of_the_bucket_are_imported_and_updated():
    for body in (b"raw", b"raw again"):
        CLIENT.put_object(Bucket=BUCKET, Key="remote/raw.bin", Body=body)
        if body == b"raw":
            dvc("import-url", "-q", "remote://store/raw.bin", "raw.bin")
        else:
            dvc("update", "raw.bin.dvc")
        same(read("first/raw.bin"), body, "an import")


@check
def what_nothing_names_is_collected():
    dvc("remove", "-q", "big.bin.dvc")
    dvc("gc", "-w", "-c", "-f")
    left = [key for key in stored() if key.startswith("remote/")]
    holds(len(FILES) < len(left) <= len(FILES) + 4, f"{len(left)} objects left")
    shutil.rmtree(path("first/.dvc/cache"))
    shutil.rmtree(path("first/data"))
    dvc("pull", "data.dvc")
    same(read("first/data/images/0/new.bin"), b"new", "after the collection")


@check
def clean_up():
    for key in stored():
        CLIENT.delete_object(Bucket=BUCKET, Key=key)
    CLIENT.delete_bucket(Bucket=BUCKET)


run()
