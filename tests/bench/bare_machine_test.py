"""Every bench/*/run.py on a machine that has Python and nothing else: no package, program, log, compiler or device. It must end
with 77 and say why. And bench/moments asks for no instruction set that the processor lacks."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BENCHMARKS = sorted(path.parent.name for path in ROOT.glob("bench/*/run.py"))
ARGUMENTS = {"two_builds": ["a/heft", "b/heft"]}  # without defaults


class BareMachine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="heft-bare-")
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)  # a checkout without build/
        shutil.copytree(ROOT / "bench", self.root / "bench", ignore=shutil.ignore_patterns("*.cpp", "*.json", "*.svg"))
        for name in ("kernels", "tools", "tests", "docs"):
            (self.root / name).symlink_to(ROOT / name)

    def run_bare(self, name):
        bare = {"PATH": "/nonexistent", "HOME": str(self.root), "PYTHONDONTWRITEBYTECODE": "1", "HEFT_DATA": "/nonexistent",
                "HEFT_GOLDEN": "/nonexistent"}
        return subprocess.run([sys.executable, "-S", self.root / "bench" / name / "run.py", *ARGUMENTS.get(name, [])], env=bare,
                              cwd=self.root, capture_output=True, text=True, timeout=60)

    def test_every_benchmark_says_why_it_does_not_run(self):
        self.assertGreater(len(BENCHMARKS), 15)
        for name in BENCHMARKS:
            with self.subTest(name):
                done = self.run_bare(name)
                self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
                self.assertTrue((done.stdout + done.stderr).strip(), "no reason")
                self.assertNotIn("Traceback", done.stderr)


class InstructionSets(unittest.TestCase):
    """What bench/moments measures, by what a program says it has."""

    def sets(self, there):
        sys.path.insert(0, str(ROOT / "bench" / "moments"))
        for name in ("numpy", "pinocchio", "robots"):
            if name not in sys.modules:
                module = types.ModuleType(name)
                module.__spec__ = importlib.util.spec_from_loader(name, None)
                module.__file__ = "/a/b/c/d/e/f/__init__.py"
                sys.modules[name] = module
                self.addCleanup(sys.modules.pop, name)
        spec = importlib.util.spec_from_file_location("bench_moments", ROOT / "bench" / "moments" / "run.py")
        run = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(run)
        with tempfile.TemporaryDirectory() as folder:
            heft = pathlib.Path(folder) / "heft"
            heft.write_text(f"#!/bin/sh\nprintf '%s' '{{\"instruction_sets\": [{there}]}}' > \"$3\"\n")
            heft.chmod(0o755)
            return run.instruction_sets(heft)

    def test_widest_first(self):
        self.assertEqual(self.sets('"baseline", "avx2", "avx512"'), ["avx512", "avx2"])
        self.assertEqual(self.sets('"baseline", "avx2"'), ["avx2"])
        self.assertEqual(self.sets('"baseline"'), ["baseline"])


if __name__ == "__main__":
    unittest.main()
