"""Damaged, foreign and older HDF5 files.

Each comes back whole, or with an error of femu, and soon.
"""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

from femu import FileError, Model, Result
from femu.analyses import LoadControl
from femu.elements import ElasticBeamColumn
from femu.experimental import read_journal
from femu.experimental.journal.journal import Journal
from femu.files import hdf5_older
from femu.files.hdf5 import (
    item,
    number,
    numbers,
    opened,
    put_text,
    put_text_table,
    table,
    text,
    text_table,
    texts,
    written_whole,
)
from femu.files.hdf5_recovery import hash_of, is_marked
from femu.materials import ElasticSection
from femu.updating import UpdatingHistory

ROOT = Path(__file__).parents[2]


def result() -> Result:
    model = Model("Träger")
    model.node(1, 0.0, 0.0, fixed=True)
    model.node(2, 0.0, 3.0, mass=1e3)
    model.add(ElasticBeamColumn("column", 1, 2, section=ElasticSection(E=2e11, A=1e-2, I=1e-4)))
    model.load(2, x=1.0)
    return LoadControl(steps=2).run(model)


def test_texts_come_back_as_they_were(tmp_path: Path) -> None:
    long = "ä" * 100_000  # more than an attribute of the old form of HDF5 could hold
    with written_whole(tmp_path / "a.h5") as file:
        for name, value in {"none": "", "some": "Größe, 基础", "long": long}.items():
            put_text(file, name, value)
        put_text(file, "list", ["a", "", "ßß"])
        put_text(file, "nothing", [])
        put_text_table(file, "table", '["fy"]')
    with opened(tmp_path / "a.h5", "a test") as file:
        assert [text(file, n, "a.h5") for n in ("none", "some", "long")] == [
            "",
            "Größe, 基础",
            long,
        ]
        assert (
            texts(file, "list", "a.h5") == ["a", "", "ßß"] and texts(file, "nothing", "a.h5") == []
        )
        assert text_table(file, "table", tmp_path / "a.h5") == '["fy"]'


def test_a_file_is_on_the_disk_before_it_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[tuple[str, int]] = []
    made = result()  # before os is watched: it may write compiled kernels
    for name, size in (
        ("fsync", lambda handle: os.fstat(handle).st_size),
        ("replace", os.path.getsize),
    ):
        call = getattr(os, name)
        monkeypatch.setattr(
            os,
            name,
            lambda *given, name=name, call=call, size=size: (
                done.append((name, size(given[0]))),
                call(*given),
            ),
        )
    made.save(tmp_path / "result.h5")
    size = (tmp_path / "result.h5").stat().st_size
    assert done == [("fsync", size), ("replace", size)]


def test_no_file_holds_a_text_of_variable_length(tmp_path: Path) -> None:
    found = result()
    found.save(tmp_path / "result.h5")
    Journal(
        tmp_path / "journal.h5", {"e": 1}, state=2, parameters=(["fy"], np.ones(1)), record=3
    ).close()
    UpdatingHistory(("fy",), 1, np.zeros((3, 14)), ((0.0, 1.0),)).save(tmp_path / "history.h5")
    seen = []

    def look(_: str, thing: h5py.Group | h5py.Dataset) -> None:
        kinds = [thing.attrs.get_id(key).get_type() for key in thing.attrs]
        kinds += [thing.id.get_type()] if isinstance(thing, h5py.Dataset) else []
        strings = [k for k in kinds if k.get_class() == h5py.h5t.STRING]
        assert not any(k.is_variable_str() for k in strings) and not any(
            k.get_class() == h5py.h5t.VLEN for k in kinds
        )
        seen.extend(strings)

    for path in tmp_path.iterdir():
        with h5py.File(path, "r") as file:
            look("", file)
            file.visititems(look)
    assert len(seen) > 10


def test_a_damaged_heap_of_an_older_file_does_not_keep_the_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hdf5_older, "LONGEST", 4.0)
    path = tmp_path / "a.h5"
    data = bytearray(
        (Path(__file__).parents[1] / "data" / "variable_length_texts" / "result.h5").read_bytes()
    )
    heap = data.index(b"GCOL")
    # HDF5 never returns from this length
    data[heap + 16 + 8 : heap + 16 + 16] = (2**64 - 16).to_bytes(8, "little")
    path.write_bytes(data)
    with pytest.raises(FileError, match="is damaged: its texts"):
        Result.load(path)


