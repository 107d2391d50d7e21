"""What the client checks share: where the cluster is, the checks run in order, and contents that can be told apart.

A script registers functions with @check and ends with run(). Each check prints one line; the first failure ends the
script with exit code 1 (SLUICE_KEEP_GOING=1: all are run, for looking at many failures at once).
"""

import hashlib
import os
import random
import secrets
import sys
import time
import traceback
from urllib.parse import urlsplit

ENDPOINT = os.environ["SLUICE_ENDPOINT"].rstrip("/")
HOST = urlsplit(ENDPOINT).netloc
ACCESS_KEY = os.environ["AWS_ACCESS_KEY_ID"]
SECRET_KEY = os.environ["AWS_SECRET_ACCESS_KEY"]
REGION = "us-east-1"
MIB = 1 << 20

# Another S3 server in the cluster's place, to see that the checks ask for S3's behaviour and not only for ours.
STAND_IN = os.environ.get("SLUICE_STAND_IN", "")

_checks = []


def check(function):
    _checks.append((function, False))
    return function


def check_of_ours(function):
    """A check of what S3 does and the stand-in does not."""
    _checks.append((function, True))
    return function


def run():
    failed = 0
    for function, ours in _checks:
        name = function.__name__.replace("_", " ")
        if ours and STAND_IN:
            print(f"skip {name} ({STAND_IN} differs from S3 here)", flush=True)
            continue
        began = time.monotonic()
        try:
            function()
        except Exception:  # whatever it is, the script reports it and fails
            print(f"FAIL {name}\n{traceback.format_exc()}", flush=True)
            failed += 1
            if not os.environ.get("SLUICE_KEEP_GOING"):
                break
        else:
            print(f"ok   {name} ({time.monotonic() - began:.1f} s)", flush=True)
    sys.exit(1 if failed else 0)


def same(actual, expected, what="value"):
    if actual != expected:
        raise AssertionError(f"{what}: expected {_short(expected)}, got {_short(actual)}")


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def _short(value):
    text = repr(value)
    return text if len(text) < 400 else f"{text[:300]}... ({len(text)} characters)"


def content(seed, size):
    """Bytes that no other seed gives."""
    return random.Random(f"sluice {seed}").randbytes(size)


def digest(data):
    return hashlib.sha256(data).hexdigest()


def same_bytes(actual, expected, what="content"):
    same((len(actual), digest(actual)), (len(expected), digest(expected)), what)


def md5(data):
    return hashlib.md5(data).hexdigest()


def multipart_etag(parts):
    return f"{md5(b''.join(hashlib.md5(part).digest() for part in parts))}-{len(parts)}"


def new_bucket_name(stem):
    return f"{stem}-{secrets.token_hex(4)}"
