"""Whom to trust behind https."""

from __future__ import annotations

import ssl

from pointsman.domain.said import said


def tls_context(authorities: str | None = None) -> ssl.SSLContext:
    """Certificates and host names checked, HTTP/1.1 by ALPN. Trusted are the system's authorities (OpenSSL's own
    SSL_CERT_FILE and SSL_CERT_DIR name others), or else only those in the PEM file `authorities`.
    ValueError: that file cannot be read, or holds no certificate."""
    try:
        context = ssl.create_default_context(cafile=authorities)
    except ssl.SSLError:
        en, zh = "{file} holds no certificate in PEM form", "{file} 里没有 PEM 格式的证书"
        raise ValueError(said(en, zh, file=authorities)) from None
    except OSError as error:
        en, zh = "{file} cannot be read: {why}", "无法读取 {file}：“{why}”"
        raise ValueError(said(en, zh, file=authorities, why=error.strerror or error)) from None
    context.set_alpn_protocols(["http/1.1"])
    return context
