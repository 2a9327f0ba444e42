"""The names of all keys, and which shard each lies in."""

from __future__ import annotations

from zlib import crc32

from pointsman.domain.job import QUEUES, Queue, shard_of

SHARDS = 16
"""Of a cluster, for good: another number would look for jobs where they are not."""
NUMBER: dict[Queue, int] = {queue: number for number, queue in enumerate(QUEUES, 1)}
"""Of each queue, as scripts know it. 2 n is the stream of what is fresh, 2 n − 1 of what was given back."""


class Keys:
    """Every key of a shard has its tag, so that all of them are in one slot of a cluster and one script may touch them."""

    def __init__(self, prefix: str, shards: int) -> None:
        self.shards = shards
        self._tags = [b"{%s:%d}:" % (prefix.encode(), number) for number in range(shards)]
        self.own = [self._fixed(tag) for tag in self._tags]
        """Of each shard, those that scripts get before all others, in their order."""

    def _fixed(self, tag: bytes) -> tuple[bytes, ...]:
        queues = [queue.encode() for queue in QUEUES]
        return (
            *(tag + name for name in (b"held", b"ids", b"open", b"over", b"values")),
            *(tag + kind + b":" + queue for queue in queues for kind in (b"again", b"fresh")),
            *(tag + kind + b":" + queue for kind in (b"parked", b"dead") for queue in queues),
        )

    def shard(self, job_id: str) -> int:
        """A job's, its parent's, its children's and its webhook's."""
        return self._of(shard_of(job_id).encode()) if self.shards > 1 else 0

    def shard_of_name(self, caller: str, key: str) -> int:
        return self._of(_both(caller, key))

    def shard_of_value(self, key: str) -> int:
        return self._of(key.encode())

    def _of(self, text: bytes) -> int:
        return crc32(text) % self.shards

    def held(self, shard: int) -> bytes:
        return self.own[shard][0]

    def ids(self, shard: int) -> bytes:
        return self.own[shard][1]

    def open(self, shard: int) -> bytes:
        return self.own[shard][2]

    def over(self, shard: int) -> bytes:
        return self.own[shard][3]

    def values(self, shard: int) -> bytes:
        return self.own[shard][4]

    def streams(self, shard: int, queue: Queue) -> tuple[bytes, bytes]:
        """Given back, fresh."""
        first = 3 + 2 * NUMBER[queue]
        return self.own[shard][first], self.own[shard][first + 1]

    def parked(self, shard: int, queue: Queue) -> bytes:
        return self.own[shard][10 + NUMBER[queue]]

    def dead(self, shard: int, queue: Queue) -> bytes:
        return self.own[shard][13 + NUMBER[queue]]

    def job(self, shard: int, job_id: str) -> bytes:
        return self._tags[shard] + b"job:" + job_id.encode()

    def trace(self, shard: int, job_id: str) -> bytes:
        return self._tags[shard] + b"trace:" + job_id.encode()

    def caller(self, shard: int, caller: str) -> bytes:
        return self._tags[shard] + b"caller:" + caller.encode()

    def children(self, shard: int, parent: str) -> bytes:
        return self._tags[shard] + b"children:" + parent.encode()

    def name(self, shard: int, caller: str, key: str) -> bytes:
        return self._tags[shard] + b"name:" + _both(caller, key)

    def value(self, shard: int, key: str) -> bytes:
        return self._tags[shard] + b"value:" + key.encode()


def _both(caller: str, key: str) -> bytes:
    return b"%d:%s:%s" % (len(caller), caller.encode(), key.encode())
