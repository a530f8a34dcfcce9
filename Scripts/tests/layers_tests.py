"""The check of layers: it passes here, and fails where a reference upward is added."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

root = pathlib.Path(__file__).resolve().parent.parent.parent


def layers(package, *options):
    return subprocess.run([package / "Scripts/layers", *options], capture_output=True, text=True)


class LayersTests(unittest.TestCase):
    def test_no_type_is_referenced_upward_without_a_reason(self):
        end = layers(root)
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)

    def test_nothing_is_referenced_upward_without_a_reason(self):
        if not (root / ".build/debug/index/store").exists():
            self.skipTest("there is no debug build")
        end = layers(root, "--index")
        self.assertEqual(end.returncode, 0, end.stdout + end.stderr)

    def test_a_reference_that_is_added_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder)
            shutil.copytree(root / "Scripts", package / "Scripts")
            shutil.copytree(root / "Sources/LarderData", package / "Sources/LarderData")
            with open(package / "Sources/LarderData/Store/ChangeSet.swift", "a") as file:
                file.write("\n// ModelContext in a comment is none.\nlet planted = \"ModelContext\"\n")
            self.assertEqual(layers(package).returncode, 0)
            with open(package / "Sources/LarderData/Store/ChangeSet.swift", "a") as file:
                file.write("\nfunc planted(_ context: ModelContext) {}\n")
            end = layers(package)
            self.assertEqual(end.returncode, 1)
            self.assertIn("Store/ChangeSet.swift uses ModelContext", end.stdout)


if __name__ == "__main__":
    unittest.main()
