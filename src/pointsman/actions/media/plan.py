"""From what a file holds and what is wanted of it to the arguments of ffmpeg. Pure."""

from __future__ import annotations

import msgspec

from pointsman.actions.media import refusals
from pointsman.actions.media.facts import Facts, Stream
from pointsman.actions.media.formats import FORMATS, STILLS, TAKEN, Format
from pointsman.actions.media.wish import Wish

_OWN = {"matroska": "mkv", "wav": "wav", "flac": "flac", "ogg": "ogg", "mp3": "mp3", "gif": "gif"}
_CRF = {"libx264": (28, 23, 18), "libvpx-vp9": (40, 33, 24), "libvpx": (36, 20, 10), "mpeg4": (9, 5, 2)}
_VORBIS_QUALITY = ("2", "4", "7")
_OPENH264 = (600_000, 1_500_000, 4_000_000)
LONGEST_GIF = 60.0
_GIF = (
    "fps=10,scale='min({width},iw)':-1:flags=lanczos,split[a][b];"
    "[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1"
)


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """`before` and `after` are ffmpeg's options of the input and of the result; `seconds` is how long the result should be,
    None where nobody knows; `copied`: nothing is encoded anew; `short`: more was asked for than there is; `estimated`:
    the file's own length is a guess."""

    format: Format
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    seconds: float | None = None
    copied: bool = False
    short: bool = False
    estimated: bool = False


class Span(msgspec.Struct, frozen=True):
    """A piece of the file: from `start`, `seconds` long (None: to its end)."""

    start: float = 0.0
    seconds: float | None = None
    short: bool = False


def plan_of(wish: Wish, facts: Facts, encoders: frozenset[str], threads: int) -> Plan:
    """Raises ActionFailed for what cannot be made of this file."""
    format = format_of(wish, facts)
    if wish.do == "thumbnail" or format.still:
        return _picture(wish, facts, format, encoders, threads)
    span = span_of(wish, facts)
    if wish.do == "trim" and span == Span():
        raise refusals.no_span()
    video = facts.video if format.draws else None
    sounds = facts.sounds if format.sounds else ()
    if format.draws and not format.sounds and video is None:
        raise refusals.no_video()
    if not format.draws and not sounds:
        raise refusals.no_sound()
    before = (
        *(("-ss", _seconds(span.start)) if span.start else ()),
        *(("-t", _seconds(span.seconds)) if span.seconds else ()),
    )
    cut = bool(before)
    if format.name == "gif":
        if (span.seconds or facts.seconds or 0) > LONGEST_GIF:
            raise refusals.long_gif(LONGEST_GIF)
        assert video is not None
        seen: list[str] = ["-vf", _GIF.format(width=wish.width or 480)]
        copied = False
        after = ["-map", f"0:{video.index}", "-an", *seen, "-c:v", _encoder(format.draws, encoders, format)]
    else:
        picture, drawn = _seen(video, wish, format, encoders, cut)
        sound, sounded = _heard(sounds, wish, format, encoders, exact=cut and not wish.fast)
        after, copied = [*picture, *sound], not drawn and not sounded
    after += ["-sn", "-dn", "-map_chapters", "-1", "-threads", str(threads), *format.more, "-f", format.muxer]
    seconds = span.seconds if span.seconds else None if facts.seconds is None else facts.seconds - span.start
    return Plan(
        format=format,
        before=before,
        after=tuple(after),
        seconds=seconds,
        copied=copied,
        short=span.short,
        estimated=facts.estimated,
    )


def format_of(wish: Wish, facts: Facts) -> Format:
    """What is made: what is wanted, else what fits the file. Raises ActionFailed."""
    name = wish.format
    if name is None:
        match wish.do:
            case "thumbnail":
                name = "png"
            case "audio":
                name = "mp3"
            case "trim":
                name = _own(facts)
            case _:
                name = "png" if facts.still else "mp4" if facts.video else "mp3"
    if name not in TAKEN[wish.do]:
        raise refusals.not_made(name, TAKEN[wish.do])
    if facts.still and wish.do == "audio":
        raise refusals.no_sound()
    if facts.still and wish.do == "trim":
        raise refusals.no_length()
    if facts.still and name not in STILLS:
        raise refusals.still(STILLS)
    return FORMATS[name]


def span_of(wish: Wish, facts: Facts) -> Span:
    """Raises ActionFailed for a piece that is not in the file."""
    whole = None if facts.estimated and wish.last is None and wish.but_last is None else facts.seconds
    start = wish.start or 0.0
    end = wish.end
    if wish.last is not None or wish.but_last is not None:
        if whole is None:
            raise refusals.unknown_length()
        if wish.last is not None:
            start, end = max(whole - wish.last, 0.0), None
        else:
            end = whole - (wish.but_last or 0.0)
    if end is None and wish.length is not None:
        end = start + wish.length
    if end is not None and end <= start:
        raise refusals.empty_span(start, end)
    if whole is not None and start >= whole:
        raise refusals.beyond(start, whole)
    short = end is not None and whole is not None and end > whole + 0.5
    if end is not None and whole is not None and end >= whole:
        end = None if start == 0 and not short else whole
    return Span(start, None if end is None else end - start, short)


