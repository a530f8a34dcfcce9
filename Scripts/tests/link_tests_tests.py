"""Scripts/link-tests: which objects are linked for a sanitizer, and by which command."""
import json

from fixtures import ROOT, ScriptTests


class LinkTestsTests(ScriptTests):
    def setUp(self):
        super().setUp()
        self.plain = self.folder / ".build"
        self.address = self.folder / ".build" / "address"
        self.program("swiftc", "pwd")
        self.build(self.plain, "Core.build/A.swift.o", "Core Tests.build/T.swift.o")
        self.build(self.address, "Core.build/A.swift.o", "Core.build/Unlisted.swift.o")
        (self.debug(self.plain) / "Objects.LinkFileList").write_text(
            f"{self.debug(self.plain)}/Core.build/A.swift.o\n'{self.debug(self.plain)}/Core Tests.build/T.swift.o'\n")
        self.plan(self.link("LarderPackageTests.xctest"), self.link("larder"))
        self.made("Core.build/A.swift.o")

    def made(self, *objects):
        """What the sanitizer's build makes."""
        (self.address / "debug.yaml").write_text(
            "outputs: " + json.dumps([str(self.debug(self.address) / name) for name in objects]))

    def debug(self, build):
        return build / "host" / "debug"

    def build(self, folder, *objects):
        for name in objects:
            file = self.debug(folder) / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("")

    def link(self, program):
        debug = self.debug(self.plain)
        return [str(self.bin / "swiftc"), "-L", str(debug), "-o", str(debug / program), "-emit-executable",
                f"@{debug}/Objects.LinkFileList", "-lz"]

    def plan(self, *commands):
        (self.plain / "debug.yaml").write_text("commands:\n" + "".join(
            f'  "C.{number}":\n    tool: shell\n    args: {json.dumps(command)}\n' for number, command in enumerate(commands)))

    def run_link(self):
        return self.run_script(ROOT / "Scripts" / "link-tests", self.plain, self.address, "address")

    def test_libraries_are_the_sanitizers_and_tests_are_not(self):
        result = self.run_link()
        self.assertEqual(result.returncode, 0, result.stderr)
        listed = self.debug(self.address) / "LarderPackageTests.objects"
        self.assertEqual(listed.read_text().splitlines(), [
            f'"{self.debug(self.address)}/Core.build/A.swift.o"', f'"{self.debug(self.plain)}/Core Tests.build/T.swift.o"'])
        self.assertEqual(self.calls(), [
            f"swiftc -L {self.debug(self.plain)} -o {self.debug(self.address)}/LarderPackageTests.xctest -emit-executable "
            f"@{listed} -lz -sanitize=address"])

    def test_a_build_without_the_libraries_is_said(self):
        (self.debug(self.address) / "Core.build" / "A.swift.o").unlink()
        result = self.run_link()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("has no library of these tests", result.stderr)

    def test_what_the_sanitizers_build_makes_no_more_is_not_linked(self):
        self.build(self.plain, "Other.build/B.swift.o")
        self.build(self.address, "Other.build/B.swift.o")
        with (self.debug(self.plain) / "Objects.LinkFileList").open("a") as files:
            files.write(f"{self.debug(self.plain)}/Other.build/B.swift.o\n")
        self.assertEqual(self.run_link().returncode, 0)
        listed = (self.debug(self.address) / "LarderPackageTests.objects").read_text()
        self.assertIn(f'"{self.debug(self.plain)}/Other.build/B.swift.o"', listed)
        self.assertIn(f'"{self.debug(self.address)}/Core.build/A.swift.o"', listed)

    def test_another_packages_plan_is_said(self):
        self.plan(self.link("larder"))
        result = self.run_link()
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("links 0 programs of tests, not 1", result.stderr)
        self.assertEqual(self.calls(), [])

    def test_a_linker_that_fails_has_failed(self):
        self.program("swiftc", "exit 3")
        self.assertEqual(self.run_link().returncode, 3)
