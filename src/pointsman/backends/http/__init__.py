"""The HTTP client that the backends share: one pool of keep-alive connections an origin, streams in, streams out.

Public: `Pool`, `Origin`, `parse_origin`, `Limits`. The rest of the package is its inside.
"""

from pointsman.backends.http.limits import Limits
from pointsman.backends.http.origin import Origin, parse_origin
from pointsman.backends.http.pool import Pool

__all__ = ["Limits", "Origin", "Pool", "parse_origin"]