def test_a_damaged_journal_of_a_killed_writer_does_not_keep_the_reader(tmp_path: Path) -> None:
    code = (
        "import os, sys, numpy as np; from femu.experimental.journal.journal import Journal\n"
        "j = Journal(sys.argv[1], {'e': 1}, state=1, specimens=1); one = np.ones(1)\n"
        "for k in range(30): j.command('e', k, k, one); j.measured('e', k, k, one, one); "
        "j.commit(k, k, one * k, one)\n"
        "os._exit(9)"
    )
    path = tmp_path / "j.h5"
    subprocess.run([sys.executable, "-c", code, str(path)], check=False)
    assert is_marked(path) and read_journal(path).steps == 30
    good, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    for _ in range(12):
        data = bytearray(good)
        for place in rng.integers(48, len(data) // 8, 3):
            data[place] ^= 0xFF
        path.write_bytes(data)
        try:
            read_journal(path)
        except FileError:
            refused += 1
    assert refused > 6


def test_the_checksum_is_that_of_hdf5(tmp_path: Path) -> None:
    assert hash_of(b"") == 0xDEADBEEF
    assert hash_of(b"Four score and seven years ago") == 0x17770551  # printed with lookup3.c
    with h5py.File(tmp_path / "a.h5", "w", libver=("v110", "v110")):
        pass
    head = (tmp_path / "a.h5").read_bytes()[:48]
    assert hash_of(head[:-4]) == int.from_bytes(head[-4:], "little")


def test_links_and_other_files_are_not_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    (tmp_path / "secret").write_bytes(bytes(80))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.zeros(3)
    with h5py.File(path, "w") as file:
        file["other"] = h5py.ExternalLink("other.h5", "x")
        file["soft"] = h5py.SoftLink("/good")
        file["good"] = np.zeros(3)
        file.create_dataset("outside", (10,), "f8", external=[(str(tmp_path / "secret"), 0, 80)])
        file.create_dataset("huge", (1 << 40,), "f8")
        file.create_dataset("any length", data="text")
        file.create_dataset("pair", data=np.zeros(2, [("a", "f8")]))
    with opened(path, "a test") as file:
        assert (table(file, "good", path, 1)[:] == 0.0).all()
        for name, words in (
            ("other", "link"),
            ("soft", "link"),
            ("outside", "in another file"),
            ("huge", "more than the file"),
            ("any length", "does not write"),
            ("pair", "does not write"),
            ("nothing", "has no nothing"),
            ("good/more", "has no good/more"),
        ):
            with pytest.raises(FileError, match=words):
                table(file, name, path)
        with pytest.raises(FileError, match="link"):
            item(file, "other", path)


@pytest.mark.parametrize(
    "value", [1, 1.5, np.zeros(2), h5py.Empty("f"), b"\xff\xfe", np.array([b"a", b"b"])]
)
def test_an_attribute_of_another_kind_is_refused(tmp_path: Path, value: object) -> None:
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.attrs["it"] = np.bytes_(value) if isinstance(value, bytes) else value
        file.attrs["pair"] = np.zeros((), [("a", "f8")])
    with opened(path, "a test") as file:
        for read in (text, lambda *a: numbers(*a, 2), lambda *a: number(*a, least=2)):
            with pytest.raises(FileError, match=" it "):
                read(file, "it", path)
            with pytest.raises(FileError, match="kind that femu does not write"):
                read(file, "pair", path)


def test_every_reader_goes_through_one_place() -> None:
    """No other file of femu reads an attribute, or opens an HDF5 file, except to write it."""
    writers = {"experimental/journal/journal.py", "femu/batch/results_file.py"}
    found = []
    for path in itertools.chain(
        *(
            (ROOT / folder).rglob("*.py")
            for folder in (
                "femu",
                "materials",
                "elements",
                "analyses",
                "experimental",
                "benchmarks",
            )
        )
    ):
        place = path.relative_to(ROOT).as_posix()
        if place == "femu/files/hdf5.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and ast.unparse(node.func) == "h5py.File"
                and place not in writers
            ):
                found.append(f"{place}, line {node.lineno}: h5py.File")
            if (
                isinstance(node, ast.Subscript)
                and isinstance(node.ctx, ast.Load)
                and getattr(node.value, "attr", "") == "attrs"
            ):
                found.append(f"{place}, line {node.lineno}: reads an attribute")
            if (
                isinstance(node, ast.Attribute)
                and node.attr in ("get", "items", "values")
                and (getattr(node.value, "attr", "") == "attrs")
            ):
                found.append(f"{place}, line {node.lineno}: reads an attribute")
    assert found == []


def test_a_compressed_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "packed.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset(
            "packed", (1000, 1000), "f8", compression="gzip", data=np.zeros((1000, 1000))
        )
    with opened(path, "a test") as file, pytest.raises(FileError, match="compressed"):
        table(file, "packed", path)
