#!/usr/bin/env bash
# Compiles the kernels with another version of CUDA than that of this machine and links them; the toolkit is PyPI's wheels.
#
#   kernels/build_with_wheels.sh 13.0
#   kernels/build_with_wheels.sh 12.4     # any version of which there are wheels, e.g. 12.9, 13.4
#
# Everything goes below build/cuda-<version>; some gigabytes, and the network is needed the first time. No device is.
#
# All of kernels/ is compiled with that version, linked with what build/ has of the rest and with that version's libraries, and
# the program that comes of it runs: it asks for a device.
#
# The wheels of CUDA 13 hold nvcc: Heft is configured with it as always. Those of CUDA 12 hold all but nvcc, so clang 16 or
# later (clang++-19 of Debian, or CLANG=..) takes its place: it compiles every kernel for sm_80 and sm_90 up to machine code by
# that version's ptxas, and the host's side against that version's headers. What this does not show of CUDA 12 is nvcc's own
# front end.
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1-}
if ! [[ $version =~ ^1[23]\.[0-9]+$ ]]; then
  echo "kernels/build_with_wheels.sh: expected a version of CUDA such as 12.4 or 13.0, not '$version'" >&2
  exit 100
fi
folder=$PWD/build/cuda-$version
toolkit=$folder/toolkit
sources=(kernels/moments/accumulate_moments kernels/solve/semismooth bench/device/peak_kernel bench/solver/peers)
host_sources=(kernels/moments/{backend_cuda,cuda_device} kernels/solve/batch_cuda bench/device/{cublas_library,measure_peak,plain_form})
includes=(-I. -Iinclude -Ikernels/shared)
for place in host/*/*/include host/*/*/shared; do includes+=("-I$place"); done

