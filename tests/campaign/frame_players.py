"""Processes that play frames, one for each program; they live on, so that a question costs only the
analysis."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
ANSWERS = 400  # of one process, so that what the programs do not free does not add up
_players: dict[str, tuple[subprocess.Popen[str], int]] = {}


def played(program: str, seeds: list[int], change: str = "") -> dict[int, dict[str, Any]]:
    """Answers of a program by seed.

    A seed that ends its process has none, and the next one gets another process.
    """
    found: dict[int, dict[str, Any]] = {}
    for seed in seeds:
        player, asked = _players.pop(program, None) or (_begun(program), 0)
        if line := _answer(player, f"{seed} {change}\n"):
            found[seed] = json.loads(line)
        if line and asked + 1 < ANSWERS:
            _players[program] = player, asked + 1
        else:
            player.communicate()
    return found


def _begun(program: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.campaign.frame_play", program],
        cwd=ROOT,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _answer(player: subprocess.Popen[str], question: str) -> str:
    """The line that comes back; empty if the process has ended."""
    assert player.stdin is not None and player.stdout is not None
    try:
        player.stdin.write(question)
        player.stdin.flush()
    except BrokenPipeError:
        return ""
    return player.stdout.readline()
