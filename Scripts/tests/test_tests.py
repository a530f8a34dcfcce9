"""How Scripts/test sums up: what has failed, ran nothing or did not count must not look green."""
import pathlib
import re
import shutil
import time

from fixtures import ROOT, ScriptTests


class TestRunnerTests(ScriptTests):
    def setUp(self):
        super().setUp()
        self.scripts = self.folder / "project" / "Scripts"
        (self.scripts / "phases").mkdir(parents=True)
        (self.scripts / "long").mkdir()
        for name in ("lib.sh", "test", "soak", "quick"):
            shutil.copy(ROOT / "Scripts" / name, self.scripts / name)
        shutil.copy(ROOT / "Scripts" / "phases" / "40-long", self.scripts / "phases" / "40-long")
        (self.scripts / "phases" / "40-long").rename(self.scripts / "40-long")

    def script(self, path, body):
        file = self.scripts / path
        file.write_text(f'#!/bin/bash\n. "{self.scripts}/lib.sh"\n{body}\n')
        file.chmod(0o755)

    def run_tests(self, *phases):
        return self.run_script(self.scripts / "test", *phases)

    def assert_fails(self, result, *sentences):
        self.assertNotEqual(result.returncode, 0, result.stdout)
        for sentence in sentences:
            self.assertIn(sentence, result.stdout + result.stderr)

    def test_sums_up_the_phases(self):
        self.script("phases/10-one", "count one 3 0")
        self.script("phases/20-two", "count two-a 4 0; count two-b 5 0")
        result = self.run_tests()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], "12 tests ran, all passed.")

    def test_runs_the_phases_that_are_named(self):
        self.script("phases/10-one", "count one 3 0")
        self.script("phases/20-two", "count two 4 0")
        self.assertIn("4 tests ran", self.run_tests("two").stdout)
        self.assert_fails(self.run_tests("three"), 'no phase "three"')

    def test_goes_on_after_a_failure_and_fails(self):
        self.script("phases/10-one", "count one 3 1; exit 1")
        self.script("phases/20-two", "count two 4 0")
        self.assert_fails(self.run_tests(), "7 tests ran; see the failures above.", "failed: 10-one")

    def test_a_phase_that_fails_without_a_count_has_failed(self):
        self.script("phases/10-one", "count one 3 0; exit 1")
        self.assert_fails(self.run_tests(), "failed: 10-one")

    def test_a_phase_that_counts_a_failure_has_failed(self):
        self.script("phases/10-one", "count one 3 1")
        self.assert_fails(self.run_tests())

    def test_a_phase_that_ran_nothing_has_failed(self):
        self.script("phases/10-one", "count one 3 0")
        self.script("phases/20-two", "count two 0 0")
        self.assert_fails(self.run_tests())

    def test_what_can_be_left_out_is_when_it_is_late(self):
        self.script("phases/10-one", "sleep 1.1; count one 3 0")
        self.script("phases/20-two", "# Late: the second\ncount two 4 0")
        self.script("phases/30-three", "count three 5 0")
        self.assertIn("12 tests ran, all passed.", self.run_tests().stdout)
        result = self.run_script(self.scripts / "test", LATE="1")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("8 tests ran, all passed.", result.stdout)
        self.assertIn("left out, since it was late (1 s): 20-two: the second", result.stdout + result.stderr)

    def test_phases_that_go_together_run_at_the_same_time(self):
        # The second and the third wait for a word of the other; the fourth is by itself.
        self.script("phases/10-one", "mkfifo a b; count one 1 0")
        self.script("phases/20-two", "# Together\nread -r _ <a; echo word >b; echo two; count two 2 0")
        self.script("phases/30-three", "# Together\necho word >a; read -r _ <b; echo three; count three 4 0")
        self.script("phases/40-four", "echo four; count four 8 0")
        result = self.run_tests()
        self.assertEqual(re.findall("^(?:two|three|four)$", result.stdout, re.M), ["two", "three", "four"])
        self.assertIn("15 tests ran, all passed.", result.stdout)
        self.assertEqual(re.findall(r"\n  (\d\d-\w+) \d+ s", result.stderr), ["10-one", "20-two", "30-three", "40-four"])

    def test_one_that_fails_among_those_together_has_failed(self):
        self.script("phases/10-one", "# Together\ncount one 1 0; exit 1")
        self.script("phases/20-two", "# Together\ncount two 2 0")
        self.script("phases/30-three", "# Together\ntrue")
        self.assert_fails(self.run_tests(), "failed: 10-one 30-three", "30-three did not count")

    def test_a_phase_that_does_not_count_has_failed(self):
        self.script("phases/10-one", "count one 3 0")
        self.script("phases/20-two", "true")
        self.assert_fails(self.run_tests(), "did not count")

    def package_tests(self, body, build=""):
        """A stand-in for the program of the package's tests in a build, and for the compiler that makes it."""
        self.program("swift", "")
        folder = self.folder / "project" / ".build" / build / "debug"
        folder.mkdir(parents=True, exist_ok=True)
        program = folder / "LarderPackageTests.xctest"
        program.write_text(f"#!/bin/bash\n{body}\n")
        program.chmod(0o755)
        self.script("phases/10-unit", 'swift_tests "unit"')

    def say(self, *lines, status=0, build=""):
        """Tests that say this."""
        said = "\n".join(lines)
        self.package_tests(f"cat <<'END'\n{said}\nEND\nexit {status}", build)

    def test_a_test_that_hangs_is_ended_and_named(self):
        child = self.folder / "child"
        said = ["◇ Test a() started.", "◇ Test b(_:) started.", "◇ Test a() started.", '◇ Test "two words" started.',
                '◇ Test "two other words" started.', "◇ Test run started.", "✔ Test a() passed after 0.1 seconds.",
                "✔ Test b(_:) with 2 test cases passed after 0.1 seconds.",
                '✘ Test "two words" failed after 0.1 seconds with 1 issue.',
                *(f"◇ Test waits{number}() started." for number in range(20))]
        lines = "\n".join(said)
        self.package_tests(f"cat <<'END'\n{lines}\nEND\nsleep 3600 & echo $! >'{child}'; wait")
        self.script("phases/10-unit", 'LARDER_SILENCE=2; swift_tests "unit"')
        began = time.monotonic()
        result = self.run_tests()
        self.assertLess(time.monotonic() - began, 60)
        self.assert_fails(result, "said nothing for 2 seconds", "failed: 10-unit")
        # Once more at the end.
        found = re.search("Begun and not ended: (.*)\n", result.stderr).group(1).split(", ")
        # Eight run at the same time; those that came later wait for their turn.
        self.assertEqual(found, ["a()", '"two other words"', *(f"waits{number}()" for number in range(6))])
        # Nobody, or what nobody has waited for yet, has no words.
        words = pathlib.Path("/proc", child.read_text().strip(), "cmdline")
        self.assertEqual(words.read_bytes() if words.exists() else b"", b"")

    def test_what_is_not_to_be_heard_is_left_out(self):
        self.say("larder: noise", "✔ Test run with 2 tests in 1 suites passed after 0.1 seconds.")
        self.script("phases/10-unit", 'LARDER_UNHEARD="^larder: " swift_tests "unit"')
        result = self.run_tests()
        self.assertIn("2 tests ran, all passed.", result.stdout)
        self.assertNotIn("noise", result.stdout + result.stderr)

    def test_not_all_tests_begin_at_once(self):
        self.package_tests('echo "✔ Test run with $SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH tests passed"')
        self.assertIn("8 tests ran, all passed.", self.run_tests().stdout)

    def test_the_program_of_a_build_is_run(self):
        for build, plain in (("plain", ""), ("address", "address"), ("thread", "thread")):
            self.package_tests('echo "$*"; echo "✔ Test run with 2 tests passed"', plain)
            self.script("phases/10-unit", f'swift_tests "unit" --build {build} --filter "a|b" --skip "c d"')
            result = self.run_script(self.scripts / "test", LARDER_BUILT=build)
            self.assertIn("--testing-library swift-testing --filter a|b --skip c d\n", result.stdout)
            self.assertIn("2 tests ran, all passed.", result.stdout)

    def test_another_package_is_built_and_tested(self):
        self.program("swift", '[ "$1" != test ] || echo "✔ Test run with 2 tests passed"')
        self.script("phases/10-unit", 'swift_tests "unit" --package-path Other --filter a')
        self.assertIn("2 tests ran, all passed.", self.run_tests().stdout)
        built, tested = (call for call in self.calls() if call.startswith("swift "))
        self.assertRegex(built, "^swift build --build-tests .*--package-path Other$")
        self.assertRegex(tested, "^swift test .*--skip-build --package-path Other --filter a$")

    def test_counts_what_tests_say(self):
        self.say("✔ Test a() passed after 0.001 seconds.", "✔ Test run with 21 tests in 3 suites passed after 0.1 seconds.")
        self.assertIn("21 tests ran, all passed.", self.run_tests().stdout)

    def test_counts_failed_tests_once(self):
        self.say(
            "✘ Test case passing 1 argument x → 1 to a() failed after 0.001 seconds with 1 issue.",
            "✘ Test a() failed after 0.001 seconds with 1 issue.", "✘ Test canFail() failed after 0.001 seconds with 1 issue.",
            "✘ Test run with 21 tests in 3 suites failed after 0.1 seconds with 2 issues.", status=1)
        result = self.run_tests()
        self.assert_fails(result)
        self.assertRegex(result.stdout, r"21 +2 +unit")

    def test_says_at_the_end_what_failed(self):
        issue = "✘ Test a() recorded an issue at A.swift:1:2: Expectation failed: 1 == 2"
        words = "↳ round 7, seed 3"
        self.say(
            "↳ Platform: Linux", issue, words, "✘ Test a() failed after 0.001 seconds with 1 issue.",
            "✘ Test run with 21 tests in 3 suites failed after 0.1 seconds with 1 issue.", status=1)
        self.script("phases/20-two", "count two 4 0")
        end = self.run_tests().stderr.split("time:")[1]
        self.assertRegex(end, r"10-unit \d+ s \(of processors \d+ s\)")
        self.assertIn(f"unit failed:\n{issue}\n{words}\n", end)

    def test_swift_that_does_not_build_has_failed(self):
        self.say()
        self.program("swift", 'echo "A.swift:1:2: error: no such module"; exit 1')
        self.assert_fails(self.run_tests(), "ran no test", "the package failed:\nA.swift:1:2: error: no such module")

    def test_tests_that_run_nothing_have_failed(self):
        self.say("✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.")
        self.assert_fails(self.run_tests(), "ran no test")

    def test_a_crash_after_all_passed_has_failed(self):
        self.say("✔ Test run with 21 tests in 3 suites passed after 0.1 seconds.", status=139)
        self.assert_fails(self.run_tests())

    def test_runs_functions_at_once_and_shows_each_by_itself(self):
        # Each waits for a word of the other.
        self.script("phases/10-one", """
            mkfifo a b
            one() { echo one; echo word >a; read -r _ <b; echo first; count one 3 0; }
            two() { echo two; read -r _ <a; echo word >b; echo second; count two 4 0; }
            at_once one two""")
        result = self.run_tests()
        self.assertIn("one\nfirst\n", result.stdout)
        self.assertIn("two\nsecond\n", result.stdout)
        self.assertIn("7 tests ran, all passed.", result.stdout)

    def test_one_of_several_at_once_that_fails_has_failed(self):
        for bad in ("one", "two"):
            self.script("phases/10-one", """
                one() { count one 3 0; [ "$bad" != one ]; }
                two() { count two 4 0; [ "$bad" != two ]; }
                at_once one two""".replace("$bad", bad))
            self.assert_fails(self.run_tests(), "failed: 10-one")

    # MARK: one test

    def quick(self, *names):
        """What swift is told, and of which targets."""
        for target, body in (("OneTests", "@Suite struct ListTests {\n  @Test func appendKeepsMembers() {}\n}"),
                             ("TwoTests", "extension TreeTests {\n  func `walk`() {}\n}")):
            folder = self.folder / "project" / "Tests" / target
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "Some.swift").write_text(body)
        self.package_tests('echo "$*"; echo "✔ Test run with 2 tests passed"')
        self.program("swift", 'echo "$LARDER_TESTS: $*"')
        return self.run_script(self.scripts / "quick", *names)

    def test_quick_builds_the_targets_that_have_the_test(self):
        for name, targets in (("ListTests", "OneTests"), ("ListTests/append", "OneTests"), ("TreeTests", "TwoTests"),
                              (r"^OneTests\\.", "OneTests"), ("ListTests|TreeTests", "OneTests,TwoTests")):
            result = self.quick(name)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn(f"{targets}: build --build-tests", result.stdout)
            self.assertIn(f"--filter {name}", result.stdout)

    def test_quick_without_such_a_test_says_so(self):
        self.assert_fails(self.quick("NoSuchTests"), 'no test of Tests is named like "NoSuchTests"')
        self.assert_fails(self.quick(), "make quick FILTER=")

    # MARK: builds

    def test_all_phases_together_build_first(self):
        self.script("build-tests", 'echo "building"')
        self.script("phases/10-one", 'echo "one has $LARDER_BUILT"; count one 3 0')
        result = self.run_tests()
        self.assertEqual(result.stdout.splitlines()[:2], ["building", "one has plain address thread"])
        self.assertIn("\n  building ", result.stderr)
        self.assertIn("one has \n", self.run_script(self.scripts / "test", "one").stdout)

    def test_what_is_built_is_not_built_again(self):
        self.say("✔ Test run with 21 tests in 3 suites passed after 0.1 seconds.")
        self.run_script(self.scripts / "test", LARDER_BUILT="plain")
        self.assertFalse([call for call in self.calls() if call.startswith("swift build")])
        self.forget_calls()
        self.run_script(self.scripts / "test", LARDER_BUILT="address")
        self.assertTrue([call for call in self.calls() if call.startswith("swift build")])

    # MARK: seeds

    def test_all_phases_have_one_seed(self):
        self.script("phases/10-one", 'echo "one $LARDER_SEED"; count one 3 0')
        self.script("phases/20-two", 'echo "two $LARDER_SEED"; count two 3 0')
        result = self.run_script(self.scripts / "test", SEED="7")
        self.assertIn("one 7\n", result.stdout)
        self.assertIn("two 7\n", result.stdout)
        result = self.run_tests()
        seed = re.search("SEED=([0-9]+)", result.stderr).group(1)
        self.assertIn(f"one {seed}\n", result.stdout)
        self.assertIn(f"two {seed}\n", result.stdout)

    # MARK: long tests

    def soak(self, **environment):
        return self.run_script(self.scripts / "soak", **environment)

    def test_a_long_test_gets_size_seed_and_time(self):
        self.script("long/kills", 'echo "$LARDER_SIZE $LARDER_SEED $LARDER_SECONDS"')
        self.assertEqual(self.soak(SIZE="50", SEED="7").stdout, "50 7 0\n")

    def test_each_run_has_a_new_seed(self):
        self.script("long/kills", 'echo "$LARDER_SEED"')
        self.assertNotEqual(self.soak().stdout, self.soak().stdout)

    def test_the_share_is_a_hundredth_and_two_seconds(self):
        (self.scripts / "40-long").rename(self.scripts / "phases" / "40-long")
        self.program("swift", "")
        self.script("link-tests", "")
        self.script("long/kills", 'echo "$LARDER_SIZE $LARDER_SECONDS"; count kills 1 0')
        self.assertIn("1 2\n", self.run_tests().stdout)

    def test_a_failure_prints_the_line_that_repeats_it(self):
        self.script("long/kills", "exit 1")
        result = self.soak(SIZE="1", SEED="7")
        self.assertEqual(result.returncode, 1)
        self.assertIn("make soak LONG=kills SIZE=1 SEED=7", result.stderr)

    def test_two_long_tests_run_at_the_same_time(self):
        # Each waits for a word of the other.
        self.script("long/first", f'mkfifo "{self.folder}/word"; echo word >"{self.folder}/word"; echo done 1')
        self.script("long/second", f'until [ -p "{self.folder}/word" ]; do :; done; read -r _ <"{self.folder}/word"; echo done 2')
        result = self.soak(JOBS="2", SEED="7")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(sorted(line for line in result.stdout.splitlines() if "done" in line), ["done 1", "done 2"])

    def test_one_of_several_long_tests_that_fails_has_failed(self):
        for bad in range(3):
            for number in range(3):
                self.script(f"long/test-{number}", f"exit {int(number == bad)}")
            result = self.soak(JOBS="2", SEED="7")
            self.assertEqual(result.returncode, 1)
            self.assertIn(f"make soak LONG=test-{bad} ", result.stdout + result.stderr)

    def test_how_many_run_at_the_same_time_is_a_number(self):
        self.script("long/kills", "true")
        for jobs in ("0", "x", "-1"):
            self.assert_fails(self.soak(JOBS=jobs), "1 or more")

    def test_no_long_test_is_a_failure(self):
        self.assertEqual(self.soak().returncode, 1)
