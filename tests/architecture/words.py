#!/usr/bin/env python3
"""Words that the prose guide of CONTRIBUTING.md replaces do not come back.

    words.py ROOT
"""
import subprocess
import sys

WORDS = ("nobody|whoever|mend|mends|mended|anew|colours?|behaviours?|neighbours?|metres?|centimetres?|modelled|labelled|favour|licences?|"
         "(optimis|minimis|maximis|normalis|recognis)(e|ed|es|ing|ation)|analyse[ds]?")
LEFT_OUT = ("CHANGELOG.md", "CONTRIBUTING.md", "tests/architecture/words.py")


def main():
    found = subprocess.run(["git", "-C", sys.argv[1], "grep", "-iwnE", WORDS, "--", ".", *(f":!{name}" for name in LEFT_OUT)],
                           capture_output=True, text=True)
    if found.returncode > 1:
        print(f"Skipped: {found.stderr.strip()}")
        return 77
    print(found.stdout or "none", end="" if found.stdout else "\n")
    if found.stdout:
        print("write fix, again, no one or the subject that acts, in American spelling (CONTRIBUTING.md, Words)")
    return 0 if found.returncode == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
