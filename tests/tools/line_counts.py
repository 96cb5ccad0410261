"""bench/lines.py counts lines that are neither blank nor comment, in texts with lines counted by hand."""

import importlib.util
import subprocess
import sys
import unittest

from heft_program import SOURCE, HeftTestCase

_spec = importlib.util.spec_from_file_location("lines", SOURCE / "bench" / "lines.py")
lines = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(lines)


class LineCounts(HeftTestCase):
    def test_comments_and_blank_lines_of_cpp(self):
        text = ("// head\n"
                "\n"
                "int a;  // 1: code with a comment behind\n"
                "/* two\n"
                "   lines */ int b;\n"  # 2: code behind a comment
                "/* one */\n"
                "  \t\n"
                "#include <x>\n"  # 3
                "// goes on \\\n in the next line\n"
                "int c; /* opens\n"  # 4
                "*/\n")
        self.assertEqual(lines.count_lines(text, "C++"), 4)
        self.assertEqual(lines.count_lines(text, "CUDA"), 4)

    def test_strings_of_cpp_hold_no_comments(self):
        text = ('auto a = "/*";\n'
                'auto b = "\\"//";\n'
                "auto c = '\"'; // no string opens here\n"
                'auto d = R"(//\n'
                "\n"  # blank, within the raw string
                ')" R"x(/* )" )x";\n'
                "auto e = 1'000'000 + 0x1'F; // digits' separators open no character\n"
                "auto f = '/*';\n"
                "// */\n")
        self.assertEqual(lines.count_lines(text, "C++"), 7)

    def test_docstrings_of_python_are_comments(self):
        text = ('"""Module.\n\nMore."""\n'
                "\n"
                "# comment\n"
                "import x  # 1\n"
                "def f():\n"  # 2
                '    """Docstring."""\n'
                "    return '''# text\n"  # 3
                "\n"  # 4: within a string that is a value
                "'''\n"  # 5
                'y = ("a"\n'  # 6
                "     # between\n"
                '     "b")\n')  # 7
        self.assertEqual(lines.count_lines(text, "Python"), 7)

    def test_regular_expressions_and_templates_of_js(self):
        text = ("const a = text.replace(/[/*]/g, '//');\n"
                "/* gone */\n"
                "const b = `// stays\n"
                "/* stays */`;\n"
                "const c = a / b; // quotient / comment\n"
                "// gone\n")
        self.assertEqual(lines.count_lines(text, "JS"), 4)

    def test_modules(self):
        self.assertEqual([lines.module_of(path) for path in ("host/group/module/deep/x.f", "tests/module/deep/x.f",
                                                           "host/x.f", "x.f")],
                         ["host/group/module", "tests/module", "host", "."])

    def test_table_beside_that_of_a_commit(self):
        def git(*arguments):
            subprocess.run(["git", "-C", self.scratch, "-c", "user.name=n", "-c", "user.email=e", *arguments], check=True,
                           capture_output=True)

        git("init", "-q")
        for name, content in {"alpha/x.cpp": "int a;\n\n// c\n", "beta/y.hpp": "int b;\n", "README.md": "text\n"}.items():
            (self.scratch / name).parent.mkdir(parents=True, exist_ok=True)
            self.write(name, content)
        git("add", ".")
        git("commit", "-q", "-m", "m")
        self.write("alpha/x.cpp", "int a;\nint c;\n")
        (self.scratch / "beta/y.hpp").unlink()
        self.write("beta/z.cu", "int d;\n")
        git("add", "beta/z.cu")
        self.assertEqual(lines.table(lines.count_modules(lines.files_of_tree(str(self.scratch))),
                                     lines.count_modules(lines.files_of_commit(str(self.scratch), "HEAD"))),
                         "| module | C++ | CUDA | sum | before |\n"
                         "| --- | ---: | ---: | ---: | ---: |\n"
                         "| `alpha` | 2 |  | 2 | 1 |\n"
                         "| `beta` |  | 1 | 1 | 1 |\n"
                         "| **all** | 2 | 1 | 3 | 2 |")

    def test_runs_on_this_tree(self):
        if subprocess.run(["git", "-C", SOURCE, "rev-parse"], capture_output=True).returncode != 0:
            raise unittest.SkipTest("the sources are no git checkout")
        done = subprocess.run([sys.executable, SOURCE / "bench" / "lines.py"], capture_output=True, text=True, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("| `tests/tools` |", done.stdout)
