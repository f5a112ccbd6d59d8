"""The tables of the studies in the documentation: stored as JSON and written into the pages.

``python docs/studies.py run NAME ...`` runs ``femu reproduce NAME`` in full and stores its table
and figure in ``docs/studies``; ``keep NAME TABLE.json [PICTURE.png]`` stores those of a run that
was made elsewhere with the same versions; ``write`` puts the stored tables into the pages, between
``<!-- study NAME -->`` and ``<!-- end of NAME -->``. ``run`` and ``keep`` also write. The JSON
includes the command and the versions. ``python -m tests.campaign faults --json`` makes the table of
faults for ``keep``.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from femu.support.tables import Row, _number

DOCS = Path(__file__).parent
KEPT = DOCS / "studies"
COMMANDS = {"faults": "python -m tests.campaign faults"}
"""Commands of the tables that ``femu reproduce NAME`` does not make."""
WIDTH, COLOURS = 1260, 128  # of the stored figures
PICTURE = re.compile(r"^picture: ", re.IGNORECASE)
BLOCK = "<!-- study {0} -->\n{1}<!-- end of {0} -->"


def run(name: str) -> None:
    """Run a study and store its table and figure."""
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        subprocess.run(
            [
                sys.executable,
                "-c",
                "from femu.cli import main; main()",
                "reproduce",
                name,
                "--output",
                "table.json",
            ],
            # the table reports a row that misses its limit
            cwd=folder,
            check=False,
            stdout=subprocess.DEVNULL,
        )
        pictures = sorted(Path(folder).glob("*.png"))
        keep(
            name,
            Path(folder) / "table.json",
            pictures[0] if pictures else None,
            time.monotonic() - began,
        )


def keep(name: str, table: Path, picture: Path | None = None, seconds: float | None = None) -> None:
    """Store the table of a study with the installed versions, and its figure in page size."""
    from femu.support.environment import environment

    table_json = json.loads(table.read_text(encoding="utf-8"))
    table_json["notes"] = [note for note in table_json.get("notes", []) if not PICTURE.match(note)]
    # part of a campaign: drop the counts of other parts, and its own name in each row
    if name in COMMANDS:
        rows = [row for row in table_json["rows"] if row["value"] or row["ok"]]
        table_json["rows"] = [
            {**row, "name": row["name"].removeprefix(f"{name}: ")} for row in rows
        ]
    about: dict[str, Any] = {
        "command": COMMANDS.get(name, f"femu reproduce {name}"),
        "made": time.strftime("%Y-%m-%d"),
        "versions": environment(),
    }
    if seconds is not None:
        about["seconds"] = round(seconds)
    KEPT.mkdir(exist_ok=True)
    (KEPT / f"{name}.json").write_text(
        json.dumps({**about, "table": table_json}, ensure_ascii=False, indent=1) + "\n",
        encoding="utf-8",
    )
    if picture is not None:
        _small(picture, KEPT / f"{name}.png")


def _small(source: Path, target: Path) -> None:
    from PIL import Image

    with Image.open(source) as picture:
        height = round(picture.height * WIDTH / picture.width)
        made = picture.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS)
    made.quantize(COLOURS, dither=Image.Dither.NONE).save(target, optimize=True)


def block(name: str) -> str:
    """Return the text of a page between the two marks of a study."""
    kept = json.loads((KEPT / f"{name}.json").read_text(encoding="utf-8"))
    rows = [Row(**row) for row in kept["table"]["rows"]]
    versions = ", ".join(
        f"{package} {version}"
        for package, version in kept["versions"].items()
        if package != "system"
    )
    took = f", {kept['seconds']} s" if "seconds" in kept else ""
    lines = [
        f"`{kept['command']}`, {kept['made']}{took}; {versions}, {kept['versions']['system']}.",
        "",
    ]
    if (KEPT / f"{name}.png").exists():
        lines += [f"![Figure of {kept['command']}](studies/{name}.png)", ""]
    lines += ["| | femu | reference | limit | |", "|---|---|---|---|---|"]
    for row in rows:
        reference = "" if row.reference is None else _number(row.reference)
        verdict = {None: "", True: "ok", False: "**missed**"}[row.ok]
        cells = (
            row.name,
            f"{_number(row.value)} {row.unit}".strip(),
            reference,
            row.limit,
            verdict,
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    for note in kept["table"].get("notes", []):
        lines += ["", note]
    return "\n".join(lines).rstrip() + "\n"


def written(page: str) -> str:
    """Return a page with the stored tables of its studies."""
    for name in re.findall(r"<!-- study (\S+) -->", page):
        start, end = BLOCK.format(name, "\0").split("\0")
        before, _, rest = page.partition(start)
        page = before + BLOCK.format(name, "\n" + block(name) + "\n") + rest.partition(end)[2]
    return page


def pages() -> list[Path]:
    """Return the pages that contain a study."""
    return [
        path
        for path in sorted(DOCS.glob("*.md"))
        if "<!-- study " in path.read_text(encoding="utf-8")
    ]


def write() -> None:
    """Put the tables into the pages."""
    for path in pages():
        path.write_text(written(path.read_text(encoding="utf-8")), encoding="utf-8")


def main(words: list[str]) -> None:
    """Run the command line."""
    what, names = (words[0], words[1:]) if words else ("write", [])
    if what == "run":
        for name in names:
            run(name)
    elif what == "keep" and len(names) in (2, 3):
        keep(names[0], *map(Path, names[1:]))
    elif what != "write":
        sys.exit(__doc__)
    write()


if __name__ == "__main__":
    main(sys.argv[1:])