install_wheels() {  # a folder of links that looks like a toolkit
  if [ -f "$folder/complete" ]; then return; fi
  echo "== installing the wheels of CUDA $version from PyPI"
  rm -rf "$folder"
  python3 -m venv "$folder/venv"
  local pip=("$folder/venv/bin/pip" install -q --disable-pip-version-check)
  if [[ $version == 12.* ]]; then
    # the libraries count versions of their own: the toolkit's package knows which belong together
    "${pip[@]}" "cuda-toolkit[nvcc,cudart,cccl,cublas,cusolver,cusparse]==$version.*"
  else
    "${pip[@]}" "cuda-toolkit[nvcc,crt,nvvm,cudart,cccl,cublas,cusolver,cusparse]==$version.*"
  fi
  local part wheels
  wheels=$(echo "$folder"/venv/lib/python3*/site-packages/nvidia)
  mkdir -p "$toolkit"
  for part in "$wheels"/*/; do cp -rlf "$part." "$toolkit"; done  # hard links: nvcc looks for its files beside itself
  for part in "$toolkit"/lib/lib*.so.*; do ln -sf "$(basename "$part")" "${part%%.so.*}.so"; done
  ln -sfn lib "$toolkit/lib64"
  touch "$folder/complete"
}

link_and_ask() {  # link_and_ask object..: a program that asks for a device
  local libraries=()
  cat > "$folder/asks.cpp" << 'END'
#include <cstdio>

#include "bench/device/device_bench.hpp"
#include "bench/solver/peers.hpp"
#include "kernels/backend_cuda.hpp"
#include "kernels/batch_cuda.hpp"

int main() {
  const auto backend = heft::make_cuda_backend();
  const auto solver = heft::make_cuda_batch_solver();
  const auto plain = heft::make_plain_form();
  const auto peak = heft::measure_cuda_peak(heft::core::Precision::fp64);
  const auto peers = heft::time_eigendecompositions(1);
  std::printf("%s\n%s\n", backend ? "a device answers" : backend.error().message().c_str(),
              solver ? "a device answers" : solver.error().message().c_str());
  return backend.ok() == solver.ok() && backend.ok() >= plain.ok() && backend.ok() >= peak.ok() && backend.ok() >= peers.ok() ? 0 : 1;
}
END
  read -ra libraries < <(pkg-config --libs yaml-cpp fmt pugixml libcrypto muparser hdf5 assimp zlib)
  g++ -std=c++20 -O1 "${includes[@]}" -isystem /usr/include/eigen3 -isystem "$toolkit/include" "$folder/asks.cpp" "$@" \
    -Wl,--start-group $(find build/host -name "libheft_*.a") build/kernels/libheft_kernels.a -Wl,--end-group -L"$toolkit/lib" -Wl,-rpath,"$toolkit/lib" -lcudart -lcusolver -lcublas "${libraries[@]}" -ldl -lpthread \
    -o "$folder/asks"
  "$folder/asks"
}

object_of() {  # object_of source: where CMake puts it
  case $1 in
    kernels/*.cu) echo "kernels/CMakeFiles/heft_cuda.dir/${1#kernels/}.o" ;;
    kernels/*) echo "kernels/CMakeFiles/heft_kernels.dir/${1#kernels/}.o" ;;
    bench/device/*.cu) echo "bench/device/CMakeFiles/heft_peak_kernel.dir/${1#bench/device/}.o" ;;
    bench/device/*) echo "bench/device/CMakeFiles/heft_bench_device.dir/${1#bench/device/}.o" ;;
    bench/solver/*) echo "bench/solver/CMakeFiles/heft_solve_peers.dir/${1#bench/solver/}.o" ;;
  esac
}

build_with_nvcc() {
  cmake -G Ninja -S . -B "$folder/tree" -DCMAKE_BUILD_TYPE=Release -DHEFT_CUDA=ON -DHEFT_TESTS=OFF \
    -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" -DCUDAToolkit_ROOT="$toolkit" > "$folder/configure.log" ||
    { cat "$folder/configure.log"; exit 1; }
  local source objects=()
  for source in "${sources[@]}"; do objects+=("$(object_of "$source.cu")"); done
  for source in "${host_sources[@]}"; do objects+=("$(object_of "$source.cpp")"); done
  cmake --build "$folder/tree" --target "${objects[@]}"
  objects=("${objects[@]/#/$folder/tree/}")
  kernels/check_architectures.py --nvcc "$toolkit/bin/nvcc" "${objects[@]:0:${#sources[@]}}"
  link_and_ask "${objects[@]}"
}

build_with_clang() {
  local clang=${CLANG:-clang++-19} source architecture objects=()
  command -v "$clang" > /dev/null || { echo "$clang is missing: install clang-19, or name one by CLANG=.." >&2; exit 1; }
  mkdir -p "$folder/objects"
  # headers of another CUDA may lie where compilers look before they look into a toolkit
  cat > "$folder/is_that_version.h" << END
#include <cuda_runtime_api.h>
#if CUDART_VERSION != ${version%.*} * 1000 + ${version#*.} * 10
#error "these are the headers of another version of CUDA"
#endif
END
  local headers=("${includes[@]}" -isystem "$toolkit/include" -include "$folder/is_that_version.h")
  local cuda=("$clang" -x cuda "--cuda-path=$toolkit" -Wno-unknown-cuda-version -std=c++17 -O2 "${headers[@]}")
  local host=(g++ -std=c++20 -O1 -Wall -Wextra -Werror -Wno-missing-field-initializers "${headers[@]}"
              -isystem /usr/include/eigen3)
  for source in "${sources[@]}"; do
    local object
    object=$folder/objects/$(basename "$source")
    for architecture in sm_80 sm_90; do
      "${cuda[@]}" --cuda-device-only --cuda-gpu-arch=$architecture -c "$source.cu" -o "$object.$architecture.cubin"
      echo "compiled  $source.cu for $architecture"
    done
    "${cuda[@]}" --cuda-host-only -c "$source.cu" -o "$object.cu.o"
    echo "compiled  $source.cu for the host"
    objects+=("$object.cu.o")
  done
  for source in "${host_sources[@]}"; do
    "${host[@]}" -c "$source.cpp" -o "$folder/objects/$(basename "$source").o"
    echo "compiled  $source.cpp"
    objects+=("$folder/objects/$(basename "$source").o")
  done
  link_and_ask "${objects[@]}"
}

[ -f build/kernels/libheft_kernels.a ] || { echo "build/kernels/libheft_kernels.a is missing: build Heft first" >&2; exit 1; }
install_wheels
if [ -x "$toolkit/bin/nvcc" ]; then build_with_nvcc; else build_with_clang; fi
echo "CUDA $version: compiled and linked"
