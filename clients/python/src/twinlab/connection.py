"""HTTP: the token, errors as exceptions, lists page by page."""

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

PAGE = 500


class TwinlabError(Exception):
    """The server said no. `status` is that of its answer, `code` a stable word where it gives one."""

    def __init__(self, status, message, code=None):
        super().__init__(message)
        self.status = status
        self.code = code


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

    def pages(self, path, query=None):
        """Every row of a list."""
        rows = []
        while True:
            answer = self.send("GET", path, params={**flat(query), "limit": PAGE, "offset": len(rows)})
            page = answer.json()
            rows.extend(page)
            if not page or len(rows) >= int(answer.headers.get("X-Total-Count", 0)):
                return rows
