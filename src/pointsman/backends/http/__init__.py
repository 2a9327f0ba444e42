"""The HTTP client that the backends share: one pool of keep-alive connections an origin, streams in, streams out.

Public: `Pool`, `Origin`, `parse_origin`, `Limits`, `Traffic`, `tls_context`. The rest of the package is its inside.
"""

from pointsman.backends.http.limits import Limits
from pointsman.backends.http.origin import Origin, parse_origin
from pointsman.backends.http.pool import Pool
from pointsman.backends.http.tls import tls_context
from pointsman.backends.http.traffic import Traffic

__all__ = ["Limits", "Origin", "Pool", "Traffic", "parse_origin", "tls_context"]
