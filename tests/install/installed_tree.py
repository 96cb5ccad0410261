#!/usr/bin/env python3
"""Heft is installed into a folder whose name has blanks, moved, and used from outside.

    installed_tree.py static|shared SOURCE BUILD COMPILER

static installs BUILD; shared makes a build of shared libraries first.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EIGEN_AND_THREADS = {"Eigen3::Eigen", "Threads::Threads"}
EIGEN_MODULES = ("core", "base", "linalg", "charts", "signal", "model", "rows", "moments", "solve")
EXAMPLES = ("identify_arrays", "moments_from_arrays", "solve_batch", "weigh_robot")
# in front of a name of namespace heft: what is of a type, and what a function template returns
OF_TYPES = r"(vtable for |typeinfo for |typeinfo name for |void |bool )?"


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}")
    return done.stdout


def check(condition, complaint):
    if not condition:
        sys.exit(complaint)


def build_shared(source, build, folder):
    """A build of shared libraries in `folder`, with the compiler of `build`, its answer to CUDA and its batches of files."""
    cache = dict(re.findall(r"^(\w+):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.M))
    taken = ("HEFT_CUDA", "CMAKE_CUDA_ARCHITECTURES", "CMAKE_CXX_COMPILER", "CMAKE_UNITY_BUILD")
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, "-DBUILD_SHARED_LIBS=ON", "-DCMAKE_BUILD_TYPE=Release",
        *(f"-D{name}={cache[name]}" for name in taken if name in cache))
    run("cmake", "--build", folder)
    return folder


def install_and_move(build, scratch):
    """The prefix after it was moved; no file may know where it was."""
    first, prefix = scratch / "first prefix", scratch / "moved here" / "heft prefix"
    run("cmake", "--install", build, "--prefix", first)
    prefix.parent.mkdir()
    first.rename(prefix)
    for path in prefix.rglob("*"):
        if path.is_file():
            check(str(first).encode() not in path.read_bytes(), f"{path} knows the prefix")
    return prefix


def check_versioned(prefix, version):
    """All but the program and heft.pc lies in folders or under names that carry the version."""
    for path in prefix.rglob("*"):
        name = str(path.relative_to(prefix))
        check(not path.is_file() or f"heft-{version}" in name or name == "bin/heft" or name.endswith("/pkgconfig/heft.pc"),
              f"{name} would be overwritten by another version")


def check_links(prefix):
    """What modules without other packages are exported with."""
    package = next(prefix.glob("**/heft-config.cmake")).parent
    for module in EIGEN_MODULES:
        text = (package / f"heft_{module}.cmake").read_text()
        items = {item for links in re.findall(r'INTERFACE_LINK_LIBRARIES "(.*)"', text) for item in links.split(";")}
        items = {item.removeprefix(r"\$<LINK_ONLY:").removesuffix(">") for item in items} - {""}
        items = {item for item in items if item.removeprefix("heft::") not in EIGEN_MODULES}
        check(items <= EIGEN_AND_THREADS, f"heft::{module} is linked to {items - EIGEN_AND_THREADS}")


def check_symbols(prefix):
    """Shared libraries show names of namespace heft alone, and need none of Heft's that are not there."""
    libraries = sorted(prefix.glob("lib*/**/libheft_*.so"))
    check(len(libraries) > 15, f"{prefix} has too few shared libraries")
    shown = 0
    for library in libraries:
        listed = run("nm", "-D", "--defined-only", "--demangle", library)
        names = [line.split(" ", 2)[2] for line in listed.splitlines()]
        # clang mangles constrained templates by rules that the nm of Debian 12 cannot read
        foreign = [name for name in names if not re.match(OF_TYPES + r"heft::|_ZNK?4heft", name)]
        check(not foreign, f"{library.name} shows {foreign[:5]}")
        shown += len(names)
    check(shown > 100, "shared libraries show next to nothing")