def _picture(wish: Wish, facts: Facts, format: Format, encoders: frozenset[str], threads: int) -> Plan:
    """One picture: a moment of the film, the cover of sound, or the picture itself in another format."""
    source = facts.video or facts.cover
    if source is None:
        raise refusals.no_video()
    before: tuple[str, ...] = ()
    if source.kind == "video" and facts.seconds:
        at = facts.seconds / 10 if wish.at is None else wish.at
        if at >= facts.seconds:
            raise refusals.beyond(at, facts.seconds)
        before = ("-ss", _seconds(at)) if at else ()
    after = ["-map", f"0:{source.index}", "-frames:v", "1", "-an", "-sn", "-dn", "-map_metadata", "-1"]
    if wish.width:
        after += ["-vf", f"scale='min({wish.width},iw)':-2"]
    after += ["-c:v", _encoder(format.draws, encoders, format), "-threads", str(threads)]
    if format.name == "jpg":
        after += ["-pix_fmt", "yuvj420p", "-q:v", "3"]
    return Plan(format=format, before=before, after=(*after, *format.more, "-f", format.muxer))


def _seen(
    video: Stream | None, wish: Wish, format: Format, encoders: frozenset[str], cut: bool
) -> tuple[list[str], bool]:
    """The options for what is seen, and whether it is encoded anew."""
    if video is None:
        return ["-vn"], False
    chosen = ["-map", f"0:{video.index}"]
    fits = video.codec in format.video
    if fits and not (wish.width and wish.width < video.width) and wish.quality is None and (not cut or wish.fast):
        return [*chosen, "-c:v", "copy"], False
    encoder = _encoder(format.draws, encoders, format)
    level = ("small", "normal", "high").index(wish.quality or "normal")
    if wish.width and wish.width < video.width:
        scale = f"scale={wish.width // 2 * 2}:-2"
    else:
        scale = "scale=trunc(iw/2)*2:trunc(ih/2)*2"
    options = ["-vf", scale, "-pix_fmt", "yuv420p", "-c:v", encoder]
    match encoder:
        case "libx264":
            options += ["-preset", "veryfast", "-crf", str(_CRF[encoder][level])]
        case "libvpx-vp9":
            options += [
                "-deadline",
                "good",
                "-cpu-used",
                "5",
                "-row-mt",
                "1",
                "-b:v",
                "0",
                "-crf",
                str(_CRF[encoder][level]),
            ]
        case "libvpx":
            options += ["-deadline", "good", "-cpu-used", "4", "-b:v", "3M", "-crf", str(_CRF[encoder][level])]
        case "libopenh264":
            options += ["-b:v", str(_OPENH264[level])]
        case _:
            options += ["-q:v", str(_CRF["mpeg4"][level])]
    return [*chosen, *options], True


def _heard(
    sounds: tuple[Stream, ...], wish: Wish, format: Format, encoders: frozenset[str], *, exact: bool
) -> tuple[list[str], bool]:
    """The options for what is heard, and whether any of it is encoded anew. A piece of FLAC is encoded anew, losslessly,
    because its packets are long."""
    if not sounds:
        return ["-an"], False
    chosen = sounds if format.draws else sounds[:1]
    options = [option for sound in chosen for option in ("-map", f"0:{sound.index}")]
    if wish.bitrate is not None and format.rates is None:
        raise refusals.no_bitrate(format.name)
    asked = wish.bitrate is not None or (wish.quality is not None and format.rates is not None and not format.draws)
    fits = all(sound.codec in format.audio and not (exact and sound.codec == "flac") for sound in chosen)
    if fits and not asked:
        return [*options, "-c:a", "copy"], False
    encoder = _encoder(format.sounds, encoders, format)
    options += ["-c:a", encoder]
    if any(sound.channels > 2 for sound in chosen):  # layouts that encoders refuse, such as 5.1 at the sides
        layouts = "stereo|mono" if format.name == "mp3" else "7.1|5.1|stereo|mono"
        options += ["-af", f"aformat=channel_layouts={layouts}"]
    if format.rates is not None:
        level = ("small", "normal", "high").index(wish.quality or "normal")
        if encoder == "libvorbis" and wish.bitrate is None:  # refuses rates that do not fit the sound
            options += ["-q:a", _VORBIS_QUALITY[level]]
        else:
            options += ["-b:a", str(wish.bitrate or format.rates[level])]
    return options, True


def _own(facts: Facts) -> str:
    if facts.container == "mov":
        return "mp4" if facts.video else "m4a"
    if facts.container == "matroska":
        webm = FORMATS["webm"]
        fits = all(stream.codec in (*webm.video, *webm.audio) for stream in facts.streams)
        return "webm" if fits and facts.video else "mkv" if facts.video else "ogg" if fits else "m4a"
    return _OWN.get(facts.container) or ("mp4" if facts.video else "mp3")


def _encoder(wanted: tuple[str, ...], there: frozenset[str], format: Format) -> str:
    found = next((name for name in wanted if name in there), None)
    if found is None:
        raise refusals.no_encoder(format.name, wanted)
    return found


def _seconds(value: float) -> str:
    return f"{value:.3f}"
