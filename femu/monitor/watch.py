"""What the page shows of a test.

Series that never grow long, how near the limits are, and alarms.
"""

from __future__ import annotations

import os
import time as clock
from typing import Any

import numpy as np
import numpy.typing as npt

from femu.experimental.channels import names_in, quantity
from femu.experimental.journal.journal import HEAD, TAIL
from femu.experimental.journal.position_check import UNREAD
from femu.experimental.late_steps import UNKNOWN, are_noted, in_words, late_in_journal
from femu.experimental.safety.limits import LIMITED
from femu.files.hdf5 import BROKEN
from femu.monitor.envelope import Envelope
from femu.monitor.tail import JournalTail, News
from femu.monitor.thinned import MOST, Thinned, peaks_of_blocks
from femu.results.outcome import Outcome
from femu.support.arguments import typed_class
from femu.support.errors import FemuError

Array = npt.NDArray[np.float64]
NEAR = 0.8  # share of a limit from which on it is an alarm
QUIET = 5.0  # seconds without a row after which a running test counts as silent
LATEST = 1500  # points of the loop that are drawn without thinning
RECENT = 10.0  # seconds of command and measurement that can be looked at closely
KEPT = 40_000  # rows kept for that, at most
# seconds that one refresh reads at most: a page that is opened late catches up in several
AT_A_TIME = 0.2


