"""Tests of the program `heft` from outside, as a user runs it.

  python3 cli_test.py                                 all
  python3 cli_test.py bad_log                         one file
  python3 cli_test.py bad_log.BadLogs.test_empty      one test
  python3 cli_test.py --outcomes FOLDER bad_log       as CTest: what every case says into a file of its own

A file of tests is one process, which simulates the demo's logs once. With --outcomes, FOLDER is made again and holds a
file Class.test_case a case: its outcome (passed, failed or skipped) in the first line, then why; case.sh tells CTest.
The exit code is then 0 if every case was run, whatever it says: a fault of one is not that of the others.

Exits with 77 if nothing ran because all was skipped; the reasons are printed.
"""

import argparse
import pathlib
import shutil
import sys
import time
import traceback
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ALL_SKIPPED = 77


def test_files():
    """Names of the modules that define cases."""
    return sorted(path.stem for path in HERE.glob("*.py") if "\n    def test_" in path.read_text(encoding="utf-8"))


class Outcomes(unittest.TextTestResult):
    """Records the outcome of every case. Outcomes without a case (a class that cannot be set up) are in `astray`."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.outcomes, self.astray, self.started = {}, [], {}

    def startTest(self, test):
        super().startTest(test)
        self.started[test.id()] = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        seconds = time.monotonic() - self.started[test.id()]
        outcome, reasons = self.outcomes.get(test.id(), ("failed", ["no outcome"]))
        self.outcomes[test.id()] = (outcome, [*reasons, f"{seconds:.2f} s"])

    def _note(self, test, outcome, reason=""):
        test = getattr(test, "test_case", test)  # that of a subtest
        if not isinstance(test, unittest.TestCase):
            self.astray.append(reason)
            return
        before, reasons = self.outcomes.get(test.id(), ("passed", []))
        self.outcomes[test.id()] = ("failed" if before == "failed" else outcome, [*reasons, reason])

    def addSuccess(self, test):
        super().addSuccess(test)
        self._note(test, "passed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._note(test, "skipped", f"Skipped: {reason}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._note(test, "failed", "".join(traceback.format_exception(*error)))

    def addError(self, test, error):
        super().addError(test, error)
        self._note(test, "failed", "".join(traceback.format_exception(*error)))

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._note(test, "failed", f"{subtest}\n" + "".join(traceback.format_exception(*error)))

    def write(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, (outcome, reasons) in self.outcomes.items():
            case = ".".join(name.split(".")[-2:])
            (folder / case).write_text("\n".join([outcome, *filter(None, reasons)]) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="FILE[.Class[.test_case]]")
    parser.add_argument("--outcomes", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.outcomes:
        shutil.rmtree(options.outcomes, ignore_errors=True)  # of an earlier run: none may be taken for one of this
    suite = unittest.defaultTestLoader.loadTestsFromNames(options.names or test_files())
    result = unittest.TextTestRunner(resultclass=Outcomes, verbosity=2).run(suite)
    for test, reason in result.skipped:
        print(f"Skipped {test}: {reason}")
    if result.testsRun == 0 and not result.errors:
        sys.exit("no test of that name")
    if options.outcomes:
        result.write(options.outcomes)
        sys.exit(1 if result.astray or any("_FailedTest" in name for name in result.outcomes) else 0)
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(ALL_SKIPPED if len(result.skipped) == result.testsRun else 0)


if __name__ == "__main__":
    main()
