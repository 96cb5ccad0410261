"""`python -m heft_robot COMMAND ..` is the program `heft`, which lies beside this file."""
import os
import sys
from pathlib import Path


def main() -> None:
    program = Path(__file__).with_name("heft")
    sys.stdout.flush()
    os.execv(program, ["heft", *sys.argv[1:]])


if __name__ == "__main__":
    main()
