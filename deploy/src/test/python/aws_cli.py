"""The AWS command line with nothing but keys and an endpoint."""

import json
import os
import subprocess
import tempfile

import aws_program
from checks import MIB, check, check_of_ours, content, holds, md5, multipart_etag, new_bucket_name, run, same, same_bytes
from raw_s3 import made

BUCKET = new_bucket_name("aws-cli")
FOLDER = tempfile.TemporaryDirectory()
SHARD = content("aws shard", 2 * MIB + 9)
BIG = content("aws big", 20 * MIB)  # three parts


def aws(*arguments, code=(0,), run=aws_program.aws, **more):
    status, out, err = run(*arguments, **more)
    holds(status in code, f"exit code {status} of {arguments}: {err.decode()[-500:]}")
    return out if status == 0 else err


def api(*arguments):
    out = aws("s3api", *arguments)
    return json.loads(out) if out.strip() else {}


def file(name, data=None):
    path = os.path.join(FOLDER.name, name)
    if data is not None:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)
    return path


def read(path):
    with open(path, "rb") as source:
        return source.read()


@check
def make_a_bucket():
    aws("s3", "mb", f"s3://{BUCKET}", run=aws_program.start)
    made(BUCKET)
    holds(BUCKET.encode() in aws("s3", "ls"), "not listed")


@check
def copy_up_and_down():
    aws("s3", "cp", file("up/shard.tar", SHARD), f"s3://{BUCKET}/train/shard.tar", "--metadata", "label=7")
    same_bytes(aws("s3", "cp", f"s3://{BUCKET}/train/shard.tar", "-"), SHARD, "to standard output")
    head = api("head-object", "--bucket", BUCKET, "--key", "train/shard.tar")
    same((head["ContentLength"], head["ETag"], head["Metadata"]), (len(SHARD), f'"{md5(SHARD)}"', {"label": "7"}), "head")


@check
def a_range():
    api("get-object", "--bucket", BUCKET, "--key", "train/shard.tar", "--range", "bytes=1000-2999", file("range"))
    same_bytes(read(file("range")), SHARD[1000:3000])


@check
def multipart():
    aws("s3", "cp", file("big", BIG), f"s3://{BUCKET}/big")
    parts = [BIG[at : at + 8 * MIB] for at in range(0, len(BIG), 8 * MIB)]
    same(api("head-object", "--bucket", BUCKET, "--key", "big")["ETag"], f'"{multipart_etag(parts)}"', "ETag")
    aws("s3", "cp", f"s3://{BUCKET}/big", file("big back"))
    same_bytes(read(file("big back")), BIG)


@check
def sync_a_folder():
    for n in range(5):
        file(f"tree/d{n % 2}/f {n}+ü", content(f"tree {n}", 100 + n))
    aws("s3", "sync", file("tree"), f"s3://{BUCKET}/tree")
    aws("s3", "sync", f"s3://{BUCKET}/tree", file("tree back"))
    for n in range(5):
        same(read(file(f"tree back/d{n % 2}/f {n}+ü")), content(f"tree {n}", 100 + n), f"file {n}")


@check
def list_keys():
    lines = aws("s3", "ls", f"s3://{BUCKET}/").decode().splitlines()
    same([line.split(maxsplit=3)[-1] if "PRE" not in line else line.split()[-1] for line in lines],
         ["train/", "tree/", "big"], "one level")
    for operation in ("list-objects", "list-objects-v2"):
        got = api(operation, "--bucket", BUCKET, "--page-size", "2", "--prefix", "tree/")
        same(len(got["Contents"]), 5, operation)


@check_of_ours
def a_beside_a_slash_b():
    for key in ("a", "a/b"):
        aws("s3", "cp", "-", f"s3://{BUCKET}/{key}", input=key.encode())
    same([aws("s3", "cp", f"s3://{BUCKET}/{key}", "-") for key in ("a", "a/b")], [b"a", b"a/b"], "contents")


@check
def copy_within():
    aws("s3", "cp", f"s3://{BUCKET}/big", f"s3://{BUCKET}/big copy")
    same_bytes(aws("s3", "cp", f"s3://{BUCKET}/big copy", "-"), BIG)


@check
def presigned():
    url = aws("s3", "presign", f"s3://{BUCKET}/train/shard.tar").decode().strip()
    done = subprocess.run(["curl", "-sSf", url], capture_output=True, timeout=60, check=True)
    same_bytes(done.stdout, SHARD)


@check
def refusals():
    said = aws("s3api", "list-buckets", code=(254, 255), environment={"AWS_SECRET_ACCESS_KEY": "wrong"})
    holds(b"SignatureDoesNotMatch" in said, said)
    said = aws("s3api", "get-object", "--bucket", BUCKET, "--key", "missing", file("x"), code=(254, 255))
    holds(b"NoSuchKey" in said, said)


@check
def remove():
    aws("s3", "rm", f"s3://{BUCKET}/big copy")
    aws("s3", "rb", f"s3://{BUCKET}", "--force")
    holds(BUCKET.encode() not in aws("s3", "ls"), "still listed")


run()
