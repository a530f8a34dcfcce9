"""A folder in which stand-ins of programs are found before all others."""
import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


class ScriptTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()

    def program(self, name, body):
        """Puts a stand-in on the PATH that also notes how it was called."""
        path = self.bin / name
        path.write_text(f'#!/bin/bash\necho "{name} $*" >>"{self.folder}/calls"\n{body}\n')
        path.chmod(0o755)

    def calls(self):
        notes = self.folder / "calls"
        return notes.read_text().splitlines() if notes.exists() else []

    def forget_calls(self):
        (self.folder / "calls").unlink(missing_ok=True)

    def run_script(self, *command, **environment):
        cleared = {"LARDER_SETUP": "", "LARDER_COUNTS": "", "SEED": "", "SIZE": "", "JOBS": "", "SECONDS_AT_LEAST": "",
                   "LATE": "", "LARDER_BUILT": "", "LARDER_SILENCE": "", "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": ""}
        inherited = {name: value for name, value in os.environ.items() if name not in cleared}
        path = f'{self.bin}:{os.environ["PATH"]}'
        return subprocess.run(
            [str(part) for part in command], env={**inherited, "PATH": path, **environment}, capture_output=True,
            text=True, timeout=60, check=False)
