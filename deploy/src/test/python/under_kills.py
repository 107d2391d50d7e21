"""Client programs that write, read and list for some time, while others kill and restart the cluster's targets.

An operation may fail with 503, and with NoSuchUpload when the target with its parts was killed: it is done again. What
was acknowledged is there with its bytes, or those of a later attempt whose outcome was not known.
"""

import hashlib
import os
import random
import re
import subprocess
import tempfile
import threading
import time

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pyarrow import fs

from checks import ACCESS_KEY, ENDPOINT, HOST, MIB, REGION, SECRET_KEY, check, content, holds, new_bucket_name, run

SECONDS = int(os.environ["SLUICE_SECONDS"])
BUCKET = new_bucket_name("kills")
KEYS = 6
LEAST = {"put": 2, "get": 2, "list": 1}  # for each program
REFUSED = re.compile(r"\b503\b|ServiceUnavailable|SERVICE_UNAVAILABLE|Service Unavailable|SlowDown|SLOW_DOWN")
NO_UPLOAD = re.compile(r"NoSuchUpload|NO_SUCH_UPLOAD")
# a body that breaks off with its target is read again, never taken for whole
BROKEN = re.compile(r"IncompleteRead|Connection broken|unexpected EOF|ended prematurely|Broken pipe|not enough data")
OTHERS = re.compile(r"InternalError|AccessDenied|NoSuchKey|NoSuchBucket|SignatureDoesNotMatch|BadDigest|InvalidPart")
MAY = {"put": [REFUSED, NO_UPLOAD], "get": [REFUSED, BROKEN], "list": [REFUSED]}

boto = boto3.client("s3", endpoint_url=ENDPOINT, config=Config(retries={"max_attempts": 2, "mode": "standard"}))


class Failed(Exception):
    """What a program said of its failure."""


class Again(Exception):
    """To be done again: refused, or of unknown outcome."""


def command(*arguments):
    done = subprocess.run(arguments, capture_output=True, timeout=120, check=False,
                          env=os.environ | {"AWS_REGION": REGION, "AWS_MAX_ATTEMPTS": "2"})
    if done.returncode != 0:
        raise Failed(done.stderr.decode(errors="replace") or done.stdout.decode(errors="replace"))
    return done.stdout


class Boto:
    def put(self, path, key):
        self._call(lambda: boto.upload_file(path, BUCKET, key))

    def get(self, key, path):
        self._call(lambda: boto.download_file(BUCKET, key, path))

    def keys(self, prefix):
        found = []
        self._call(lambda: found.extend(
            each["Key"] for each in boto.list_objects_v2(Bucket=BUCKET, Prefix=prefix).get("Contents", [])))
        return found

    def _call(self, work):
        try:
            work()
        except (BotoCoreError, ClientError, boto3.exceptions.Boto3Error) as failure:
            raise Failed(str(failure)) from failure


class Aws:
    def put(self, path, key):
        self._run("s3", "cp", path, f"s3://{BUCKET}/{key}", "--no-progress")

    def get(self, key, path):
        self._run("s3", "cp", f"s3://{BUCKET}/{key}", path, "--no-progress")

    def keys(self, prefix):
        listed = self._run("s3", "ls", f"s3://{BUCKET}/{prefix}", "--recursive").decode()
        return [line.split(maxsplit=3)[3] for line in listed.splitlines()]

    def _run(self, *arguments):
        return command(os.environ["AWS_CLI"], "--endpoint-url", ENDPOINT, *arguments)


class S5cmd:
    def put(self, path, key):
        self._run("cp", path, f"s3://{BUCKET}/{key}")

    def get(self, key, path):
        self._run("cp", f"s3://{BUCKET}/{key}", path)

    def keys(self, prefix):
        listed = self._run("ls", f"s3://{BUCKET}/{prefix}*").decode()
        return [prefix + os.path.basename(line.split()[-1]) for line in listed.splitlines()]

    def _run(self, *arguments):
        return command(os.environ["S5CMD"], "--retry-count", "2", "--endpoint-url", ENDPOINT, *arguments)