def build_examples(source, prefix, scratch):
    """Against the installed package; then with pkg-config."""
    build = scratch / "examples"
    run("cmake", "-S", source / "examples", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", build)
    for example in EXAMPLES:
        print(run(build / example), end="")


def build_with_pkg_config(source, prefix, compiler, scratch):
    config = next(prefix.glob("**/pkgconfig/heft.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(config)}
    program = scratch / "with_pkg_config"
    flags = run("pkg-config", "--cflags", "--libs", "heft", env=environment)
    line = f"'{compiler}' '{source}/examples/moments_from_arrays.cpp' -o '{program}' {flags.strip()}"
    run("bash", "-c", line)
    # shared libraries lie in a folder of their version, which loaders do not look into by themselves
    folder = next(prefix.glob("lib*/**/libheft_model*")).parent
    run(program, env={**os.environ, "LD_LIBRARY_PATH": str(folder)})


def check_two_versions(prefix, version, scratch):
    """The same tree once more under another version beside this one: programs get the version that they ask for."""
    other = "0.77"
    check(other != version, "choose another version to stand beside")
    for folder in [path for path in prefix.rglob(f"heft-{version}") if path.is_dir()]:
        copy = folder.with_name(f"heft-{other}")
        shutil.copytree(folder, copy, symlinks=True)
        for path in copy.rglob("*"):
            if path.suffix in (".cmake", ".hpp"):
                path.write_text(path.read_text().replace(version, other))
    for wanted in (version, other):
        project = scratch / f"wants {wanted}"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.22)\nproject(wants LANGUAGES CXX)\n"
            f"find_package(heft {wanted} REQUIRED COMPONENTS solve)\nadd_executable(says says.cpp)\n"
            "target_link_libraries(says PRIVATE heft::solve)\n")
        (project / "says.cpp").write_text(
            '#include <cstdio>\n#include "heft/solve/solve_batch.hpp"\n#include "heft/version.hpp"\n'
            'int main() { std::printf("%s %s", heft::kVersion, heft::batch_instruction_set()); }\n')
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", project / "build")
        said = run(project / "build" / "says")
        check(said.startswith(wanted), f"asked for {wanted}, got {said}")


def check_embedded(source, scratch):
    """In another project's build there are the modules, and neither tests nor benchmarks."""
    project = scratch / "embedding"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22)\nproject(embedding LANGUAGES CXX)\nenable_testing()\n"
        f'add_subdirectory("{source}" heft)\nadd_library(user STATIC user.cpp)\n'
        "target_link_libraries(user PRIVATE heft::solve)\n"
        "foreach(unwanted solve_test bench_solver)\n  if(TARGET ${unwanted})\n"
        '    message(FATAL_ERROR "${unwanted} is built by a project that embeds Heft")\n  endif()\nendforeach()\n')
    (project / "user.cpp").write_text('#include "heft/solve/solve.hpp"\n')
    build = project / "build"
    run("cmake", "-G", "Ninja", "-S", project, "-B", build)
    run("cmake", "--build", build, "--target", "CMakeFiles/user.dir/user.cpp.o")
    check("Total Tests: 0" in run("ctest", "-N", cwd=build), "a project that embeds Heft gets its tests")


def main():
    kind, source, build, compiler = sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), sys.argv[4]
    header = (source / "include/heft/version.hpp").read_text()
    version = ".".join(re.search(r'kVersion\[\] = "(.*)"', header)[1].split(".")[:2])
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        if kind == "shared":
            build = build_shared(source, build, scratch / "build")
        prefix = install_and_move(build, scratch)
        check_versioned(prefix, version)
        check_links(prefix)
        if kind == "shared":
            check_symbols(prefix)
        build_examples(source, prefix, scratch)
        build_with_pkg_config(source, prefix, compiler, scratch)
        run(prefix / "bin" / "heft", "--version")
        if kind == "static":
            check_two_versions(prefix, version, scratch)
            check_embedded(source, scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
