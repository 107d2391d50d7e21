"""Requests to a cluster: endpoints in turn, bounded retries, redirects to targets.

Any node answers any request. A GET of an object asks for a redirect, so that its bytes come from
the target that has them. The redirect's URL carries a token that allows this one GET, so nothing
is signed for the target, and no credentials are sent to it.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.exceptions import HTTPError, NewConnectionError, TimeoutError

from sluice import errors
from sluice.connections import PlainPool, SecurePool, read_into
from sluice.settings import Settings
from sluice.signing import Signer

_AGAIN = frozenset({429, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LONGEST_WAIT = 5.0
_LONGEST_RETRY_AFTER = 30.0
# An endpoint or target that did not answer is asked last for so long.
_AVOIDED = 5.0


# A redirect's token is valid for 60 s.
_REDIRECT_KEPT = 45.0


class Way:
    """Where GETs of one object were redirected to, so that not each one asks again."""

    def __init__(self) -> None:
        self._known: tuple[str, str, float] | None = None

    @property
    def known(self) -> tuple[str, str] | None:
        """The origin and the target, if the redirect is still valid."""
        known = self._known
        if known is None or known[2] < time.monotonic():
            return None
        return known[:2]

    def learn(self, origin: str, target: str) -> None:
        self._known = origin, target, time.monotonic() + _REDIRECT_KEPT

    def forget(self) -> None:
        self._known = None


@dataclass(frozen=True)
class Request:
    """One request, as often as it is sent."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | memoryview | None = None
    # A GET of an object: its target may answer itself. Requests with the same way share redirects.
    way: Way | None = None

    @property
    def about(self) -> str:
        return self.path.lstrip("/")

    @cached_property
    def target(self) -> str:
        """Path and query as they are sent and signed."""
        pairs = [f"{_encoded(name)}={_encoded(value)}" for name, value in self.query.items()]
        query = "?" + "&".join(sorted(pairs)) if pairs else ""
        return quote(self.path, safe="/~") + query


def _encoded(text: str) -> str:
    return quote(text, safe="~")


