"""boto3, the AWS command line and curl at https endpoints whose certificate signed itself (SLUICE_CERTIFICATE)."""

import io
import os
import subprocess
import tempfile

from botocore.exceptions import SSLError

import aws_program
from checks import MIB, check, content, holds, run, same, same_bytes
from s3_boto3 import client

CERTIFICATE = os.environ["SLUICE_CERTIFICATE"]
NODES = os.environ["SLUICE_NODES"].split()
BUCKET = "tls"
SMALL = {f"small/{n}": content(f"tls {n}", 100 + 997 * n) for n in range(24)}
LARGE = content("tls large", 9 * MIB)  # two parts


def trusting(file):
    """Clients read it when they are made; without a file only the authorities that the machine knows are trusted."""
    if file:
        os.environ["AWS_CA_BUNDLE"] = file
    else:
        os.environ.pop("AWS_CA_BUNDLE", None)


@check
def boto3_writes_small_and_large():
    trusting(CERTIFICATE)
    s3 = client()
    s3.create_bucket(Bucket=BUCKET)
    for key, body in SMALL.items():
        s3.put_object(Bucket=BUCKET, Key=key, Body=body)
    s3.put_object(Bucket=BUCKET, Key="large", Body=LARGE)
    s3.upload_fileobj(io.BytesIO(LARGE), BUCKET, "parts")


@check
def boto3_reads_everything_at_every_node():
    """Each key has one home, so all nodes but one relay it."""
    for node in NODES:
        s3 = client(endpoint=node)
        for key, body in (SMALL | {"large": LARGE, "parts": LARGE}).items():
            same_bytes(s3.get_object(Bucket=BUCKET, Key=key)["Body"].read(), body, f"{key} at {node}")
        part = s3.get_object(Bucket=BUCKET, Key="large", Range="bytes=5000000-8345677")["Body"].read()
        same_bytes(part, LARGE[5_000_000:8_345_678], f"a range at {node}")
        same(len(s3.list_objects_v2(Bucket=BUCKET)["Contents"]), len(SMALL) + 2, f"keys at {node}")


@check
def boto3_writes_at_every_node():
    for node in NODES:
        s3 = client(endpoint=node)
        for n in range(6):
            s3.put_object(Bucket=BUCKET, Key="written", Body=f"{node} {n}".encode())
            same(client().get_object(Bucket=BUCKET, Key="written")["Body"].read(), f"{node} {n}".encode(), node)
        s3.put_object(Bucket=BUCKET, Key="large", Body=LARGE)
        s3.delete_object(Bucket=BUCKET, Key="written")


@check
def aws_cli():
    with tempfile.TemporaryDirectory() as folder:
        up, down = os.path.join(folder, "up"), os.path.join(folder, "down")
        with open(up, "wb") as file:
            file.write(LARGE)
        for source, target in ((up, f"s3://{BUCKET}/cli"), (f"s3://{BUCKET}/cli", down)):
            same(aws("s3", "cp", source, target), (0, ""), "exit code and errors")
        with open(down, "rb") as file:
            same_bytes(file.read(), LARGE)


@check
def curl():
    url = client().generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "large"})
    done = fetch("--cacert", CERTIFICATE, url)
    same((done.returncode, done.stderr), (0, b""), "exit code and errors")
    same_bytes(done.stdout, LARGE)


@check
def nobody_is_served_who_does_not_trust_it():
    url = client().generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "large"})
    trusting(None)
    try:
        client().list_buckets()
    except SSLError as error:
        holds("CERTIFICATE_VERIFY_FAILED" in str(error), error)
    else:
        raise AssertionError("boto3 was served")
    code, said = aws("s3", "ls", attempts="1")
    holds(code != 0 and "CERTIFICATE_VERIFY_FAILED" in said, f"{code} {said}")
    same(fetch(url).returncode, 60, "curl's exit code")


def aws(*arguments, attempts="2"):
    code, _, err = aws_program.aws(*arguments, environment={"AWS_MAX_ATTEMPTS": attempts})
    return code, err.decode()


def fetch(*arguments):
    return subprocess.run(["curl", "-sSf", "--max-time", "60", *arguments], capture_output=True, timeout=90, check=False)


run()
