""".ci/commit_subjects accepts `area: imperative` and says what is wrong with other subjects."""

import importlib.machinery
import importlib.util

from heft_program import SOURCE, HeftTestCase

_loader = importlib.machinery.SourceFileLoader("commit_subjects", str(SOURCE / ".ci" / "commit_subjects"))
subjects = importlib.util.module_from_spec(importlib.util.spec_from_loader("commit_subjects", _loader))
_loader.exec_module(subjects)


class CommitSubjects(HeftTestCase):
    def test_what_is_taken(self):
        for subject in ("log: read quoted fields", "tests/tools: cover readers", "config, fleet: share options", 'Revert "log: x"',
                        "log: " + "x" * 67):
            self.assertEqual(subjects.complaint(subject), "", subject)

    def test_what_is_refused(self):
        for subject, words in (("log: " + "x" * 68, "73 characters"), ("Read quoted fields", "expected area"), ("log:read", "expected area"),
                               ("Log: read quoted fields", "expected area"), ("log: adds a reader", "imperative"),
                               ("log: fixed a reader", "imperative")):
            self.assertIn(words, subjects.complaint(subject), subject)
