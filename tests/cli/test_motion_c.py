"""`femu motion-c` writes what the translator makes."""

from click.testing import CliRunner

from femu.cli.main import main
from femu.experimental.motion import c_source


def test_it_writes_the_two_files(tmp_path):
    folder = tmp_path / "controller" / "new"
    run = CliRunner().invoke(main, ["motion-c", str(folder)])
    assert run.exit_code == 0, run.output
    assert (folder / "femu_motion.c").read_text() == c_source.source()
    assert (folder / "femu_motion.h").read_text() == c_source.header()
    assert "wrote" in run.output


def test_a_folder_that_cannot_be_made_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    run = CliRunner().invoke(main, ["motion-c", str(tmp_path / "file" / "under")])
    assert run.exit_code == 3 and "cannot be written to" in run.output
