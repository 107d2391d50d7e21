"""Requests made byte by byte: a small SigV4 signer over http.client, for what no SDK would send."""

import hashlib
import hmac
import http.client
import json
import os
import re
import time
from datetime import datetime, timezone
from urllib.parse import quote, urlsplit

from checks import ACCESS_KEY, ENDPOINT, HOST, REGION, SECRET_KEY, same

UNSIGNED = "UNSIGNED-PAYLOAD"


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def code(self):
        found = re.search(rb"<Code>([^<]*)</Code>", self.body)
        return found.group(1).decode() if found else ""

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.body[:300]!r}"


def send(method, target, headers=(), body=b"", endpoint=ENDPOINT):
    """The target goes out as it is given: nothing is normalised or encoded again."""
    parts = urlsplit(endpoint)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
    try:
        connection.putrequest(method, target, skip_host=True, skip_accept_encoding=True)
        given = {name.lower(): value for name, value in dict(headers).items()}
        given.setdefault("host", HOST)
        if "transfer-encoding" not in given:
            given.setdefault("content-length", str(len(body)))
        for name, value in given.items():
            connection.putheader(name, value)
        connection.endheaders()
        if body:
            connection.send(body)
        return Answer(connection.getresponse())
    finally:
        connection.close()


def path_of(bucket, key):
    """S3's path: the key's UTF-8, percent-encoded but for slashes; dot segments stay as they are."""
    return f"/{bucket}/{quote(key, safe='/-_.~')}"


def _mac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Signer:
    """SigV4 over one request; keeps what the signatures of its chunks follow from."""

    def __init__(self, access_key=ACCESS_KEY, secret_key=SECRET_KEY, region=REGION, now=None):
        self.access_key = access_key
        self.time = (now or datetime.now(timezone.utc)).strftime("%Y%m%dT%H%M%SZ")
        self.scope = f"{self.time[:8]}/{region}/s3/aws4_request"
        key = f"AWS4{secret_key}".encode()
        for word in self.scope.split("/"):
            key = _mac(key, word)
        self.key = key
        self.signature = ""

    def _sign(self, kind, *lines):
        self.signature = _mac(self.key, "\n".join([kind, self.time, self.scope, *lines])).hex()
        return self.signature

    def headers(self, method, path, query=(), headers=(), payload=UNSIGNED, unsigned=()):
        signed = {name.lower(): value for name, value in dict(headers).items()}
        signed |= {"host": HOST, "x-amz-date": self.time, "x-amz-content-sha256": payload}
        names = ";".join(sorted(signed))
        canonical = "\n".join(
            [method, path, canonical_query(query), *(f"{n}:{signed[n].strip()}" for n in sorted(signed)), "", names, payload]
        )
        # Values of headers are bytes, one to a character.
        self._sign("AWS4-HMAC-SHA256", hashlib.sha256(canonical.encode("latin-1")).hexdigest())
        signed["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.access_key}/{self.scope}, SignedHeaders={names}, Signature={self.signature}"
        )
        return signed | dict(unsigned)

    def presigned(self, method, path, seconds=300):
        query = {
            "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
            "X-Amz-Credential": f"{self.access_key}/{self.scope}",
            "X-Amz-Date": self.time,
            "X-Amz-Expires": str(seconds),
            "X-Amz-SignedHeaders": "host",
        }
        canonical = "\n".join([method, path, canonical_query(query), f"host:{HOST}", "", "host", UNSIGNED])
        self._sign("AWS4-HMAC-SHA256", hashlib.sha256(canonical.encode()).hexdigest())
        return f"{path}?{canonical_query(query)}&X-Amz-Signature={self.signature}"

    def chunk(self, data):
        empty = hashlib.sha256(b"").hexdigest()
        signature = self._sign("AWS4-HMAC-SHA256-PAYLOAD", self.signature, empty, hashlib.sha256(data).hexdigest())
        return f"{len(data):x};chunk-signature={signature}\r\n".encode() + data + b"\r\n"

    def trailer(self, name, value):
        of = hashlib.sha256(f"{name}:{value}\n".encode()).hexdigest()
        signature = self._sign("AWS4-HMAC-SHA256-TRAILER", self.signature, of)
        return f"{name}:{value}\r\nx-amz-trailer-signature:{signature}\r\n\r\n".encode()


def canonical_query(query):
    def encode(text):
        return quote(text, safe="-_.~")

    return "&".join(sorted(f"{encode(name)}={encode(value)}" for name, value in dict(query).items()))


def call(method, path, query=(), headers=(), body=b"", signer=None, unsigned=()):
    """One signed request with the hash of its body."""
    payload = hashlib.sha256(body).hexdigest()
    all_headers = (signer or Signer()).headers(method, path, query, headers, payload, unsigned)
    target = f"{path}?{canonical_query(query)}" if query else path
    return send(method, target, all_headers, body)


def served(answer, status=200):
    same(answer.status, status, f"status of {answer}")
    return answer


def refused(answer, status, *codes):
    same(answer.status, status, f"status of {answer}")
    if codes and answer.code not in codes:
        raise AssertionError(f"expected one of {codes}, got {answer}")
    return answer


def made(bucket):
    """After a bucket was made, however that was: with SLUICE_EC it gets this erasure code, which all targets know then."""
    code = os.environ.get("SLUICE_EC")
    if code:
        body = json.dumps({"action": "set-bprops", "value": {"ec": code}}).encode()
        same(call("PATCH", f"/v1/buckets/{bucket}", body=body).status, 200, f"ec of {bucket}")
        for number in range(32):
            path = f"/{bucket}/known/{number}"
            deadline = time.monotonic() + 30
            while call("PUT", path).status == 503 and time.monotonic() < deadline:
                pass
            same(call("DELETE", path).status, 204, f"DELETE of {path}")
