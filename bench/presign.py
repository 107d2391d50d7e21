"""Presigned PUTs of new keys, for a client too lean to sign: one path with its query a line, on standard output."""

import datetime
import hashlib
import hmac
import os
import sys
import urllib.parse


def sha(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256)


def main(host, prefix, count):
    """`prefix` is /bucket/ and what the keys begin with."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    scope = f"{now[:8]}/us-east-1/s3/aws4_request"
    key = ("AWS4" + os.environ["SLUICE_SECRET_KEY"]).encode()
    for part in scope.split("/"):
        key = sha(key, part).digest()
    query = "&".join(f"{name}={urllib.parse.quote(value, safe='')}" for name, value in (
        ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
        ("X-Amz-Credential", f"{os.environ['SLUICE_ACCESS_KEY']}/{scope}"),
        ("X-Amz-Date", now),
        ("X-Amz-Expires", "3600"),
        ("X-Amz-SignedHeaders", "host")))
    for number in range(int(count)):
        path = f"{prefix}{number:08d}"
        request = f"PUT\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD"
        digest = hashlib.sha256(request.encode()).hexdigest()
        signature = sha(key, "\n".join(("AWS4-HMAC-SHA256", now, scope, digest))).hexdigest()
        print(f"{path}?{query}&X-Amz-Signature={signature}")


main(*sys.argv[1:])