@dataclass(frozen=True)
class Answer:
    """A whole answer. `attempts` is how often the request was sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    attempts: int = 1


class _NoAnswerError(Exception):
    """Nothing, or not all of an answer, came from this node."""

    def __init__(self, origin: str, cause: Exception) -> None:
        super().__init__(f"{origin}: {cause}")
        self.origin = origin
        self.silent = isinstance(cause, NewConnectionError | TimeoutError)


class BrokenStreamError(ConnectionError):
    """An answer that ended before it was whole."""


class Stream:
    """An answer that is read as it comes. For one thread."""

    def __init__(self, response: urllib3.BaseHTTPResponse, origin: str) -> None:
        self._response = response
        self._origin = origin
        self._finished = False

    def fill(self, data: memoryview) -> None:
        """Reads so many bytes. Raises BrokenStreamError if there are fewer."""
        try:
            # Past urllib3, which would join the pieces in which they come.
            count = read_into(self._response, data)
        except (HTTPError, HTTPException, OSError) as cause:
            raise BrokenStreamError(f"{self._origin}: {cause}") from cause
        if count < len(data):
            raise BrokenStreamError(f"{self._origin}: the answer ended before it was whole")

    def lines(self) -> Iterator[bytes]:
        """Its lines as they come. Raises BrokenStreamError at an end within a line."""
        rest = b""
        try:
            for piece in self._response.stream(64 << 10, decode_content=False):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
        except (HTTPError, OSError) as cause:
            raise BrokenStreamError(f"{self._origin}: {cause}") from cause
        if rest:
            raise BrokenStreamError(f"{self._origin}: the answer ended within a line")
        self._finished = True

    def finish(self) -> None:
        """After the last byte: the connection can be used again."""
        try:
            rest = self._response.read()
        except (HTTPError, OSError) as cause:
            raise BrokenStreamError(f"{self._origin}: {cause}") from cause
        if rest:
            raise BrokenStreamError(f"{self._origin}: something follows the answer's end")
        self._finished = True

    def close(self) -> None:
        if self._finished:
            self._response.release_conn()
        else:
            self._response.close()


class Transport:
    """Sends requests. For all threads, and for processes that fork: each has its connections."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.signer = Signer(settings)
        self._start()
        _living.add(self)

    def __reduce__(self) -> tuple[type[Transport], tuple[Settings]]:
        return Transport, (self.settings,)

    def _start(self) -> None:
        """Fresh locks, connections and threads, also in a child process after a fork."""
        self._lock = threading.Lock()
        self._pools: dict[str, urllib3.HTTPConnectionPool] = {}
        self._threads: ThreadPoolExecutor | None = None
        self._avoided: dict[str, float] = {}
        self._turn = random.randrange(len(self.settings.endpoints))

    @property
    def lock(self) -> threading.Lock:
        """For short moments; a new one in a child process after a fork."""
        return self._lock

    @property
    def threads(self) -> ThreadPoolExecutor:
        """The threads of this process that do many requests at once. They wait for no others."""
        with self._lock:
            if self._threads is None:
                workers = self.settings.max_concurrency
                self._threads = ThreadPoolExecutor(workers, thread_name_prefix="sluice")
            return self._threads

    def call(self, request: Request) -> Answer:
        """The answer, if it is not an error."""
        answer = self.send(request)
        if answer.status >= 400:
            raise errors.of(answer.status, answer.body, request.about)
        return answer

    def send(self, request: Request) -> Answer:
        """The answer, whatever its status. Raises ConnectionError if no node answers."""
        attempts = max(self.settings.retries + 1, len(self.settings.endpoints))
        relay = not self.settings.redirect
        for attempt in range(1, attempts + 1):
            endpoint = self._next_endpoint()
            try:
                answer = self._once(endpoint, request, relay, attempt)
            except _NoAnswerError as none:
                if attempt == attempts:
                    text = f"{request.about}: no answer after {attempts} attempts: {none}"
                    raise ConnectionError(text) from none.__cause__
                # A target that this machine does not reach is asked through the endpoint.
                relay = relay or none.origin != endpoint
                if request.way is not None:
                    request.way.forget()
                if none.silent:
                    self._avoid(none.origin)
                if attempt >= len(self.settings.endpoints):
                    time.sleep(self._wait(attempt, None))
                continue
            if answer.status not in _AGAIN or attempt == attempts:
                return answer
            if request.way is not None:  # another target may serve it by now
                request.way.forget()
            time.sleep(self._wait(attempt, answer.headers.get("retry-after")))
        raise AssertionError("unreachable")

    def open(self, request: Request) -> Stream:
        """The answer as it comes, if it is not an error; to be closed.

        Raises ConnectionError if no node answers.
        """
        attempts = max(self.settings.retries + 1, len(self.settings.endpoints))
        for attempt in range(1, attempts + 1):
            endpoint = self._next_endpoint()
            headers = {**_ALWAYS, **request.headers}
            signed = self.signer.sign(request.method, endpoint + request.target, headers)
            try:
                response = self._response(endpoint, request.target, request, signed)
                if response.status < 400:
                    return Stream(response, endpoint)
                with response:
                    body = response.read()
            except (HTTPError, OSError) as cause:
                if attempt == attempts:
                    text = f"{request.about}: no answer after {attempts} attempts: {cause}"
                    raise ConnectionError(text) from cause
                if isinstance(cause, NewConnectionError | TimeoutError):
                    self._avoid(endpoint)
                if attempt >= len(self.settings.endpoints):
                    self.pause(attempt)
                continue
            if response.status not in _AGAIN or attempt == attempts:
                raise errors.of(response.status, body, request.about)
            time.sleep(self._wait(attempt, response.headers.get("retry-after")))
        raise AssertionError("unreachable")

    def pause(self, attempt: int) -> None:
        """Before something is tried for the second (1) or a later time."""
        time.sleep(self._wait(attempt, None))

    def url(self, request: Request) -> str:
        """The address of a request at one of the endpoints."""
        return self._next_endpoint() + request.target

    def _once(self, endpoint: str, request: Request, relay: bool, attempt: int) -> Answer:
        headers = {**_ALWAYS, **request.headers}
        if request.way is not None:
            known = request.way.known
            if known is not None and not relay and not self._is_avoided(known[0]):
                answer = self._exchange(*known, request, headers, attempt)
                # What the token allowed may have ended, or the target has the object no more.
                if answer.status != 403 and answer.status not in _REDIRECTS:
                    return answer
                request.way.forget()
            headers["x-sluice-route"] = "relay" if relay else "redirect"
        signed = self.signer.sign(request.method, endpoint + request.target, headers)
        answer = self._exchange(endpoint, request.target, request, signed, attempt)
        if answer.status not in _REDIRECTS:
            return answer
        origin, target = _location(endpoint, answer, request)
        if self._is_avoided(origin):
            return self._once(endpoint, request, True, attempt)
        answer = self._exchange(origin, target, request, {**_ALWAYS, **request.headers}, attempt)
        if answer.status in _REDIRECTS:  # the object has moved on meanwhile
            return self._once(endpoint, request, True, attempt)
        if answer.status < 300 and request.way is not None:
            request.way.learn(origin, target)
        return answer

    def _exchange(
        self,
        origin: str,
        target: str,
        request: Request,
        headers: Mapping[str, str],
        attempt: int,
    ) -> Answer:
        try:
            response = self._response(origin, target, request, headers)
            try:
                body = response.read()
            finally:
                response.release_conn()
        except (HTTPError, OSError) as cause:
            raise _NoAnswerError(origin, cause) from cause
        return Answer(response.status, response.headers, body, attempt)

    def _response(
        self, origin: str, target: str, request: Request, headers: Mapping[str, str]
    ) -> urllib3.BaseHTTPResponse:
        """An answer whose body is not read yet."""
        return self._pool(origin).urlopen(
            request.method,
            target,
            body=request.body,  # type: ignore[arg-type] # a memoryview is sent as it is
            headers=headers,
            retries=False,
            redirect=False,
            preload_content=False,
            decode_content=False,
        )

    def _pool(self, origin: str) -> urllib3.HTTPConnectionPool:
        pool = self._pools.get(origin)
        if pool is None:
            with self._lock:
                pool = self._pools.get(origin) or self._new_pool(origin)
                self._pools[origin] = pool
        return pool

    def _new_pool(self, origin: str) -> urllib3.HTTPConnectionPool:
        settings = self.settings
        url = urlsplit(origin)
        options: dict[str, Any] = {
            # More connections than that are made when they are needed, and not kept.
            "maxsize": 4 * settings.max_concurrency,
            "timeout": urllib3.Timeout(settings.connect_timeout, settings.read_timeout),
        }
        if url.scheme == "https":
            return SecurePool(url.hostname or "", url.port, ca_certs=settings.ca, **options)
        return PlainPool(url.hostname or "", url.port, **options)

    def _next_endpoint(self) -> str:
        endpoints = self.settings.endpoints
        with self._lock:
            first = self._turn
            self._turn = (first + 1) % len(endpoints)
        turns = [endpoints[(first + i) % len(endpoints)] for i in range(len(endpoints))]
        return next((url for url in turns if not self._is_avoided(url)), turns[0])

    def _avoid(self, origin: str) -> None:
        self._avoided[origin] = time.monotonic() + _AVOIDED

    def _is_avoided(self, origin: str) -> bool:
        return bool(self._avoided) and self._avoided.get(origin, 0.0) > time.monotonic()

    def _wait(self, attempt: int, retry_after: str | None) -> float:
        """Longer from attempt to attempt, with chance in it, at least what the server says."""
        wait = min(_LONGEST_WAIT, self.settings.backoff * 2.0 ** (attempt - 1))
        wait *= random.uniform(0.5, 1.0)
        asked = float(retry_after) if retry_after and retry_after.isdecimal() else 0.0
        return max(wait, min(asked, _LONGEST_RETRY_AFTER))


# Origin and target.
_ABSOLUTE = re.compile(r"(https?://[^/?#@\s]+)(/[^#\s]*)")
_ALWAYS = {"User-Agent": "sluice-python/0.1.0"}


def _location(endpoint: str, answer: Answer, request: Request) -> tuple[str, str]:
    """The origin and the target of a redirect that may be followed."""
    location = answer.headers.get("location", "")
    found = _ABSOLUTE.fullmatch(location)
    weaker = endpoint.startswith("https:") and not location.startswith("https:")
    if answer.status != 307 or request.way is None or found is None or weaker:
        text = f"{endpoint} redirects where it must not: {location or 'no Location'}"
        raise errors.make(answer.status, "Redirect", text, request.about)
    return found[1], found[2]


_living: weakref.WeakSet[Transport] = weakref.WeakSet()


def _after_fork(start: Callable[[Transport], None] = Transport._start) -> None:
    """Locks that another thread held at the fork would never open in the child."""
    for transport in list(_living):
        start(transport)
        transport.signer.after_fork()


os.register_at_fork(after_in_child=_after_fork)
