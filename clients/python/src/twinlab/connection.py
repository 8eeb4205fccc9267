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

    def get(self, path, **query):
        return self.send("GET", path, params=query).json()

    def post(self, path, body=None, headers=None, **query):
        return self.send("POST", path, json=body, headers=headers, params=query).json()

    def pages(self, path, **query):
        """Every row of a list."""
        rows = []
        while True:
            answer = self.send("GET", path, params={**query, "limit": PAGE, "offset": len(rows)})
            page = answer.json()
            rows.extend(page)
            if not page or len(rows) >= int(answer.headers.get("X-Total-Count", 0)):
                return rows
