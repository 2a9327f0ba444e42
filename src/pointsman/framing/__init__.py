"""Which part of a message did the user write? Chat products wrap what they retrieved and the question into one message;
here the question is found again. Pure; linear in the message.

`compile_frames` turns `Frame`s into `Frames`, `Frames.question_span` finds the question."""

from pointsman.domain.frame import Frame
from pointsman.framing.frames import Frames, Span, compile_frames, with_shipped
from pointsman.framing.shipped import SHIPPED

__all__ = ["SHIPPED", "Frame", "Frames", "Span", "compile_frames", "with_shipped"]
