"""The reliability campaign: ``python -m tests.campaign [--quick] [--json] [PART ...]`` from the
root of the repository.

Each part is a module with ``run(quick) -> Tally``. What is quick is part of the default run of
pytest too; see the test files of this folder.
"""
