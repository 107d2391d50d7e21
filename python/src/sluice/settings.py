"""Where the cluster is and how a client talks to it: from arguments, else from the environment."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Settings:
    """Values only, so that they can be pickled and sent to other processes."""

    endpoints: tuple[str, ...]
    key: str | None = None
    secret: str | None = None
    token: str | None = None
    profile: str | None = None
    region: str | None = None
    anon: bool = False
    ca: str | None = None
    redirect: bool = True
    retries: int = 5
    backoff: float = 0.1
    connect_timeout: float = 3.0
    read_timeout: float = 60.0
    max_concurrency: int = 16

    @staticmethod
    def of(endpoints: str | Sequence[str] | None = None, **options: Any) -> Settings:
        """Completes the options from the environment.

        :param endpoints: URLs of nodes, in a list or separated by commas; else SLUICE_ENDPOINTS,
            SLUICE_ENDPOINT, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL
        """
        if not options.get("key") and not options.get("profile"):
            options["key"] = os.environ.get("SLUICE_ACCESS_KEY")
            options["secret"] = os.environ.get("SLUICE_SECRET_KEY")
        options["ca"] = options.get("ca") or os.environ.get("AWS_CA_BUNDLE") or None
        return Settings(endpoints=_endpoints(endpoints), **options)


_VARIABLES = ("SLUICE_ENDPOINTS", "SLUICE_ENDPOINT", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")


def _endpoints(given: str | Sequence[str] | None) -> tuple[str, ...]:
    if not given:
        given = next((os.environ[name] for name in _VARIABLES if os.environ.get(name)), None)
    if not given:
        raise ValueError(
            "no endpoint of a Sluice cluster: pass endpoints=…, or set SLUICE_ENDPOINTS or "
            'AWS_ENDPOINT_URL (eval "$(sluice env)" sets it for a cluster on this machine)'
        )
    texts = given.split(",") if isinstance(given, str) else given
    return tuple(_origin(text.strip()) for text in texts if text.strip())


def _origin(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"not an endpoint: {url!r}; write http://HOST:PORT or https://HOST:PORT")
    if parts.path.strip("/") or parts.query or parts.username:
        raise ValueError(f"an endpoint has no path, query or user: {url!r}")
    return f"{parts.scheme}://{parts.netloc}"
