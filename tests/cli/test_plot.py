"""`femu plot`: the model and the result of a script whatever they are called, and kinds that a file
does not have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from femu import Result
from femu.cli.main import main
from femu.cli.plot import _OF_BATCHES, _OF_UPDATERS, KINDS

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
FIRST = re.findall(r"^```python\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first script of the README, and what `femu run` keeps of it."""
    made = tmp_path_factory.mktemp("readme")
    (made / "portal.py").write_text(FIRST)
    assert CliRunner().invoke(main, ["run", str(made / "portal.py")]).exit_code == 0
    return made


def plot(*words: object) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["plot", *map(str, words)])
    assert done.exception is None or isinstance(done.exception, SystemExit), repr(done.exception)
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("kind", [*_OF_BATCHES, *_OF_UPDATERS, "timing", "torsion"])
def test_a_result_says_what_it_is_and_which_pictures_it_has(folder: Path, kind: str) -> None:
    code, said = plot(folder / "portal.h5", kind)
    assert code == 2
    assert (
        "portal.h5 is the result of a transient analysis: it has pictures of the kinds model, "
        "modes, deformed, moment" in said
    )
    offered = said.rsplit("kinds ", 1)[1].rstrip(".").split(", ")
    assert set(offered) == {*KINDS} - {
        *_OF_BATCHES,
        *_OF_UPDATERS,
        "timing",
        "moment-y",
        "shear-z",
        "torsion",
    }


def test_what_a_result_offers_it_has(folder: Path) -> None:
    said = plot(folder / "portal.h5", "ida")[1].rsplit("kinds ", 1)[1].rstrip(".").split(", ")
    for kind in said:
        if kind != "animation":  # takes long, and has tests of its own
            assert plot(folder / "portal.h5", kind, "--output", folder / f"{kind}.png")[0] == 0, (
                kind
            )


@pytest.mark.parametrize("kind", ["model", "deformed"])
def test_the_script_of_the_readme_has_pictures(folder: Path, kind: str) -> None:
    """Its model is called frame, and its result is there already."""
    code, said = plot(folder / "portal.py", kind, "--output", folder / "picture.png")
    assert code == 0, said
    assert (folder / "picture.png").exists()


def test_of_several_models_one_is_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    one = (
        "from femu import Model\nfor name in 'ab':\n    made = Model(name)\n    made.node(0, 0.0, "
        "0.0, fixed=True)\n"
        "    made.node(1, 0.0, 3.0)\n    globals()['tower_' + name] = made\ndel made\n"
    )
    script.write_text(one)
    code, said = plot(script, "model")
    assert code == 3
    assert (
        "2 objects that can be its model (tower_a, tower_b): choose one with --model NAME" in said
    )
    assert plot(script, "model", "--model", "tower_b")[0] == 0
    code, said = plot(script, "model", "--model", "tower_c")
    assert code == 3 and "its models are: tower_a, tower_b" in said
    script.write_text("import femu\n")
    code, said = plot(script, "model")
    assert code == 3 and "must define a femu.Model" in said


def test_the_readme_keeps_its_result(folder: Path) -> None:
    assert Result.load(folder / "portal.h5").outcome.ok
