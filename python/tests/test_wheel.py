"""Content of the wheel: bundled libraries and their licenses."""
import ast
import importlib.metadata
import json
import re

import pytest

import heft_robot as heft


@pytest.fixture(scope="module")
def files():
    return importlib.metadata.distribution("heft-robot").files


def test_types(files):
    """The marker, the program, and a stub of the compiled module with everything in it."""
    names = {path.name: path for path in files if path.parts[0] == "heft_robot"}
    assert {"py.typed", "_heft.pyi", "heft"} <= set(names)
    stub = ast.parse(names["_heft.pyi"].read_text())
    described = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert {name for name in dir(heft._heft) if callable(getattr(heft._heft, name)) and not name.startswith("_")} == described


def test_license_and_notice(files):
    names = {path.name for path in files if ".dist-info" in str(path)}
    assert {"LICENSE", "NOTICE"} <= names


def test_every_library_that_goes_along_has_its_license(files):
    bundled = [path for path in files if "heft_robot.libs" in str(path)]
    if not bundled:
        pytest.skip("the wheel was not repaired: the system's libraries are used")
    lists = [path for path in files if path.name == "auditwheel.cdx.json"]
    assert len(lists) == 1
    parts = json.loads(lists[0].read_text())["components"]
    packages = {match.group(1) for part in parts if (match := re.match(r"pkg:deb/debian/([^@?]+)", part.get("purl", "")))}
    licenses = {path.stem: path for path in files if "licenses/bundled" in path.as_posix()}
    assert packages and packages <= set(licenses), packages - set(licenses)
    if any("libccd" in path.name for path in bundled):  # then FCL's headers are compiled in
        assert "libfcl-dev" in licenses
    for package in packages:
        text = licenses[package].read_text()
        assert len(text) > 200, package
        for common in re.findall(r"/usr/share/common-licenses/((?:L?GPL|Apache|MPL)[A-Za-z0-9.-]*[0-9])", text):
            assert common in licenses, (package, common)


def test_the_version_is_one():
    assert importlib.metadata.version("heft-robot") == heft.__version__
