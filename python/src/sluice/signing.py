"""Signatures (SigV4), made by botocore with the credentials that boto3 would use."""

from __future__ import annotations

import os
import threading
from typing import Any

from sluice.settings import Settings


class Signer:
    """Signs requests. For all threads. Looks for credentials at its first use."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.after_fork()
        self._found: tuple[Any, str] | None = None

    def after_fork(self) -> None:
        """A lock that another thread held at the fork would never open in the child."""
        self._lock = threading.Lock()

    def sign(self, method: str, url: str, headers: dict[str, str]) -> dict[str, str]:
        """The headers with those of a signature. Bodies are not hashed: checksums cover them."""
        from botocore.auth import S3SigV4Auth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        credentials, region = self._credentials()
        if credentials is None:
            return headers
        request = AWSRequest(method=method, url=url, headers=headers)
        request.context["client_config"] = _unsigned_payload()
        S3SigV4Auth(credentials.get_frozen_credentials(), "s3", region).add_auth(request)
        return {str(name): str(value) for name, value in request.headers.items()}

    def presign(self, method: str, url: str, seconds: int) -> str:
        """A URL that allows this request until then, without other credentials."""
        from botocore.auth import S3SigV4QueryAuth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415

        credentials, region = self._credentials()
        if credentials is None:
            return url
        request = AWSRequest(method=method, url=url)
        frozen = credentials.get_frozen_credentials()
        S3SigV4QueryAuth(frozen, "s3", region, expires=seconds).add_auth(request)
        return str(request.url)

    def _credentials(self) -> tuple[Any, str]:
        found = self._found
        if found is None:
            with self._lock:
                found = self._found = self._found or _find(self._settings)
        return found


_payload: list[Any] = []


def _unsigned_payload() -> Any:
    if not _payload:
        from botocore.config import Config  # noqa: PLC0415

        _payload.append(Config(s3={"payload_signing_enabled": False}))
    return _payload[0]


def _find(settings: Settings) -> tuple[Any, str]:
    from botocore.credentials import Credentials  # noqa: PLC0415
    from botocore.session import Session  # noqa: PLC0415

    session = Session(profile=settings.profile)
    region = settings.region or os.environ.get("AWS_REGION")
    region = region or session.get_config_variable("region") or "us-east-1"
    if settings.anon:
        return None, region
    if settings.key:
        return Credentials(settings.key, settings.secret or "", settings.token), region
    return session.get_credentials(), region
