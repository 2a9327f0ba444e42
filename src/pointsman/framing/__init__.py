"""Which part of a message did the user write? Chat products wrap what they retrieved and the question into one message;
here the question is found again. Pure; linear in the message.

`compile_frames` turns `Frame`s into `Frames`, `Frames.question_span` finds the question and `Frames.contexts` what was
retrieved; `chunks_of` cuts that into chunks. `system_contexts` finds it in a system message."""

from pointsman.domain.frame import Frame
from pointsman.framing.chunks import Chunk, chunks_of
from pointsman.framing.frames import Frames, Span, compile_frames, with_shipped
from pointsman.framing.shipped import SHIPPED
from pointsman.framing.system import system_contexts

__all__ = [
    "SHIPPED",
    "Chunk",
    "Frame",
    "Frames",
    "Span",
    "chunks_of",
    "compile_frames",
    "system_contexts",
    "with_shipped",
]
