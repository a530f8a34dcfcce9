"""What Scripts/setup installs, and what it says where it may not."""
from fixtures import ROOT, ScriptTests

SETUP = ROOT / "Scripts" / "setup"
CORE = ["libbrotli-dev", "libcurl4-openssl-dev", "libsqlite3-dev", "libzstd-dev", "zlib1g-dev"]


class SetupTests(ScriptTests):
    def machine(self, installed=(), root=True, sudo=False, swift="6.3.1"):
        cases = "".join(f"{name}) printf installed ;;\n" for name in installed)
        self.program("dpkg-query", f'case "${{@: -1}}" in\n{cases}*) exit 1 ;;\nesac')
        self.program("apt-get", "")
        self.program("id", f"echo {0 if root else 1000}")
        self.program("sudo", 'shift; exec "$@"' if sudo else "exit 1")
        self.program("swift", f'echo "Swift version {swift} (swift-{swift}-RELEASE)"')

    def installs(self):
        return [call for call in self.calls() if call.startswith("apt-get")]

    def test_does_nothing_when_all_is_there(self):
        self.machine(installed=[*CORE, "libmicrohttpd-dev", "libssl-dev"])
        result = self.run_script(SETUP, "core", "demo")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))
        self.assertEqual(self.installs(), [])

    def test_installs_only_what_is_missing_and_says_so(self):
        self.machine()
        self.assertEqual(self.run_script(SETUP, "core", "test").returncode, 0)
        wanted = self.installs()[1].split("--no-install-recommends ")[1].split()
        there = {"libcurl4-openssl-dev", "libsqlite3-dev", "python3"}
        self.assertTrue(there < set(wanted), wanted)

        self.forget_calls()
        self.machine(installed=sorted(there))
        result = self.run_script(SETUP, "core", "test")
        self.assertEqual(result.returncode, 0, result.stderr)
        missing = " ".join(name for name in wanted if name not in there)
        self.assertIn(f"Installing Debian packages: {missing}\n", result.stderr)
        self.assertEqual(self.installs()[0], "apt-get update -q")
        self.assertTrue(self.installs()[1].endswith(f"--no-install-recommends {missing}"), self.installs())

    def test_prints_the_one_line_where_it_may_not_install(self):
        self.machine(root=False)
        result = self.run_script(SETUP, "core")
        self.assertEqual(result.returncode, 1)
        self.assertIn("sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends "
                      f"{' '.join(CORE)}'",
                      result.stderr)
        self.assertEqual(self.installs(), [])

    def test_uses_sudo_that_asks_for_no_password(self):
        self.machine(root=False, sudo=True)
        self.assertEqual(self.run_script(SETUP, "core").returncode, 0)
        self.assertEqual(len(self.installs()), 2)

    def test_tells_when_apt_fails(self):
        self.machine()
        self.program("apt-get", 'echo "E: no such package"; exit 100')
        result = self.run_script(SETUP, "core")
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no such package", result.stderr)
        self.assertIn("error:", result.stderr)

    def test_refuses_an_unknown_group(self):
        self.machine()
        result = self.run_script(SETUP, "nothing")
        self.assertEqual(result.returncode, 1)
        self.assertIn('no group "nothing"', result.stderr)

    def test_refuses_a_swift_that_is_too_old(self):
        self.machine(swift="6.1.2")
        result = self.run_script(SETUP, "core")
        self.assertEqual(result.returncode, 1)
        self.assertIn("Swift 6.1.2 is too old", result.stderr)

    def test_takes_a_later_swift(self):
        for version in ("6.2", "6.10", "7.0.1"):
            with self.subTest(version):
                self.machine(installed=CORE, swift=version)
                self.assertEqual(self.run_script(SETUP, "core").returncode, 0)

    def test_can_be_left_out(self):
        self.machine()
        self.assertEqual(self.run_script(SETUP, "core", LARDER_SETUP="skip").returncode, 0)
        self.assertEqual(self.installs(), [])
