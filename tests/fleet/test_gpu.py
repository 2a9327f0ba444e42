"""NVML without a GPU, and against answers in its form."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pointsman.fleet.gpu import GpuMemory, NoGpu, gpus
from pointsman.fleet.room import largest_gpu
from pointsman.fleet.room_to_load import Where, check_room
from pointsman.ports.model_driver import NoRoom


class NVMLError(Exception):
    pass


class Answers:
    """Answers in NVML's form, for a card of 24 GiB: bytes in use, one value a question. Their sizes are made up: there was
    no GPU to ask where this was written."""

    NVMLError = NVMLError
    UUID = "GPU-5f2c8a4e-19d7-6f0b-b1b6-2a6f6f7f9c11"
    TOTAL = 25_757_220_864
    USED = (6_237_192_192, 6_237_192_192, 6_478_364_672, 6_480_461_824, 6_237_192_192)

    def __init__(self, count: int = 1, fails_at: str | None = None) -> None:
        self.count, self.fails_at = count, fails_at
        self.calls: list[str] = []
        self._used = iter(self.USED)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nvml"):
            raise AttributeError(name)

        def call(*_: Any) -> Any:
            self.calls.append(name)
            if name == self.fails_at:
                raise NVMLError("Driver/library version mismatch")
            return (
                {
                    "nvmlDeviceGetCount": self.count,
                    "nvmlDeviceGetUUID": self.UUID.encode() if self.count > 1 else self.UUID,
                    "nvmlDeviceGetComputeRunningProcesses": [
                        SimpleNamespace(pid=7, usedGpuMemory=5_000),
                        SimpleNamespace(pid=8, usedGpuMemory=None),
                    ],
                    "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=self.TOTAL, used=0, free=0),
                }.get(name)
                if name != "nvmlDeviceGetMemoryInfo"
                else SimpleNamespace(total=self.TOTAL, used=next(self._used))
            )

        return call


def test_a_gpu_says_what_is_in_use() -> None:
    nvml = Answers()
    with gpus(nvml) as found:
        assert [found.used for _ in range(4)] == list(Answers.USED[1:])
    assert nvml.calls[0] == "nvmlInit" and nvml.calls[-1] == "nvmlShutdown"


def test_several_gpus_are_added_up() -> None:
    with gpus(Answers(2)) as found:
        first, second = found.memory()
    assert first == GpuMemory(Answers.UUID, Answers.TOTAL, Answers.USED[2]) and second.used == Answers.USED[3]


def test_what_each_process_has_of_all_cards() -> None:
    with gpus(Answers(2)) as found:
        assert found.processes() == {7: 10_000}  # nobody says of the other
    with gpus(Answers(fails_at="nvmlDeviceGetComputeRunningProcesses")) as found:
        assert found.processes() == {}


@pytest.mark.parametrize("call", ["nvmlInit", "nvmlDeviceGetCount", "nvmlDeviceGetUUID", "nvmlDeviceGetMemoryInfo"])
def test_a_driver_that_does_not_answer_is_no_gpu(call: str) -> None:
    with pytest.raises(NoGpu) as caught, gpus(Answers(fails_at=call)):
        pass
    assert "version mismatch" in caught.value.why and "NVML 报告：" in caught.value.why.zh


def test_a_driver_without_gpus() -> None:
    with pytest.raises(NoGpu, match="knows no GPU"), gpus(Answers(0)):
        pass


def test_this_machine_has_one_or_says_why_not() -> None:
    try:
        with gpus() as found:
            assert found.used > 0
    except NoGpu as error:
        assert error.why


def test_room_to_load_is_what_the_card_has_free_at_that_moment() -> None:
    """The recorded figures of a card of 24 GiB: 6,237,192,192 bytes of 25,757,220,864 are in use."""
    free = Answers.TOTAL - Answers.USED[1]
    check_room("m", free, "card", lambda: largest_gpu(Answers()), lambda: 0)
    with pytest.raises(NoRoom, match=r"m needs .*, and 18,615.8 MiB are free on the card now") as caught:
        check_room("m", free + 1, "card", lambda: largest_gpu(Answers()), lambda: 1 << 40)
    assert caught.value.free == free and caught.value.fault == "memory" and "显卡" in caught.value.said.zh
    check_room("m", free + 1, "both", lambda: largest_gpu(Answers()), lambda: 1)
    with pytest.raises(NoRoom) as caught:
        check_room("m", free + 2, "both", lambda: largest_gpu(Answers()), lambda: 1)
    assert caught.value.free == free + 1


@pytest.mark.parametrize("where", ["card", "both", "main"])
def test_without_a_card_main_memory_counts(where: Where) -> None:
    check_room("m", 100, where, lambda: None, lambda: 100)
    with pytest.raises(NoRoom, match="are free now"):
        check_room("m", 101, where, lambda: None, lambda: 100)
