"""Raw requests that two servers may read in two ways, as data: the name, the bytes, what a careful server does.

Every case is whole under each of its readings, so that no server waits for more. `SMUGGLED` is the request that an
attacker hides in the body of another one; its text never reaches an engine but as a request of its own."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

Must = Literal["refuse", "accept", "either"]
"""refuse: an error or no answer at all, and the connection is closed; accept: 200."""

PATH = b"/v1/chat/completions"
LINE = b"POST " + PATH + b" HTTP/1.1"


class Case(NamedTuple):
    name: str
    must: Must
    raw: bytes
    pipelined: bool = False
    """A second request follows that is one by any reading: both may be answered, each for itself."""
    later: bytes = b""
    """What is sent once the server had the time to read `raw`."""


def asking(text: str) -> bytes:
    return json.dumps({"model": "medium", "messages": [{"role": "user", "content": text}]}).encode()


GOOD = "Tell me about trains."
HIDDEN = "SMUGGLED"
BODY = asking(GOOD)
SIZE = b"%d" % len(BODY)


def lines(*parts: bytes, start: bytes = LINE, end: bytes = b"\r\n") -> bytes:
    """A head. Of `parts`, each is a whole header line without its end."""
    return end.join([start, *parts, b"", b""])


def sized(*parts: bytes, body: bytes = BODY, start: bytes = LINE) -> bytes:
    """With a right Content-Length, after the other headers."""
    return lines(b"Host: x", *parts, b"Content-Length: %d" % len(body), start=start) + body


SMUGGLED = sized(body=asking(HIDDEN))


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%b\r\n%b\r\n" % (len(data), extension, data)


LAST = b"0\r\n\r\n"
CODED = chunk(BODY) + LAST
TE = b"Transfer-Encoding: chunked"


def coded(*parts: bytes, body: bytes = CODED, start: bytes = LINE) -> bytes:
    """With `parts` for headers, chunked as they say it, no length."""
    return lines(b"Host: x", *parts, start=start) + body


def both(*parts: bytes) -> bytes:
    """CL.TE: by its length the body holds all, by its chunks it ends where the smuggled request starts."""
    body = CODED + SMUGGLED
    return lines(b"Host: x", b"Content-Length: %d" % len(body), *parts) + body


def hidden(*parts: bytes) -> bytes:
    """A body of `BODY` by its length; if `parts` make it chunked, BODY is no chunk and the rest is a request."""
    return lines(b"Host: x", b"Content-Length: " + SIZE, *parts) + BODY


def health(*parts: bytes, start: bytes = b"GET /health HTTP/1.1") -> bytes:
    return lines(*parts, start=start)


def cases(must: Must, **raws: bytes) -> list[Case]:
    return [Case(name, must, raw) for name, raw in raws.items()]


LENGTH_AND_CODING = [
    *cases(
        "refuse",
        cl_te=both(TE),
        cl_te_coding_first=lines(b"Host: x", TE, b"Content-Length: %d" % len(CODED + SMUGGLED)) + CODED + SMUGGLED,
        te_cl=lines(b"Host: x", b"Content-Length: 4", TE) + chunk(SMUGGLED) + LAST,
        te_cl_zero=lines(b"Host: x", b"Content-Length: 0", TE) + CODED,
        te_cl_agree=lines(b"Host: x", b"Content-Length: %d" % len(CODED), TE) + CODED,
        cl_te_upper_case=both(b"Transfer-Encoding: CHUNKED"),
        cl_te_1_0=lines(b"Host: x", b"Content-Length: %d" % len(CODED), TE, start=LINE[:-1] + b"0") + CODED,
        te_1_0=coded(TE, start=LINE[:-1] + b"0"),
        te_1_0_keep_alive=coded(TE, b"Connection: keep-alive", start=LINE[:-1] + b"0"),
    )
]

CODINGS = [
    *cases(
        "accept",
        te_case=coded(b"transfer-ENCODING: Chunked"),
        te_no_space=coded(b"Transfer-Encoding:chunked"),
    ),
    *cases(
        "either",
        te_tab=coded(b"Transfer-Encoding:\tchunked"),
        te_trailing_space=coded(b"Transfer-Encoding: chunked "),
        te_trailing_tab=coded(b"Transfer-Encoding: chunked\t"),
        te_underscore_and_cl=hidden(b"Transfer_Encoding: chunked"),
        te_other_name_and_cl=hidden(b"X-Transfer-Encoding: chunked"),
    ),
    *cases(
        "refuse",
        te_xchunked=coded(b"Transfer-Encoding: xchunked"),
        te_xchunked_and_cl=hidden(b"Transfer-Encoding: xchunked"),
        te_chunked_identity=coded(b"Transfer-Encoding: chunked, identity"),
        te_identity_chunked=coded(b"Transfer-Encoding: identity, chunked"),
        te_identity_and_cl=hidden(b"Transfer-Encoding: identity"),
        te_gzip_chunked=coded(b"Transfer-Encoding: gzip, chunked"),
        te_chunked_gzip=coded(b"Transfer-Encoding: chunked, gzip"),
        te_gzip_and_cl=hidden(b"Transfer-Encoding: gzip"),
        te_chunked_chunked=coded(b"Transfer-Encoding: chunked, chunked"),
        te_trailing_comma=coded(b"Transfer-Encoding: chunked,"),
        te_leading_comma=coded(b"Transfer-Encoding: ,chunked"),
        te_parameter=coded(b"Transfer-Encoding: chunked;q=1"),
        te_quoted=coded(b'Transfer-Encoding: "chunked"'),
        te_two_words=coded(b"Transfer-Encoding: chunked x"),
        te_empty_and_cl=hidden(b"Transfer-Encoding:"),
        te_twice=coded(TE, TE),
        te_twice_identity_last=coded(TE, b"Transfer-Encoding: identity"),
        te_twice_chunked_last=coded(b"Transfer-Encoding: identity", TE),
        te_twice_x_last=coded(TE, b"Transfer-Encoding: x"),
        te_twice_x_first=coded(b"Transfer-Encoding: x", TE),
        te_space_before_colon=coded(b"Transfer-Encoding : chunked"),
        te_space_before_colon_and_cl=hidden(b"Transfer-Encoding : chunked"),
        te_tab_before_colon_and_cl=hidden(b"Transfer-Encoding\t: chunked"),
        te_vertical_tab=coded(b"Transfer-Encoding:\x0bchunked"),
        te_vertical_tab_and_cl=hidden(b"Transfer-Encoding: \x0bchunked"),
        te_form_feed_and_cl=hidden(b"Transfer-Encoding: chunked\x0c"),
        te_nul_before=coded(b"Transfer-Encoding: \x00chunked"),
        te_nul_after_and_cl=hidden(b"Transfer-Encoding: chunked\x00"),
        te_backspace_and_cl=hidden(b"Transfer-Encoding: \x08chunked"),
        te_latin_1_and_cl=hidden(b"Transfer-Encoding: chunked\xa0"),
        te_folded=coded(b"Transfer-Encoding:\r\n chunked"),
        te_folded_lf_and_cl=hidden(b"Transfer-Encoding:\n chunked"),
        te_after_bare_lf_and_cl=both(b"X: x\nTransfer-Encoding: chunked"),
        te_after_bare_cr_and_cl=both(b"X: x\rTransfer-Encoding: chunked"),
        te_after_crcrlf_and_cl=both(b"X: x\r\r\nTransfer-Encoding: chunked"),
        te_in_a_line_that_starts_with_a_space=both(b" Transfer-Encoding: chunked"),
        te_name_with_nul_and_cl=hidden(b"Transfer-Encoding\x00: chunked"),
        te_name_without_colon_and_cl=hidden(b"Transfer-Encoding chunked"),
    ),
]


def length(value: bytes, name: bytes = b"Content-Length") -> bytes:
    return lines(b"Host: x", name + b": " + value) + BODY


LENGTHS = [
    *cases(
        "accept",
        cl_case=lines(b"Host: x", b"CONTENT-length:" + SIZE) + BODY,
    ),
    *cases(
        "either",
        cl_leading_zeros=length(b"0000" + SIZE),
        cl_trailing_space=length(SIZE + b" "),
        cl_trailing_tab=length(SIZE + b"\t"),
        cl_tab=length(b"\t" + SIZE),
        cl_on_get=lines(b"Host: x", b"Content-Length: %d" % len(SMUGGLED), start=b"GET /health HTTP/1.1") + SMUGGLED,
        te_on_get=lines(b"Host: x", TE, start=b"GET /health HTTP/1.1") + chunk(SMUGGLED) + LAST,
        cl_underscore=lines(b"Host: x", b"Content_Length: 4", b"Content-Length: " + SIZE) + BODY,
        cl_too_short=lines(b"Host: x", b"Content-Length: %d" % (len(BODY) - 1)) + BODY,
    ),
    *cases(
        "refuse",
        cl_twice_equal=lines(b"Host: x", b"Content-Length: " + SIZE, b"Content-Length: " + SIZE) + BODY,
        cl_twice_shorter_last=lines(b"Host: x", b"Content-Length: " + SIZE, b"Content-Length: 4") + BODY,
        cl_twice_shorter_first=lines(b"Host: x", b"Content-Length: 4", b"Content-Length: " + SIZE) + BODY,
        cl_twice_zero_last=lines(b"Host: x", b"Content-Length: " + SIZE, b"Content-Length: 0") + BODY,
        cl_list_equal=length(SIZE + b", " + SIZE),
        cl_list_different=length(SIZE + b", 4"),
        cl_trailing_comma=length(SIZE + b","),
        cl_negative=length(b"-1"),
        cl_minus_zero=length(b"-0"),
        cl_plus=length(b"+" + SIZE),
        cl_hex=length(b"0x%x" % len(BODY)),
        cl_huge=length(b"9" * 20),
        cl_wraps_at_64_bits=length(b"%d" % ((1 << 64) + len(BODY))),
        cl_above_limit=sized(body=bytes(2 << 20)),
        cl_float=length(SIZE + b".0"),
        cl_exponent=length(b"1e2"),
        cl_inner_space=length(SIZE[:1] + b" " + SIZE[1:]),
        cl_underscore_in_number=length(SIZE[:1] + b"_" + SIZE[1:]),
        cl_superscript=length(b"\xb2"),
        cl_empty=length(b""),
        cl_word=length(b"many"),
        cl_nul=length(SIZE + b"\x00"),
        cl_vertical_tab=length(b"\x0b" + SIZE),
        cl_space_before_colon=length(SIZE, b"Content-Length "),
        cl_folded=length(b"\r\n " + SIZE),
        cl_bare_cr_inside=length(b"4\r" + SIZE),
    ),
]

HEADER_LINES = [
    *cases(
        "either",
        value_control=sized(b"X: a\x01b"),
        value_delete=sized(b"X: a\x7fb"),
        value_latin_1=sized(b"X: a\xffb"),
        connection_names_length=sized(b"Connection: content-length"),
        connection_close_names_coding=sized(b"Connection: close, transfer-encoding"),
    ),
    *cases(
        "refuse",
        bare_lf_line_ends=lines(b"Host: x", b"Content-Length: " + SIZE, end=b"\n") + BODY,
        bare_lf_one_line=sized(b"X: y\nZ: z"),
        bare_lf_end_of_head=lines(b"Host: x", b"Content-Length: " + SIZE)[:-2] + b"\n" + BODY,
        bare_lf_request_line=sized(start=LINE + b"\nX: y"),
        bare_cr_line_ends=lines(b"Host: x", b"Content-Length: " + SIZE, end=b"\r") + BODY + b"\r\n\r\n",
        bare_cr_in_value=sized(b"X: a\rb"),
        bare_cr_in_name=sized(b"X\rY: b"),
        folded=sized(b"X: a\r\n b"),
        folded_tab=sized(b"X: a\r\n\tb"),
        folded_empty_line=sized(b"X: a\r\n \r\n b"),
        first_line_starts_with_a_space=lines(b" X: y", b"Host: x", b"Content-Length: " + SIZE) + BODY,
        nul_in_value=sized(b"X: a\x00b"),
        nul_in_name=sized(b"X\x00Y: b"),
        nul_line=sized(b"\x00"),
        name_with_parenthesis=sized(b"X(Y): b"),
        name_with_space=sized(b"X Y: b"),
        name_with_at=sized(b"X@Y: b"),
        name_with_slash=sized(b"X/Y: b"),
        name_with_latin_1=sized(b"X\xe9: b"),
        name_with_control=sized(b"X\x01: b"),
        name_empty=sized(b": b"),
        no_colon=sized(b"XY"),
        long_header=sized(b"X: " + b"a" * 80_000),
        ten_thousand_headers=sized(*(b"X-%d: a" % number for number in range(10_000))),
    ),
]

AUTHORITY = [
    *cases(
        "accept",
        absolute_form=sized(start=b"POST http://x" + PATH + b" HTTP/1.1"),
    ),
    *cases(
        "either",
        absolute_form_other_host=sized(start=b"POST http://elsewhere.example" + PATH + b" HTTP/1.1"),
        absolute_form_https=sized(start=b"POST https://x" + PATH + b" HTTP/1.1"),
        host_empty=health(b"Host:"),
        host_missing_1_0=health(start=b"GET /health HTTP/1.0"),
        host_ipv6=health(b"Host: [::1]:8900"),
    ),
    *cases(
        "refuse",
        host_missing=lines(b"Content-Length: " + SIZE) + BODY,
        host_missing_get=health(b"X: y"),
        host_twice=sized(b"Host: y"),
        host_twice_equal=sized(b"Host: x"),
        host_with_slash=health(b"Host: x/y"),
        host_with_space=health(b"Host: x y"),
        host_with_nul=health(b"Host: x\x00y"),
        host_with_user=health(b"Host: a@b"),
        host_list=health(b"Host: x, y"),
        host_bad_port=health(b"Host: x:y"),
        host_open_bracket=health(b"Host: [::1"),
        absolute_form_without_host=health(b"X: y", start=b"GET http://x/health HTTP/1.1"),
    ),
]

REQUEST_LINES = [
    *cases(
        "accept",
        http_1_0=sized(start=LINE[:-1] + b"0"),
        leading_empty_line=b"\r\n" + sized(),
        query=sized(start=b"POST " + PATH + b"?a=b HTTP/1.1"),
    ),
    *cases(
        "either",
        http_1_2=sized(start=LINE[:-1] + b"2"),
        leading_empty_lines=b"\r\n" * 40 + sized(),
        leading_bare_lf=b"\n" + sized(),
        two_spaces=sized(start=b"POST  " + PATH + b" HTTP/1.1"),
        trailing_space=sized(start=LINE + b" "),
        fragment=sized(start=b"POST " + PATH + b"#f HTTP/1.1"),
        dots_in_path=sized(start=b"POST /v1/../v1/chat/completions HTTP/1.1"),
        double_slash=sized(start=b"POST /" + PATH + b" HTTP/1.1"),
        latin_1_in_path=health(b"Host: x", start=b"GET /health\xff HTTP/1.1"),
        method_unknown=sized(start=b"FOO " + PATH + b" HTTP/1.1"),
        method_trace=health(b"Host: x", start=b"TRACE /health HTTP/1.1"),
        method_pri=health(b"Host: x", start=b"PRI /health HTTP/1.1"),
        options_star=health(b"Host: x", start=b"OPTIONS * HTTP/1.1"),
        encoded_nul_in_path=health(b"Host: x", start=b"GET /health%00 HTTP/1.1"),
        bad_escape_in_path=health(b"Host: x", start=b"GET /health%zz HTTP/1.1"),
        get_star=health(b"Host: x", start=b"GET * HTTP/1.1"),
        method_override=sized(b"X-HTTP-Method-Override: GET"),
    ),
    *cases(
        "refuse",
        http_0_9=b"GET /health\r\n\r\n",
        http_2_preface=b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        http_2_0=sized(start=LINE[:-3] + b"2.0"),
        http_0_9_spelled=sized(start=LINE[:-3] + b"0.9"),
        http_1_10=sized(start=LINE + b"0"),
        http_01_1=sized(start=LINE[:-3] + b"01.1"),
        http_lower_case=sized(start=b"POST " + PATH + b" http/1.1"),
        http_without_minor=sized(start=LINE[:-2]),
        version_missing=b"POST " + PATH + b" \r\nHost: x\r\nContent-Length: " + SIZE + b"\r\n\r\n" + BODY,
        version_word=sized(start=b"POST " + PATH + b" HTTX/1.1"),
        method_lower_case=sized(start=b"post " + PATH + b" HTTP/1.1"),
        method_with_space=sized(start=b"PO ST " + PATH + b" HTTP/1.1"),
        method_with_nul=sized(start=b"POST\x00 " + PATH + b" HTTP/1.1"),
        method_with_colon=sized(start=b"PO:ST " + PATH + b" HTTP/1.1"),
        method_missing=sized(start=PATH + b" HTTP/1.1"),
        method_connect=health(b"Host: x:1", start=b"CONNECT x:1 HTTP/1.1"),
        method_connect_path=sized(start=b"CONNECT " + PATH + b" HTTP/1.1"),
        leading_space=b" " + sized(),
        tab_between=sized(start=LINE.replace(b" ", b"\t")),
        nul_in_path=health(b"Host: x", start=b"GET /hea\x00lth HTTP/1.1"),
        space_in_path=health(b"Host: x", start=b"GET /hea lth HTTP/1.1"),
        crlf_in_path=health(b"Host: x", start=b"GET /health\r\nX: HTTP/1.1"),
        path_without_slash=health(b"Host: x", start=b"GET health HTTP/1.1"),
        long_request_line=health(b"Host: x", start=b"GET /" + b"a" * 80_000 + b" HTTP/1.1"),
        tls_hello=b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n",
    ),
]

HALF = len(BODY) // 2


def chunks(body: bytes, *parts: bytes) -> bytes:
    return coded(TE, *parts, body=body)


CHUNKS = [
    *cases(
        "accept",
        chunk_two=chunks(chunk(BODY[:HALF]) + chunk(BODY[HALF:]) + LAST),
        chunk_upper_case=chunks(b"%X\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_zeros=chunks(b"0000%x\r\n%b\r\n000\r\n\r\n" % (len(BODY), BODY)),
        chunk_extension=chunks(chunk(BODY, b";a=b") + LAST),
        chunk_extension_quoted=chunks(chunk(BODY, b';a="b;c d"') + LAST),
        trailer=chunks(chunk(BODY) + b"0\r\nX-Trailer: a\r\n\r\n"),
    ),
    *cases(
        "either",
        chunk_extension_without_name=chunks(chunk(BODY, b";") + LAST),
        chunk_extension_space_before=chunks(chunk(BODY, b" ;a=b") + LAST),
        chunk_trailing_space=chunks(chunk(BODY, b" ") + LAST),
        chunk_extension_long=chunks(chunk(BODY, b";" + b"a" * 100_000) + LAST),
        chunk_extension_unclosed_quote=chunks(chunk(BODY, b';a="b') + LAST),
        chunk_last_extension=chunks(chunk(BODY) + b"0;a=b\r\n\r\n"),
        trailer_length=chunks(chunk(BODY) + b"0\r\nContent-Length: 4\r\n\r\n"),
        trailer_coding=chunks(chunk(BODY) + b"0\r\nTransfer-Encoding: chunked\r\n\r\n"),
        trailer_host=chunks(chunk(BODY) + b"0\r\nHost: evil.example\r\n\r\n"),
        trailer_authorization=chunks(chunk(BODY) + b"0\r\nAuthorization: Bearer x\r\n\r\n"),
    ),
    *cases(
        "refuse",
        chunk_size_overflow=chunks(b"%b%x\r\n%b\r\n0\r\n\r\n" % (b"1" + b"0" * 16, len(BODY), BODY)),
        chunk_size_many_f=chunks(b"f" * 17 + b"\r\n" + BODY + b"\r\n" + LAST),
        chunk_size_negative=chunks(b"-" + CODED),
        chunk_size_plus=chunks(b"+" + CODED),
        chunk_size_0x=chunks(b"0x" + CODED),
        chunk_size_word=chunks(b"zz\r\n" + BODY + b"\r\n" + LAST),
        chunk_size_empty=chunks(b"\r\n" + BODY + b"\r\n" + LAST),
        chunk_size_underscore=chunks(b"0_" + CODED),
        chunk_size_space_first=chunks(b" " + CODED),
        chunk_size_space_inside=chunks(b"0 " + CODED),
        chunk_size_nul=chunks(chunk(BODY, b"\x00") + LAST),
        chunk_size_lf=chunks(b"%x\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_size_cr=chunks(b"%x\r%b\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_size_crcrlf=chunks(b"%x\r\r\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_extension_lf=chunks(b"%x;a\n%b\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_extension_cr_inside=chunks(chunk(BODY, b";a\rb") + LAST),
        chunk_extension_nul=chunks(chunk(BODY, b";a\x00b") + LAST),
        chunk_data_lf=chunks(b"%x\r\n%b\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_data_no_end=chunks(b"%x\r\n%b0\r\n\r\n" % (len(BODY), BODY)),
        chunk_data_longer=chunks(b"%x\r\n%bXX\r\n0\r\n\r\n" % (len(BODY), BODY)),
        chunk_data_two_bytes_for_crlf=chunks(b"%x\r\n%bXX0\r\n\r\n" % (len(BODY), BODY)),
        chunk_last_lf=chunks(chunk(BODY) + b"0\n\n"),
        chunk_last_end_lf=chunks(chunk(BODY) + b"0\r\n\n"),
        chunk_last_one_lf=chunks(chunk(BODY) + b"0\n\r\n"),
        trailer_folded=chunks(chunk(BODY) + b"0\r\nX: a\r\n b\r\n\r\n"),
        trailer_lf=chunks(chunk(BODY) + b"0\r\nX: a\n\r\n"),
        trailer_nul=chunks(chunk(BODY) + b"0\r\nX: a\x00b\r\n\r\n"),
        trailer_no_colon=chunks(chunk(BODY) + b"0\r\nXY\r\n\r\n"),
        trailer_space_before_colon=chunks(chunk(BODY) + b"0\r\nX : y\r\n\r\n"),
        trailer_bomb=chunks(chunk(BODY) + b"0\r\n" + b"".join(b"X-%d: a\r\n" % n for n in range(10_000)) + b"\r\n"),
        trailer_long=chunks(chunk(BODY) + b"0\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"),
    ),
]

AFTERWARDS = [
    Case("pipelined_after_length", "accept", sized() + SMUGGLED, pipelined=True),
    Case("pipelined_after_last_chunk", "accept", coded(TE) + SMUGGLED, pipelined=True),
    Case("pipelined_after_empty_line", "either", sized() + b"\r\n" + SMUGGLED, pipelined=True),
    Case("pipelined_after_trailer", "either", chunks(chunk(BODY) + b"0\r\nX: a\r\n\r\n") + SMUGGLED, pipelined=True),
    *cases(
        "accept",
        junk_after_length=sized() + b"junk\r\n\r\n",
        junk_after_last_chunk=coded(TE) + b"junk\r\n\r\n",
        after_connection_close=sized(b"Connection: close") + SMUGGLED,
        after_1_0=sized(start=LINE[:-1] + b"0") + SMUGGLED,
        half_a_line_after_length=sized() + b"GET /he",
    ),
]

UPGRADE = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAEAAEAAAAIAAAAAAAMAAAAAAAQBAAAA")
LENGTH_OF_SMUGGLED = b"Content-Length: %d" % len(SMUGGLED)

EXPECTATIONS = [
    *cases("accept", expect=sized(b"Expect: 100-continue"), expect_case=sized(b"Expect: 100-Continue")),
    *cases(
        "either",
        expect_unknown=sized(b"Expect: 200-ok"),
        expect_list=sized(b"Expect: 100-continue, x"),
        expect_twice=sized(b"Expect: 100-continue", b"Expect: 100-continue"),
        expect_prefix=sized(b"Expect: y 100-continue"),
        expect_empty=sized(b"Expect:"),
        expect_on_get=health(b"Host: x", b"Expect: 100-continue"),
        expect_chunked=coded(TE, b"Expect: 100-continue"),
        expect_1_0=sized(b"Expect: 100-continue", start=LINE[:-1] + b"0"),
        upgrade_websocket=health(
            *(b"Host: x", b"Upgrade: websocket", b"Connection: Upgrade"),
            *(b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", b"Sec-WebSocket-Version: 13"),
        ),
        upgrade_without_connection=sized(b"Upgrade: h2c"),
        upgrade_tls=sized(b"Upgrade: TLS/1.2", b"Connection: Upgrade"),
    ),
    *cases(  # as Java's HttpClient asks on every first request of a connection without TLS
        "accept",
        upgrade_h2c=sized(*UPGRADE),
        upgrade_h2c_get=health(b"Host: x", *UPGRADE),
        upgrade_h2c_chunked=coded(TE, *UPGRADE),
    ),
    Case("upgrade_then_body", "accept", lines(b"Host: x", *UPGRADE, b"Content-Length: " + SIZE), later=BODY),
    Case("upgrade_smuggled", "either", lines(b"Host: x", *UPGRADE, LENGTH_OF_SMUGGLED), later=SMUGGLED),
    Case(
        "upgrade_smuggled_get",
        "either",
        health(b"Host: x", *UPGRADE, LENGTH_OF_SMUGGLED),
        later=SMUGGLED,
    ),
    Case(
        "upgrade_smuggled_websocket",
        "either",
        health(b"Host: x", b"Upgrade: websocket", b"Connection: Upgrade", LENGTH_OF_SMUGGLED),
        later=SMUGGLED,
    ),
    Case("upgrade_smuggled_chunk", "either", coded(TE, *UPGRADE, body=b""), later=chunk(SMUGGLED) + LAST),
    Case("upgrade_pipelined", "either", health(b"Host: x", *UPGRADE) + SMUGGLED, pipelined=True),
    Case(
        "connect_smuggled",
        "refuse",
        lines(b"Host: x", LENGTH_OF_SMUGGLED, start=b"CONNECT " + PATH + b" HTTP/1.1"),
        later=SMUGGLED,
    ),
    Case(
        "connect_smuggled_behind_another",
        "accept",
        sized() + lines(b"Host: x", LENGTH_OF_SMUGGLED, start=b"CONNECT " + PATH + b" HTTP/1.1") + SMUGGLED,
    ),
    Case("request_behind_close", "accept", sized() + health(b"Host: x", b"Connection: close") + SMUGGLED),
    Case("connect_then_request", "refuse", health(b"Host: x:1", start=b"CONNECT x:1 HTTP/1.1"), later=SMUGGLED),
]

ENDLESS = cases(
    "refuse",
    cl_endless=length(b"%d" % (1 << 62)),
    chunk_endless=chunks(b"f" * 16 + b"\r\n" + bytes(2 << 20)),
    chunk_endless_smaller=chunks(b"f" * 10 + b"\r\n" + bytes(2 << 20)),
    trailer_endless=chunks(chunk(BODY) + b"0\r\nX: " + b"a" * (1 << 20)),
    trailer_name_endless=chunks(chunk(BODY) + b"0\r\n" + b"a" * (1 << 20)),
    chunk_extension_endless=chunks(b"5;" + b"a" * (1 << 20)),
)
"""Far beyond the limits of 1 MB for a body and 64 KiB for what is none, and the end never comes."""

CASES: list[Case] = [
    *(LENGTH_AND_CODING + CODINGS + LENGTHS + HEADER_LINES + AUTHORITY),
    *(REQUEST_LINES + CHUNKS + AFTERWARDS + EXPECTATIONS),
]
