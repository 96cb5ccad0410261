"""Tests of the program `heft` from outside, as a user runs it.

  python3 cli_test.py                         all
  python3 cli_test.py BadLogs                 one class
  python3 cli_test.py BadLogs.test_empty      one test

Exits with 77 if nothing ran because all was skipped; the reasons are printed.
"""

import sys
import unittest

from bad_configuration import *  # noqa: F403
from bad_log import *  # noqa: F403
from bad_robot import *  # noqa: F403
from bounding import *  # noqa: F403
from docs_commands import *  # noqa: F403
from doubts_about_data import *  # noqa: F403
from golden_path import *  # noqa: F403
from help_and_hints import *  # noqa: F403
from huge_files import *  # noqa: F403
from interrupted_writes import *  # noqa: F403
from moments_file import *  # noqa: F403
from peer_agreement import *  # noqa: F403
from report_page import *  # noqa: F403
from selection import *  # noqa: F403
from rotors import *  # noqa: F403
from row_weights import *  # noqa: F403
from simulation import *  # noqa: F403
from spared_inputs import *  # noqa: F403
from test_check_log import *  # noqa: F403
from test_check_robot import *  # noqa: F403

ALL_SKIPPED = 77

if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    for test, reason in result.skipped:
        print(f"Skipped {test}: {reason}")
    if not result.wasSuccessful():
        sys.exit(1)
    if result.testsRun == 0:
        sys.exit("no test of that name")
    sys.exit(ALL_SKIPPED if len(result.skipped) == result.testsRun else 0)
