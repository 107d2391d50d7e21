"""What the comparisons share."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping

_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "KB": 1000, "MB": 1000_000}


def in_turn(rounds: int, ways: Mapping[str, Callable[[], object]]) -> dict[str, list[float]]:
    """The seconds of each way in each round; all ways take part in every round."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    return times


def show(what: str, size: int, times: dict[str, list[float]]) -> None:
    """The median rate of each way, and how many times faster the first one is than each other."""
    for name, seconds in times.items():
        print(f"{what} {name:<16} {size / statistics.median(seconds) / (1 << 20):7.0f} MiB/s")
    (first, best), *others = times.items()
    for name, seconds in others:
        ratios = [other / one for one, other in zip(best, seconds, strict=True)]
        print(f"{what} {first} ÷ {name}: {', '.join(f'{ratio:.2f}' for ratio in ratios)}")


def parsed(text: str) -> int:
    """A number of bytes, such as `256KiB`."""
    for unit, factor in _UNITS.items():
        if text.endswith(unit):
            return int(float(text.removesuffix(unit)) * factor)
    return int(text)
