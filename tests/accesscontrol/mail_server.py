"""A mail server of the tests' own: it speaks SMTP, keeps what it takes, and refuses or waits where it is told to."""

import socketserver
import threading
from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage


class MailServer:
    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.refused: set[str] = set()
        self.before_taking: Callable[[EmailMessage], None] = lambda message: None
        self._port = 0
        self._server: _Server | None = None

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), _Conversation)
        self._server.mail = self
        self._port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self._port}"

    @property
    def recipients(self) -> list[str]:
        return sorted(str(message["To"]) for message in self.taken)

    def take(self, message: EmailMessage) -> None:
        self.before_taking(message)
        self.taken.append(message)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    mail: MailServer


class _Conversation(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self._say("220 the tests' own")
        while line := self.rfile.readline():
            verb = line.split()[0].upper()
            if verb == b"DATA":
                self._say("354 go on")
                self.server.mail.take(self._message())
            refused = verb == b"RCPT" and any(address in line.decode() for address in self.server.mail.refused)
            self._say("550 nobody here" if refused else "221 bye" if verb == b"QUIT" else "250 fine")
            if verb == b"QUIT":
                return

    def _say(self, line: str) -> None:
        self.wfile.write(line.encode() + b"\r\n")

    def _message(self) -> EmailMessage:
        lines = iter(self.rfile.readline, b".\r\n")
        return message_from_bytes(b"".join(lines), policy=policy.default)
