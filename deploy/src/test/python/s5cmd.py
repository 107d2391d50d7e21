"""s5cmd: many objects at once, on the first AWS SDK for Go."""

import json
import os
import subprocess
import tempfile
import time

from checks import ENDPOINT, MIB, check, check_of_ours, content, holds, new_bucket_name, run, same, same_bytes
from raw_s3 import made

S5CMD = os.environ["S5CMD"]
BUCKET = new_bucket_name("s5cmd")
FOLDER = tempfile.TemporaryDirectory()
BIG = content("s5cmd big", 64 * MIB)
FILES = {f"d{n % 3}/f{n:03}": content(f"s5cmd {n}", 1000 + n) for n in range(120)}


def s5cmd(*arguments, code=0, input=None, environment=None):
    done = subprocess.run(
        [S5CMD, "--retry-count", "0", "--endpoint-url", ENDPOINT, *arguments],
        capture_output=True, timeout=120, check=False, input=input,
        env=os.environ | {"AWS_REGION": "us-east-1"} | (environment or {}),
    )
    same(done.returncode, code, f"exit code of {arguments}: {(done.stderr + done.stdout).decode(errors='replace')[-500:]}")
    return done.stdout + done.stderr


def path(name, data=None):
    full = os.path.join(FOLDER.name, name)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    if data is not None:
        with open(full, "wb") as out:
            out.write(data)
    return full


def read(name):
    with open(path(name), "rb") as source:
        return source.read()


def keys(pattern, *options):
    return [json.loads(line)["key"].removeprefix(f"s3://{BUCKET}/")
            for line in s5cmd("--json", *options, "ls", pattern).splitlines()]


@check
def make_a_bucket():
    s5cmd("mb", f"s3://{BUCKET}")
    made(BUCKET)
    holds(BUCKET.encode() in s5cmd("ls"), "not listed")


@check
def many_files_up_and_down():
    written = time.time() - 2  # S3's times have whole seconds: a sync sends again what was written in the same one
    for name, data in FILES.items():
        os.utime(path(f"up/{name}", data), (written, written))
    s5cmd("cp", path("up/"), f"s3://{BUCKET}/many/")
    same(sorted(keys(f"s3://{BUCKET}/many/*")), sorted(f"many/{name}" for name in FILES), "listing")
    s5cmd("cp", f"s3://{BUCKET}/many/*", path("down/"))
    for name, data in FILES.items():
        same(read(f"down/{name}"), data, name)
    same(s5cmd("sync", path("up/"), f"s3://{BUCKET}/many/"), b"", "what a sync has to do")


@check
def list_one_level_and_by_the_old_call():
    level = [json.loads(line)["key"] for line in s5cmd("--json", "ls", f"s3://{BUCKET}/many/").splitlines()]
    same([key.rstrip("/").split("/")[-1] for key in level], ["d0", "d1", "d2"], "one level")
    same(len(keys(f"s3://{BUCKET}/many/*", "--use-list-objects-v1")), len(FILES), "V1")


@check_of_ours
def a_beside_a_slash_b():
    for key in ("a", "a/b"):
        s5cmd("pipe", f"s3://{BUCKET}/{key}", input=key.encode())
    same([s5cmd("cat", f"s3://{BUCKET}/{key}") for key in ("a", "a/b")], [b"a", b"a/b"], "contents")
    s5cmd("rm", f"s3://{BUCKET}/a*")


@check
def multipart_up_by_ranges_down():
    s5cmd("cp", "--part-size", "8", "--concurrency", "4", path("big", BIG), f"s3://{BUCKET}/big")
    s5cmd("cp", "--part-size", "8", "--concurrency", "4", f"s3://{BUCKET}/big", path("big back"))
    same_bytes(read("big back"), BIG)
    same_bytes(s5cmd("cat", f"s3://{BUCKET}/big"), BIG, "cat")


@check
def copy_within():
    s5cmd("cp", f"s3://{BUCKET}/many/d0/*", f"s3://{BUCKET}/copied/")
    expected = {name[3:]: data for name, data in FILES.items() if name.startswith("d0/")}
    same(len(keys(f"s3://{BUCKET}/copied/*")), len(expected), "copies")
    for name in list(expected)[:5]:
        same(s5cmd("cat", f"s3://{BUCKET}/copied/{name}"), expected[name], name)
    s5cmd("mv", f"s3://{BUCKET}/big", f"s3://{BUCKET}/moved")
    same_bytes(s5cmd("cat", f"s3://{BUCKET}/moved"), BIG)


@check
def refusals():
    holds(b"SignatureDoesNotMatch" in s5cmd("ls", code=1, environment={"AWS_SECRET_ACCESS_KEY": "wrong"}), "wrong secret")
    holds(b"InvalidAccessKeyId" in s5cmd("ls", code=1, environment={"AWS_ACCESS_KEY_ID": "NOBODY"}), "unknown key")
    said = s5cmd("cat", f"s3://{BUCKET}/missing", code=1)
    holds(b"NoSuchKey" in said or b"NotFound" in said or b"not found" in said, said)
    holds(b"NoSuchBucket" in s5cmd("ls", "s3://no-such-bucket-here", code=1), "missing bucket")


@check
def remove():
    s5cmd("rm", f"s3://{BUCKET}/*")
    s5cmd("rb", f"s3://{BUCKET}")
    holds(BUCKET.encode() not in s5cmd("ls"), "still listed")


run()
