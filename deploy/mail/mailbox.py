# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A mailbox for development: every message that is sent to it ends here and goes nowhere.

SMTP on port 1025 without sign-in. GET /messages on port 8025 gives the last hundred as JSON, newest first; GET / shows
them; DELETE /messages forgets them. Nothing is kept on disk.
"""

import collections
import email
import email.policy
import html
import http.client
import http.server
import json
import signal
import sys
import threading
import time

SMTP_PORT = 1025
HTTP_PORT = 8025
KEPT = 100

messages = collections.deque(maxlen=KEPT)


class Inbox:
    """What aiosmtpd asks for every message."""

    async def handle_DATA(self, server, session, envelope):
        parsed = email.message_from_bytes(envelope.content, policy=email.policy.default)
        body = parsed.get_body(preferencelist=("plain", "html"))
        messages.appendleft(
            {
                "from": envelope.mail_from,
                "to": envelope.rcpt_tos,
                "subject": str(parsed["subject"] or ""),
                "headers": [[name, str(value)] for name, value in parsed.items()],
                "text": body.get_content() if body is not None else "",
                "receivedAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            }
        )
        return "250 kept"


class Pages(http.server.BaseHTTPRequestHandler):
    """The messages as JSON and as one plain page."""

    def do_GET(self):
        if self.path == "/messages":
            self.answer("application/json", json.dumps(list(messages)))
        elif self.path == "/":
            items = "".join(
                f"<h2>{html.escape(m['subject'])}</h2><p>{html.escape(', '.join(m['to']))}, {m['receivedAt']}</p>"
                f"<pre>{html.escape(m['text'])}</pre>"
                for m in list(messages)
            )
            self.answer("text/html; charset=utf-8", f"<!doctype html><title>Mail</title><h1>Mail</h1>{items}")
        else:
            self.send_error(404)

    def do_DELETE(self):
        if self.path != "/messages":
            return self.send_error(404)
        messages.clear()
        self.answer("application/json", "[]")

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Addresses and subjects are personal: nothing is logged."""


def check():
    """Whether both ports answer; for the container's health check."""
    import smtplib

    connection = http.client.HTTPConnection("127.0.0.1", HTTP_PORT, timeout=2)
    connection.request("GET", "/messages")
    served = connection.getresponse().status == 200
    with smtplib.SMTP("127.0.0.1", SMTP_PORT, timeout=2) as client:
        return 0 if served and client.noop()[0] == 250 else 1


def main():
    from aiosmtpd.controller import Controller

    Controller(Inbox(), hostname="0.0.0.0", port=SMTP_PORT, data_size_limit=16 << 20).start()
    pages = http.server.ThreadingHTTPServer(("0.0.0.0", HTTP_PORT), Pages)
    stop = lambda *_: threading.Thread(target=pages.shutdown).start()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print("mail: serving", flush=True)
    pages.serve_forever()


if __name__ == "__main__":
    sys.exit(check() if "--check" in sys.argv else main())
