"""A local S3 service (moto), and a proxy between it and the client that simulates network faults."""
import http.client
import http.server
import logging
import os
import random
import socketserver
import threading
import urllib.request

FAULTS = ("500", "slow down", "cut before", "cut after")


class FaultyNetwork(http.server.BaseHTTPRequestHandler):
    """Forwards requests to the service; a share of them ends in one of FAULTS, the last one after the service has done its work."""

    protocol_version = "HTTP/1.1"
    server: "Bucket"

    def forward(self):
        server = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = server.choose_fault()
        if fault in ("500", "slow down"):
            return self.answer(500 if fault == "500" else 503, b"<Error><Code>InternalError</Code></Error>" if fault == "500"
                               else b"<Error><Code>SlowDown</Code></Error>")
        if fault == "cut before":
            return self.cut()
        connection = http.client.HTTPConnection("127.0.0.1", server.service_port, timeout=60)
        connection.request(self.command, self.path, body, dict(self.headers))
        answer = connection.getresponse()
        content, headers = answer.read(), answer.getheaders()
        connection.close()
        if fault == "cut after":
            return self.cut()
        self.answer(answer.status, content, headers)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = forward

    def answer(self, status, content, headers=()):
        self.send_response(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                self.send_header(name, value)
        length = dict((name.lower(), value) for name, value in headers).get("content-length") if self.command == "HEAD" else None
        self.send_header("Content-Length", length or str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def cut(self):
        self.close_connection = True
        self.connection.close()

    def log_message(self, *_):
        pass


class Bucket(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A bucket, the environment that names it, and the faults of the proxy: `share` of requests, and the number of `faults` so far."""

    daemon_threads = True

    def __init__(self, name="fleet"):
        from moto.server import ThreadedMotoServer

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        super().__init__(("127.0.0.1", 0), FaultyNetwork)
        self.service = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
        self.service.start()
        self.service_port = self.service.get_host_and_port()[1]
        self.share, self.faults, self.random = 0.0, dict.fromkeys(FAULTS, 0), random.Random(1)
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.make(name)

    def make(self, name):
        urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.service_port}/{name}", method="PUT"), timeout=300)

    def choose_fault(self):
        with self.lock:
            if self.random.random() >= self.share:
                return None
            fault = self.random.choice(FAULTS)
            self.faults[fault] += 1
            return fault

    @property
    def environment(self):
        return {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.server_address[1]}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "KEYOFTHETEST", "AWS_SECRET_ACCESS_KEY": "SECRETOFTHETEST",
                "PATH": os.environ["PATH"]}

    def handle_error(self, request, client_address):
        pass  # a client that went away

    def close(self):
        self.shutdown()
        self.service.stop()
