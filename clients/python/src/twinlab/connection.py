"""HTTP: the token, errors as exceptions, lists page by page."""

from contextlib import contextmanager

import numpy
import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

PAGE = 500


class TwinlabError(Exception):
    """The server said no. `status` is that of its answer, `code` a stable word where it gives one.

    Both are `None` where there was no answer: see `Unreachable`.
    """

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


class Unreachable(TwinlabError):
    """No answer came: the server is away, or the connection broke. Whether the call was carried out is not known."""


@contextmanager
def reachable(base):
    """Tells of a server that cannot be reached as `Unreachable`."""
    try:
        yield
    except requests.RequestException as error:
        raise Unreachable(None, f"{base} cannot be reached: {error}") from error


def plain(value):
    """The value with Python's own numbers in place of numpy's, which JSON does not know."""
    if isinstance(value, numpy.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def flat(query):
    """The query as the API reads it: `attributes[Gender]=Female`, `true` in small letters; without what is None."""
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
        # Only what may be sent twice: GET, and what carries an Idempotency-Key is sent again by its caller.
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
        """The JSON of the answer; None where there is none."""
        answer = self.send(method, path, params=flat(query), **options)
        return answer.json() if answer.content else None

    def stream(self, method, path, query=None):
        """The answer before it is read."""
        return self.send(method, path, params=flat(query), stream=True)

    def save(self, answer, path):
        """Writes an answer that is not read yet to a file."""
        with reachable(self.base), path.open("wb") as file:
            for chunk in answer.iter_content(1 << 16):
                file.write(chunk)
        return path

    def pages(self, path, query=None):
        """Every row of a list."""
        rows = []
        while True:
            answer = self.send("GET", path, params={**flat(query), "limit": PAGE, "offset": len(rows)})
            page = answer.json()
            rows.extend(page)
            if not page or len(rows) >= int(answer.headers.get("X-Total-Count", 0)):
                return rows
