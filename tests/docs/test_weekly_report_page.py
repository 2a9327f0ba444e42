"""docs/weekly-report.md in both languages: the same tables and code, links that lead on, options that are there, and a unit
whose commands write the report and mail it."""

from __future__ import annotations

import argparse
import configparser
import re
import shlex
import shutil
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from docs.pages import DOCS, needs_docs
from pointsman.cli.report_weekly import declare

pytestmark = needs_docs


def text_of(chinese: bool = False) -> str:
    return (DOCS / f"weekly-report{'.zh-CN' if chinese else ''}.md").read_text(encoding="utf-8")


def test_options_are_there() -> None:
    parser = argparse.ArgumentParser()
    declare(parser)
    lines = re.findall(r"^\$ pointsman report weekly ?(.*)$", text_of(), re.MULTILINE)
    assert len(lines) == 4
    for line in lines:
        parser.parse_args(shlex.split(line))
    known = {option for action in parser._actions for option in action.option_strings}
    told = set(re.findall(r"^\| `(-[a-z-]+)", text_of(), re.MULTILINE))
    assert told == known - {"-h", "--help", "-c", "--config", "--output"}


def commands() -> list[list[str]]:
    unit = next(
        block for block in re.findall(r"^```ini\n(.*?)^```$", text_of(), re.DOTALL | re.MULTILINE) if "Exec" in block
    )
    return [shlex.split(line) for line in re.findall(r"^ExecStart=(.*)$", unit, re.MULTILINE)]


def test_the_unit_writes_what_it_mails() -> None:
    write, mail = commands()
    parser = argparse.ArgumentParser()
    declare(parser)
    assert Path(write[0]).name == "pointsman" and write[1:3] == ["report", "weekly"]
    output = parser.parse_args(write[3:]).output
    assert any(word.startswith(f"file=@{output};") for word in mail)
    timer = re.findall(r"^```ini\n(.*?)^```$", text_of(), re.DOTALL | re.MULTILINE)[1]
    made = configparser.ConfigParser(strict=False)
    made.read_string(timer)
    assert made["Timer"]["OnCalendar"] == "Mon 08:00"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not here")
def test_curl_mails_the_file(tmp_path: Path) -> None:
    """To a mail server that takes one mail."""
    _, mail = commands()
    (tmp_path / "week.pdf").write_bytes(b"%PDF-1.7 week")
    listener = socket.create_server(("127.0.0.1", 0))
    received: list[str] = []
    server = threading.Thread(target=take_one_mail, args=(listener, received))
    server.start()
    url = f"smtp://127.0.0.1:{listener.getsockname()[1]}"
    places = {"smtp://smtp.example.com": url, "/var/lib/pointsman/week.pdf": str(tmp_path / "week.pdf")}
    words = list(mail)
    for theirs, ours in places.items():
        words = [word.replace(theirs, ours) for word in words]
    words[0] = "curl"
    done = subprocess.run([*words, "--noproxy", "*", "--max-time", "30"], check=False, capture_output=True, text=True)
    server.join(30)
    listener.close()
    assert done.returncode == 0, done.stderr
    text = "\n".join(received)
    assert "RCPT TO:<ops@example.com>" in text and "Subject: Pointsman, the week" in text
    assert "application/pdf" in text and "JVBERi0xLjcgd2Vlaw==" in text


def take_one_mail(listener: socket.socket, received: list[str]) -> None:
    listener.settimeout(30)
    connection, _ = listener.accept()
    with connection, connection.makefile("rw", encoding="utf-8", newline="\r\n") as stream:

        def say(line: str) -> None:
            stream.write(line + "\n")
            stream.flush()

        say("220 here")
        in_mail = False
        for line in stream:
            received.append(line.rstrip("\r\n"))
            word = received[-1][:4].upper()
            if in_mail:
                if received[-1] == ".":
                    in_mail = False
                    say("250 taken")
            elif word == "DATA":
                in_mail = True
                say("354 go on")
            elif word == "QUIT":
                say("221 bye")
                return
            else:
                say("250 fine")
