#!/usr/bin/env python3
"""Eigen's factorizations are included by way of linalg/factorizations.hpp, which compiles them once; a file that includes them itself
compiles them once more, seconds for each kind and size. (<Eigen/Geometry> brings some of them, too; that is ignored.)

    compiled_once.py ROOT
"""
import pathlib
import re
import sys

INCLUDES = re.compile(r"#include <Eigen/(?:Cholesky|Dense|Eigenvalues|LU|QR|SVD)>")
HEADER = "host/foundation/linalg/shared/linalg/factorizations.hpp"
# what links none of our modules: the oracles and their tests, and the library that stands in for cuSOLVER
APART = ("host/foundation/linalg/factorizations/", "tests/oracle/", "tests/device_on_host/runtime/", "bench/moments/peer_")


def main():
    root = pathlib.Path(sys.argv[1])
    if not INCLUDES.search((root / HEADER).read_text()):
        sys.exit(f"{HEADER} includes no factorization")
    bad = 0
    for folder in ("bench", "host", "include", "python", "tests", "tools"):
        for path in sorted((root / folder).rglob("*.[ch]pp")):
            name = str(path.relative_to(root))
            if name != HEADER and not name.startswith(APART) and (found := INCLUDES.search(path.read_text())):
                print(f"{name}: {found[0]}: include \"linalg/factorizations.hpp\" instead")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
