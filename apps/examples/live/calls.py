"""JSON calls to roles of the decision service, over TCP with a token or over a Unix socket."""

import http.client
import json
import socket
import threading
import time


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Unreachable(Exception):
    """No final answer came within the time limit."""


class Role:
    """A role at "unix:PATH" or "host:port"."""

    def __init__(self, address, token=None, timeout=30.0):
        self.address = address
        self.token = token
        self.timeout = timeout
        self.threads = threading.local()

    def connection(self):
        if self.address.startswith("unix:"):
            return UnixConnection(self.address[len("unix:"):], self.timeout)
        return http.client.HTTPConnection(self.address, timeout=self.timeout)

    def once(self, method, path, body=None):
        """Raises OSError or http.client.HTTPException if the connection breaks."""
        if getattr(self.threads, "connection", None) is None:
            self.threads.connection = self.connection()
        headers = {}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(body)
        try:
            self.threads.connection.request(method, path, data, headers)
            answer = self.threads.connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.threads.connection.close()
            self.threads.connection = None
            raise

    def ask(self, method, path, body=None, within=10.0, again=lambda: None):
        """Repeats the call while the status is 503. Every call of the service may be repeated. Raises Unreachable after
        `within` seconds."""
        end = time.monotonic() + within
        pause = 0.02
        while True:
            try:
                status, text = self.once(method, path, body)
                if status != 503:
                    return status, json.loads(text) if text else None
                why = f"{path} answers 503"
            except (OSError, http.client.HTTPException) as error:
                why = f"{path}: {error}"
            if time.monotonic() + pause > end:
                raise Unreachable(why)
            again()
            time.sleep(pause)
            pause = min(2 * pause, 0.5)
