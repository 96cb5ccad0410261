"""`python -m heft_robot COMMAND ..` is the program `heft`, which lies beside this file; fleets go further (heft_robot.fleet)."""
import os
import sys
from pathlib import Path


def main() -> None:
    if sys.argv[1:2] == ["fleet"]:
        from . import fleet

        code = fleet.main(sys.argv[2:])
        if code is not None:
            sys.exit(code)
    program = Path(__file__).with_name("heft")
    sys.stdout.flush()
    os.execv(program, ["heft", *sys.argv[1:]])


if __name__ == "__main__":
    main()
