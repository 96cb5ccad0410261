"""The program that ./quickstart builds: its commands are those of the complete program, and for missing ones it says how to get them."""

import os
import pathlib
import subprocess

from heft_program import ARM, PROGRAM, HeftTestCase, run_heft

FIRST_STEPS = pathlib.Path(os.environ.get("HEFT_FIRST_STEPS", pathlib.Path(PROGRAM).parent / "first_steps" / "heft"))


def run(*arguments):
    return subprocess.run([FIRST_STEPS, *map(str, arguments)], timeout=240, capture_output=True, text=True)


def help_text(done):
    """The text without the program's name."""
    return done.stdout.replace(str(FIRST_STEPS), PROGRAM)


class FirstSteps(HeftTestCase):
    def test_missing_commands_say_how_to_get_them(self):
        for command in (["payload", "--log", "wrench.csv", "--plan", "2"], ["excite", "--robot", ARM], ["fleet", "run", "f.csv"],
                        ["bench"]):
            done = run(*command)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn(f"heft {command[0]}", done.stderr)
            self.assertIn("cmake --build build", done.stderr)

    def test_every_other_command_is_the_whole_programs(self):
        listed = run_heft("--help").stdout.split("Subcommands:")[1].split("First steps:")[0]
        names = [line.split()[0] for line in listed.splitlines()
                 if line.startswith("  ") and not line.startswith("   ")]
        shared = [name for name in names if name not in ("payload", "watch", "excite", "fleet", "bench", "help")]
        self.assertGreater(len(shared), 10)
        for name in shared:
            self.assertEqual(help_text(run(name, "--help")), help_text(run_heft(name, "--help")))

    def test_an_answer_is_the_whole_programs(self):
        self.assertEqual(run("simulate", "--robot", ARM, "--duration", 4, "--held-out", 4, "--rate", 250,
                             "--out", self.scratch / "logs").returncode, 0)
        answers = []
        for program, out in ((FIRST_STEPS, self.scratch / "first"), (PROGRAM, self.scratch / "whole")):
            done = subprocess.run([program, "identify", "--robot", ARM, "--log", self.scratch / "logs" / "train.csv", "--out", out],
                                  timeout=240, capture_output=True, text=True)
            self.assertIn(done.returncode, (0, 4), done.stderr)
            answers.append((out / "identified.urdf").read_bytes())
        self.assertEqual(*answers)