class Pyarrow:
    def __init__(self):
        self.s3 = fs.S3FileSystem(
            access_key=ACCESS_KEY, secret_key=SECRET_KEY, endpoint_override=HOST, scheme="http", region=REGION,
            connect_timeout=10, request_timeout=60, retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=2))

    def put(self, path, key):
        with open(path, "rb") as source:
            self._call(lambda: self._write(source.read(), key))

    def _write(self, data, key):
        with self.s3.open_output_stream(f"{BUCKET}/{key}") as out:
            out.write(data)

    def get(self, key, path):
        def read():
            with self.s3.open_input_stream(f"{BUCKET}/{key}") as source, open(path, "wb") as out:
                out.write(source.read())
        self._call(read)

    def keys(self, prefix):
        found = []
        self._call(lambda: found.extend(
            info.path.removeprefix(BUCKET + "/")
            for info in self.s3.get_file_info(fs.FileSelector(f"{BUCKET}/{prefix.rstrip('/')}", recursive=True))))
        return found

    def _call(self, work):
        try:
            work()
        except OSError as failure:
            raise Failed(str(failure)) from failure


class Program(threading.Thread):
    """One client program, with keys of its own."""

    def __init__(self, name, client, until):
        super().__init__(name=name)
        self.client = client
        self.until = until
        self.random = random.Random(name)
        self.may = {}  # key: digests of what may be there, oldest first
        self.known = set()  # keys of which something was acknowledged
        self.done = {"put": 0, "get": 0, "list": 0}
        self.again = 0
        self.failure = None

    def run(self):
        try:
            with tempfile.TemporaryDirectory() as folder:
                number = 0
                while time.monotonic() < self.until:
                    number += 1
                    self._step(folder, number)
        except Exception as failure:  # reported by the check
            self.failure = failure

    def _step(self, folder, number):
        kind = self.random.choice(["put", "get", "get", "list"]) if self.known else "put"
        try:
            self._attempt(kind, lambda: getattr(self, "_" + kind)(folder, number))
            self.done[kind] += 1
        except Again:
            self.again += 1
            time.sleep(0.2)  # as Retry-After asks, but shorter

    def _attempt(self, kind, work):
        try:
            work()
        except Failed as failure:
            said = str(failure)
            holds(any(may.search(said) for may in MAY[kind]) and not OTHERS.search(said),
                  f"another error of {kind} than 503: {said[-600:]}")
            raise Again from failure

    def read_back(self):
        """Every key of which something was acknowledged, when all targets are up again."""
        with tempfile.TemporaryDirectory() as folder:
            for key in sorted(self.known):
                until = time.monotonic() + 60
                while True:
                    try:
                        self._attempt("get", lambda: self._read(folder, key))
                        break
                    except Again:
                        holds(time.monotonic() < until, f"{key} is not served again")
                        time.sleep(0.2)

    def _key(self):
        return f"{self.name}/k{self.random.randrange(KEYS)}"

    def _put(self, folder, number):
        key = self._key()
        size = self.random.choice([1000, 100_000, 9 * MIB, 20 * MIB])
        data = content(f"{key} {number}", size)
        path = os.path.join(folder, "up")
        with open(path, "wb") as out:
            out.write(data)
        digest = hashlib.sha256(data).hexdigest()
        self.may.setdefault(key, []).append(digest)
        self.client.put(path, key)
        self.may[key] = [digest]
        self.known.add(key)

    def _get(self, folder, number):
        self._read(folder, self.random.choice(sorted(self.known)))

    def _read(self, folder, key):
        path = os.path.join(folder, "down")
        self.client.get(key, path)
        with open(path, "rb") as came:
            digest = hashlib.sha256(came.read()).hexdigest()
        holds(digest in self.may[key], f"{key} has bytes that nobody wrote last")
        self.may[key] = self.may[key][self.may[key].index(digest):]  # what was read once stays, or gives way to newer

    def _list(self, folder, number):
        prefix = self.name + "/"
        listed = set(self.client.keys(prefix))
        holds(self.known <= listed, f"not listed: {sorted(self.known - listed)}")
        holds(listed <= set(self.may), f"listed, but never written: {sorted(listed - set(self.may))}")


@check
def no_wrong_byte_and_no_error_but_503():
    boto.create_bucket(Bucket=BUCKET)
    until = time.monotonic() + SECONDS
    programs = [Program(name, client, until) for name, client in
                [("boto3", Boto()), ("aws", Aws()), ("s5cmd", S5cmd()), ("pyarrow", Pyarrow())]]
    for each in programs:
        each.start()
    for each in programs:
        each.join()
    for each in programs:
        print(f"{each.name}: {each.done}, {each.again} done again")
    for each in programs:
        if each.failure:
            raise each.failure
    for each in programs:
        holds(all(each.done[kind] >= least for kind, least in LEAST.items()), f"{each.name} did {each.done} only")
        each.read_back()


run()
