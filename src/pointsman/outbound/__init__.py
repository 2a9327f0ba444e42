"""Calls to services that callers or rules name, which cannot be turned against the owner's own network; and webhooks.

Public: `HttpOutbound`, `WebhookSender`, `sign`, `verify`, `BadSignature`. The rest of the package is its inside.
"""

from pointsman.outbound.calls import HttpOutbound
from pointsman.outbound.signing import BadSignature, sign, verify
from pointsman.outbound.webhook import WebhookSender

__all__ = ["BadSignature", "HttpOutbound", "WebhookSender", "sign", "verify"]
