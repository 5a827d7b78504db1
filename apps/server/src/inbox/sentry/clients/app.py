# A Python application with Sentry's client, which reports to SENTRY_DSN.
import sentry_sdk
from sentry_sdk import capture_exception, capture_message, configure_scope
from sentry_sdk.envelope import Envelope, Item, PayloadRef

sentry_sdk.init(release="shop@1.2.3+45", environment="staging", shutdown_timeout=20)
with configure_scope() as scope:
    scope.set_tag("flow", "checkout")
    scope.user = {"id": "u-1", "email": "ada@example.test", "username": "ada"}
    scope.add_attachment(bytes=b"a line", filename="app.log")
sentry_sdk.add_breadcrumb(category="cart", message="added", level="info", data={"sku": 7})


def pay():
    try:
        int("no amount")
    except ValueError as error:
        raise RuntimeError("card declined") from error


try:
    pay()
except RuntimeError:
    event_id = capture_exception()
capture_message("a message")
report = {"event_id": event_id, "name": "Ada", "email": "ada@example.test", "comments": "It broke."}
client = sentry_sdk.Hub.current.client
client.transport.capture_envelope(Envelope(items=[Item(payload=PayloadRef(json=report), type="user_report")]))
for _ in range(2):
    client.capture_event({"event_id": "0" * 31 + "1", "message": "twice"})
raise KeyError("uncaught")
