"""Receives reports from Lodge: checks the signature of each message, then prints the report.

Needs Python 3.8 and nothing else: WEBHOOK_SECRET=whsec_... python3 receiver.py
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("WEBHOOK_SECRET", "")
HOST = os.environ.get("HOST", "127.0.0.1")
PORT = int(os.environ.get("PORT", "4090"))
BODY_BYTES_MAX = 1_000_000
TOLERANCE_SECONDS = 300

if not SECRET.startswith("whsec_"):
    sys.exit("Set WEBHOOK_SECRET to the secret that lodged apply printed.")
KEY = base64.b64decode(SECRET[len("whsec_"):])
seen = set()  # a message may arrive twice; a real receiver stores the ids durably


def is_authentic(headers, body):
    """Standard Webhooks: HMAC-SHA256 of id, timestamp and body; any one signature will do while secrets rotate."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    try:
        if abs(time.time() - float(timestamp)) > TOLERANCE_SECONDS:
            return False
    except ValueError:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(expected, given) for given in headers.get("webhook-signature", "").split(" "))


def show(message):
    data = message["data"]
    envelope = data.get("envelope") or {}
    kind = envelope.get("kind", "bug")
    print(f"\n{data['receivedAt']}  verified  {kind}: {envelope.get('title') or data['reportId']}", flush=True)
    if envelope.get("message"):
        print(envelope["message"], flush=True)
    for attachment in data["attachments"]:
        name = attachment.get("filename") or attachment["partName"]
        print(f"attachment   {name} ({attachment['byteLength']} bytes) {attachment['url']}", flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        if length > BODY_BYTES_MAX:
            return self.answer(413)
        body = self.rfile.read(length)
        if not is_authentic(self.headers, body):
            return self.answer(401)
        self.answer(204)  # respond first, and do slow work afterwards
        message_id = self.headers["webhook-id"]
        if message_id not in seen:
            seen.add(message_id)
            show(json.loads(body))

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer((HOST, PORT), Receiver)
print(f"Waiting for reports at http://{HOST}:{PORT}/", flush=True)
server.serve_forever()
