"""HTTP: the token, errors as exceptions, lists page by page."""

from contextlib import contextmanager

import numpy
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

PAGE = 500


class TwinlabError(Exception):
    """The server refused. `status` is that of its response, `code` a stable word if it has one.

    Both are `None` if there was no response, see `Unreachable`.
    """

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


class Unreachable(TwinlabError):
    """There was no response: the server is away, or the connection broke. The call may have been carried out."""


@contextmanager
def reachable(base):
    """Raises `Unreachable` for a server that cannot be reached."""
    try:
        yield
    except requests.RequestException as error:
        raise Unreachable(None, f"{base} cannot be reached: {error}") from error


def plain(value):
    """Replaces numpy's numbers by Python's, because JSON does not know them."""
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def flat(query):
    """Returns the query as the API reads it: `attributes[Gender]=Female`, `true` in small letters, without None."""
    named = {}
    for name, value in (query or {}).items():
        if isinstance(value, dict):
            named.update({f"{name}[{key}]": each for key, each in value.items()})
        elif value is not None:
            named[name] = str(value).lower() if isinstance(value, bool) else value
    return named


class Connection:
    def __init__(self, token, url, timeout):
        self.base = url.rstrip("/") + "/api"
        self.timeout = timeout
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"
        # Only GET may be repeated here. Callers repeat requests with an Idempotency-Key themselves.
        again = Retry(total=5, backoff_factor=0.5, status_forcelist=(429, 503), allowed_methods={"GET"},
                      raise_on_status=False)
        for scheme in ("http://", "https://"):
            self.session.mount(scheme, HTTPAdapter(max_retries=again))

    def send(self, method, path, **options):
        if "json" in options:
            options["json"] = plain(options["json"])
        with reachable(self.base):
            answer = self.session.request(method, self.base + path, timeout=self.timeout, **options)
        if answer.ok:
            return answer
        try:
            error = answer.json()
        except ValueError:
            error = {}
        message = error.get("message") or f"the server answered {answer.status_code}"
        raise TwinlabError(answer.status_code, message, error.get("code"))

    def call(self, method, path, query=None, **options):
        """Returns the JSON of the response, or None if it is empty."""
        answer = self.send(method, path, params=flat(query), **options)
        return answer.json() if answer.content else None

    def stream(self, method, path, query=None):
        """Returns the response before its body is read."""
        return self.send(method, path, params=flat(query), stream=True)

    def save(self, answer, path):
        """Writes an unread response to a file."""
        with reachable(self.base), path.open("wb") as file:
            for chunk in answer.iter_content(1 << 16):
                file.write(chunk)
        return path

    def pages(self, path, query=None):
        """Returns all rows of a list."""
        rows = []
        while True:
            answer = self.send("GET", path, params={**flat(query), "limit": PAGE, "offset": len(rows)})
            page = answer.json()
            rows.extend(page)
            if not page or len(rows) >= int(answer.headers.get("X-Total-Count", 0)):
                return rows
