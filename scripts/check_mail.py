"""Signs in by a code that came through a mail server which only takes encrypted mails. For scripts/check-mail."""

import email
import email.policy
import json
import logging
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request
import warnings
from contextlib import contextmanager
from pathlib import Path

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

WHO = "root@lab.example"
HOST = "127.0.0.1"
MAIL_TIMEOUT_S = 120


class Inbox:
    """Keeps what arrives."""

    def __init__(self):
        self.mails = []

    async def handle_DATA(self, server, session, envelope):
        assert session.authenticated
        self.mails.append(envelope)
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    known = isinstance(data, LoginPassword) and (data.login, data.password) == (b"lab", b"s3cret")
    return AuthResult(success=known)


def until(what, look):
    deadline = time.monotonic() + MAIL_TIMEOUT_S
    while time.monotonic() < deadline:
        found = look()
        if found:
            return found
        time.sleep(0.05)
    raise SystemExit(f"{what}: not within {MAIL_TIMEOUT_S} s")


class Twinlab:
    """A server that is at work."""

    def __init__(self, process, log):
        self.process = process
        self.log = log
        self.url = until("a start", self.address)

    @classmethod
    @contextmanager
    def serving(cls, program, directory, url, certificates):
        """Mails by the URL, and ends with the block."""
        log = directory / "log"
        environment = {name: os.environ[name] for name in ("PATH", "HOME", "PG_BIN_DIR") if name in os.environ}
        environment |= {"DATA_DIR": str(directory / "data"), "SMTP_URL": url, "SUPER_ADMIN_EMAIL": WHO}
        environment |= {"MAIL_FROM": "lab@lab.example", "PORT": "0", "DRAIN_S": "0", **certificates}
        with log.open("w") as output:
            process = subprocess.Popen([program, "serve"], env=environment, stdout=output, stderr=output)
        try:
            yield cls(process, log)
        finally:
            process.terminate()
            process.wait()

    def address(self):
        if self.process.poll() is not None:
            raise SystemExit(self.log.read_text())
        found = re.search(r"^Digital Twin Lab: (http://\S+)$", self.log.read_text(), re.MULTILINE)
        return found and found[1]

    def post(self, call, body):
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/auth/{call}", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


def sign_in(program, directory, url, inbox, certificates):
    with Twinlab.serving(program, directory, url, certificates) as twinlab:
        twinlab.post("request-login", {"email": WHO})
        envelope = until("a mail", lambda: inbox.mails and inbox.mails.pop())
        assert (envelope.mail_from, envelope.rcpt_tos) == ("lab@lab.example", [WHO])
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        text, html = (mail.get_body([kind]).get_content() for kind in ("plain", "html"))
        code = re.match(r"(\d{6}) is your verification code", mail["subject"])[1]
        assert code in text and code in html
        assert twinlab.post("verify-login", {"email": WHO, "code": code})["access_token"]


def is_refused(program, directory, url, inbox):
    """The server's certificate is signed by nobody that this machine trusts."""
    with Twinlab.serving(program, directory, url, {}) as twinlab:
        twinlab.post("request-login", {"email": WHO})
        until("a refusal", lambda: "certificate" in twinlab.log.read_text())
        assert not inbox.mails


def free_port():
    with socket.create_server((HOST, 0)) as taken:
        return taken.getsockname()[1]


def main(program):
    # It finds much to say about clients that hang up, and knows no encryption but STARTTLS.
    logging.getLogger("mail.log").setLevel(logging.CRITICAL)
    warnings.simplefilter("ignore")
    authority = trustme.CA()
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(HOST).configure_cert(context)
    inbox = Inbox()
    options = {"hostname": HOST, "authenticator": authenticate, "auth_required": True}
    starttls = Controller(inbox, port=free_port(), tls_context=context, require_starttls=True, **options)
    tls = Controller(inbox, port=free_port(), ssl_context=context, auth_require_tls=False, **options)
    with tempfile.TemporaryDirectory() as home:
        # Its PostgreSQL is another user where twinlab is root, and would else be put where nobody clears it away.
        os.chmod(home, 0o755)
        authority.cert_pem.write_to_path(Path(home) / "authority.pem")
        certificates = {"SSL_CERT_FILE": str(Path(home) / "authority.pem")}
        for number, (scheme, server, query) in enumerate([("smtp", starttls, "?tls=required"), ("smtps", tls, "")]):
            server.start()
            try:
                url = f"{scheme}://lab:s3cret@{HOST}:{server.port}{query}"
                for name, check in [("trusted", lambda d: sign_in(program, d, url, inbox, certificates)),
                                    ("unknown", lambda d: is_refused(program, d, url, inbox))]:
                    directory = Path(home) / f"{name}{number}"
                    directory.mkdir()
                    check(directory)
            finally:
                server.stop()


main(sys.argv[1])
