"""Nothing that was received or read is run."""

from __future__ import annotations

import pytest

from tests.campaign.supply_chain import allowed, calls, calls_in, dangerous


def test_no_pickle_eval_or_exec_on_data() -> None:
    assert dangerous() == []
    assert any(name == "pickle.loads" for _, _, name in calls())  # the search finds those that are there


@pytest.mark.parametrize("text", [
    "import pickle\npickle.loads(b'')", "import pickle as p\np.load(f)", "from pickle import loads\nloads(b'')",
    "from pickle import loads as read\nread(b'')", "eval('1')", "exec(text)", "import builtins\nbuiltins.eval('1')",
    "import numpy as np\nnp.load(f, allow_pickle=True)", "import numpy\nnumpy.load(f, allow_pickle=yes)",
    "import subprocess as s\ns.run(words, shell=True)", "from os import system\nsystem('ls')",
    "import marshal\nmarshal.loads(b'')",
    "from multiprocessing.connection import Client\nClient(('', 1))", "from pickle import *", "import tarfile\ntarfile.open(f)"])
def test_the_search_sees_through_names(text: str) -> None:
    assert calls_in(text)


def test_what_is_harmless_is_not_found() -> None:
    assert calls_in("import numpy as np, json, re\nnp.load(f, allow_pickle=False)\njson.loads(t)\nre.compile('a')") == []


def test_dependencies_are_read() -> None:
    assert len(allowed()) == 8 and all(">=" in line for line in allowed())
