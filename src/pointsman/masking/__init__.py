"""Values that must not leave: replaced by placeholders on the way to an engine, put back in its reply. Pure."""

from pointsman.masking.body import MaskedBody, mask_body
from pointsman.masking.mask import PERSONAL, Masked, mask
from pointsman.masking.request import Masking, RequestMask
from pointsman.masking.stream import UnmaskedStream
from pointsman.masking.unmask import Unmasker

__all__ = [
    "PERSONAL", "Masked", "MaskedBody", "Masking", "RequestMask", "UnmaskedStream", "Unmasker", "mask", "mask_body",
]  # fmt: skip
