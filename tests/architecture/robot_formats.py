#!/usr/bin/env python3
"""Only host/robot reads the XML of robot files: pugixml is neither included nor linked elsewhere. Its headers are in a folder that
compilers search without a link line, so that a wrong include would compile.

    robot_formats.py ROOT
"""
import pathlib
import re
import sys

USES = re.compile(r"#include <pugixml\.hpp>|\bpugixml::pugixml\b|\bpugi::")
APART = "host/robot/"
FOLDERS = ("bench", "host", "python", "tests/check", "tools")


def main():
    root = pathlib.Path(sys.argv[1])
    users = []
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".hpp", ".cpp") and path.name != "CMakeLists.txt":
                continue
            if found := USES.search(path.read_text()):
                users.append((str(path.relative_to(root)), found[0]))
    if not any(name.startswith(APART) for name, _ in users):
        sys.exit(f"nothing in {APART} uses pugixml; is the folder right?")
    wrong = [(name, use) for name, use in users if not name.startswith(APART)]
    for name, use in wrong:
        print(f"{name}: {use}: ask the robot document instead (robot/written_robot.hpp)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