class Channel:
    """One actuator of an element: command and measurement over time, and the loop."""

    def __init__(self, name: str = "1") -> None:
        self.name = name
        self.tracking = Thinned(3)  # time, measured displacement, command
        self.envelope = Envelope()  # force over measured displacement
        self._recent = np.zeros((0, 3))
        self.latest = np.zeros((0, 2))
        self.used = dict.fromkeys(LIMITED, 0.0)
        self._before: tuple[float, float] | None = None  # time and command of the row before

    def add(self, time: Array, command: Array, displacement: Array, force: Array) -> None:
        """Take new rows."""
        tracked = np.stack([time, displacement, command], axis=1)
        self.tracking.add(tracked)
        self._recent = np.concatenate([self._recent, tracked])[-KEPT:]
        pairs = np.stack([displacement, force], axis=1)
        self.envelope.add(displacement, force)
        self.latest = np.concatenate([self.latest, pairs])[-LATEST:]
        t0, c0 = self._before or (time[0], command[0])
        moves, spans = np.abs(np.diff(command, prepend=c0)), np.diff(time, prepend=t0)
        used = (np.abs(command), moves, moves[spans > 0.0] / spans[spans > 0.0], np.abs(force))
        for name, values in zip(LIMITED, used, strict=True):
            self.used[name] = max(self.used[name], float(values.max(initial=0.0)))
        self._before = float(time[-1]), float(command[-1])

    @property
    def recent(self) -> Array:
        """The last seconds of time, measured displacement and command, thinned if they are many."""
        rows = self._recent
        rows = rows[rows[:, 0] >= rows[-1, 0] - RECENT] if len(rows) else rows
        size = -(-2 * len(rows) // MOST)
        whole = len(rows) // size * size if size > 2 else 0
        return (
            np.concatenate([peaks_of_blocks(rows[:whole], size, 1), rows[whole:]])
            if whole
            else rows
        )


@typed_class
class Watch:
    """A test as seen through its journal. `refresh` reads what is new."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._tail = JournalTail(path)
        self.changes = 0  # grows whenever there is something new to draw
        self._forget()

    def _forget(self) -> None:
        self.about: dict[str, Any] = {}
        self.channels: dict[str, list[Channel]] = {}
        self.parameters: dict[str, Thinned] = {}  # time, estimate, two standard deviations
        # time, mean over the window, lower, upper end of the band
        self.innovation: Thinned | None = None
        self.step_time = Thinned(2)  # time, seconds of wall clock between two measurements
        self._pending: dict[str, Array] = {}
        self.steps, self.time, self.seen = 0, 0.0, 0.0
        self._began: tuple[float, int] | None = None
        self.rate = 0.0  # measurements per second of wall clock, over the last look
        self.late: int | None = None  # steps; None if the journal does not say
        self.ending: Outcome | None = None
        self.message, self.problem = "", ""

    def refresh(self) -> bool:
        """Read what is new; whether there was anything.

        If there is very much, the next call reads the rest.
        """
        until, changed, behind = clock.monotonic() + AT_A_TIME, False, True
        try:
            while behind and clock.monotonic() < until:
                new, behind = self._take(self._tail.look())
                changed = changed or new
        except (FemuError, *BROKEN) as problem:  # of a damaged journal
            self.problem = str(problem) or type(problem).__name__
        self.changes += changed
        return changed

    def _take(self, news: News) -> tuple[bool, bool]:
        """Whether a look at the journal brought anything, and whether there is more."""
        self.problem = news.problem
        if news.restarted:
            self._forget()
        if news.about and not self.channels:
            self.about = news.about
            self.channels = {
                name: [Channel(n) for n in names_in(self.about, name, size)]
                for name, size in self.about["elements"].items()
            }
        changed = news.restarted
        for place, name in enumerate(self.channels):
            changed = self._element(place, name, news) or changed
        if (rows := news.rows.get("committed/record")) is not None:
            late = late_in_journal(self.about, rows)
            self.late = None if late is None else (self.late or 0) + late
        self._updating(news)
        if news.ending is not None and self.ending is None:
            known = Outcome.__members__
            self.ending = known.get(news.ending, Outcome.ERROR)
            self.message, changed = news.message, True
        return changed, news.behind

    @property
    def budget(self) -> float | None:
        """Seconds a step may take in a paced test."""
        rate = self.about.get("rate")
        return 1.0 / rate if rate else None

    @property
    def state(self) -> str:
        """The state of the test in a word or two."""
        if not self.about:
            return "journal cannot be read" if self.problem else "waiting for the journal"
        if self.ending is not None:
            return "finished" if self.ending.ok else "stopped"
        return "running" if clock.time() - self.seen < QUIET else "silent"

    def shares(self) -> list[tuple[str, float, float]]:
        """The use of each limit: name, largest fraction used so far, and the limit."""
        found = []
        for name, channels in self.channels.items():
            limits = self.about.get("limits", {}).get(name, {})
            for kind in LIMITED:
                if limits.get(kind) is None:
                    continue
                values = np.broadcast_to(np.asarray(limits[kind], dtype=float), (len(channels),))
                for channel, limit in zip(channels, values, strict=True):
                    label = f"{name} {channel.name}: {quantity(kind, channel.name)}"
                    found.append((label, channel.used[kind] / float(limit), float(limit)))
        return found

    def alarms(self) -> list[str]:
        """Alarms for the operator."""
        found = [f"The journal cannot be read: {self.problem}"] if self.problem else []
        if self.ending is not None and not self.ending.ok:
            found.append(self.message or self.ending.value)
        if isinstance(unread := self.about.get("not_read"), list) and unread:
            found.append(f"{UNREAD} {', '.join(map(str, unread))}.")
        if self.state == "silent":
            found.append(f"Nothing came for {clock.time() - self.seen:.0f} s.")
        found += [
            f"{label} has used {100.0 * share:.0f} % of its limit {limit:g}."
            for label, share, limit in self.shares()
            if share >= NEAR
        ]
        if self.budget is not None and self.about and not are_noted(self.about):
            found.append(f"The test is paced, and {UNKNOWN}.")
        elif self.budget is not None and self.late:
            found.append(f"{in_words(self.late, self.steps)}, at {1.0 / self.budget:g} per second.")
        if self.innovation is not None and len(self.innovation):
            _, mean, lower, upper = self.innovation.rows[-1]
            # not if it is unknown: an updater in its own process does not report it
            if mean < lower or mean > upper:
                found.append(
                    "The updater's innovations are outside their band: the twin does not explain "
                    "the specimen."
                )
        return found

    # --- pieces ---

    def _element(self, place: int, name: str, news: News) -> bool:
        """Take the rows that have both a command and a measurement."""
        both = []
        for what in ("command", "measured"):
            key = f"elements/{place}/{what}"
            new = news.rows.get(key)
            waiting = self._pending.get(key)
            both.append(
                new
                if waiting is None
                else waiting
                if new is None
                else np.concatenate([waiting, new])
            )
        command, measured = both
        if command is None or measured is None:
            return False
        count = min(len(command), len(measured))
        self._pending[f"elements/{place}/command"] = command[count:]
        self._pending[f"elements/{place}/measured"] = measured[count:]
        if count == 0:
            return False
        command, measured = command[:count], measured[:count]
        size = len(self.channels[name])
        time = measured[:, 1]
        for k, channel in enumerate(self.channels[name]):
            channel.add(
                time, command[:, HEAD + k], measured[:, HEAD + k], measured[:, HEAD + size + k]
            )
        if place == 0:
            self._pace(time, measured[:, -TAIL], int(measured[-1, 0]))
        return True

    def _pace(self, time: Array, stamps: Array, step: int) -> None:
        took = np.diff(stamps, prepend=self.seen or stamps[0])
        if not self.seen:
            took = took[1:]
            time = time[1:]
        self.step_time.add(np.stack([time, took], axis=1))
        span = stamps[-1] - (self.seen or stamps[0])
        self.rate = len(took) / span if span > 0.0 else 0.0
        self.steps, self.time, self.seen = (
            step,
            float(time[-1]) if len(time) else self.time,
            float(stamps[-1]),
        )

    def _updating(self, news: News) -> None:
        """Estimates with two standard deviations, and the mean normalised innovation with its band."""
        names = self.about.get("updating", [])
        rows = news.rows.get("committed/record")
        if rows is None or not len(rows) or not names:
            return
        n = len(names)
        values = rows[:, HEAD + int(self.about.get("updating_at", 0)) : -TAIL]
        for k, name in enumerate(names):
            series = self.parameters.setdefault(name, Thinned(3))
            series.add(np.stack([rows[:, 1], values[:, k], 2.0 * values[:, n + k]], axis=1))
        if self.innovation is None:
            self.innovation = Thinned(4)
        self.innovation.add(np.column_stack([rows[:, 1], values[:, 2 * n : 2 * n + 3]]))
