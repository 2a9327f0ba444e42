"""Prompts at rest: AES-256-GCM, the key in a file that only the owner reads."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import GCM

from pointsman.domain.said import said
from pointsman.store.log_keys import KEY, SIZE, older_in

_NONCE = 12


class Seal:
    """Encrypts with a fresh nonce each time. `about` (what lies beside it in the plain) is bound to the text: sealed bytes
    moved to another row do not open. `older` are keys that sealed before: what they closed opens, too."""

    def __init__(self, key: bytes, older: Iterable[bytes] = ()) -> None:
        self._cipher = AESGCM(key)
        self._key = AES(key)
        self._secrets = (key, *older)
        self._opening = [self._cipher, *map(AESGCM, dict.fromkeys(older))]  # the one first that opened last

    def follows(self, other: Seal) -> bool:
        """Whether it opens what the other one closes now."""
        return other._secrets[0] in self._secrets

    def alone(self) -> Seal:
        """With its key only."""
        return Seal(self._secrets[0])

    @classmethod
    def in_folder(cls, folder: Path) -> Seal:
        """The key in `folder`/log.key, made when it is not there. Raises OSError, ValueError (not 32 bytes)."""
        path = folder / KEY
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            key = path.read_bytes()
            if len(key) != SIZE:
                raise ValueError(
                    said(
                        "{path} holds {found} bytes; a key has {size}. With another key, what was logged stays sealed: "
                        "bring the old key back, or remove the file and a new one is made",
                        "{path} 有 {found} 字节，而密钥是 {size} 字节。换了密钥，以前的日志就打不开：请找回原来的密钥，"
                        "或者删掉这个文件，重新生成一个",
                        path=path,
                        found=len(key),
                        size=SIZE,
                    )
                ) from None
        else:
            key = os.urandom(SIZE)
            with os.fdopen(handle, "wb") as file:
                file.write(key)
        return cls(key, older_in(folder))

    @classmethod
    def found_in(cls, folder: Path) -> Seal | None:
        """For reading: the keys that are there; None where there is none that can be used. Makes no file."""
        keys = older_in(folder)
        with contextlib.suppress(OSError):
            key = (folder / KEY).read_bytes()
            if len(key) == SIZE:
                keys.insert(0, key)
        return cls(keys[0], keys[1:]) if keys else None

    def close(self, text: bytes, about: bytes) -> bytes:
        nonce = os.urandom(_NONCE)
        return nonce + self._cipher.encrypt(nonce, text, about)

    def close_all(self, pieces: Iterable[bytes | memoryview], about: bytes) -> list[bytes]:
        """As `close` of all of them, one after the other, in pieces that belong together: in memory that is at hand, which
        one large text is not, and without holding up other threads for long."""
        nonce = os.urandom(_NONCE)
        encryptor = Cipher(self._key, GCM(nonce)).encryptor()
        encryptor.authenticate_additional_data(about)
        closed = [nonce, *map(encryptor.update, pieces)]
        encryptor.finalize()
        closed.append(encryptor.tag)
        return closed

    def open(self, sealed: bytes, about: bytes) -> bytes | None:
        """None where the key is another one, or the bytes were changed or never sealed."""
        if len(sealed) < _NONCE:
            return None
        for cipher in self._opening:
            try:
                opened = cipher.decrypt(sealed[:_NONCE], sealed[_NONCE:], about)
            except InvalidTag:
                continue
            if cipher is not self._opening[0]:
                self._opening = [cipher, *(other for other in self._opening if other is not cipher)]
            return opened
        return None
