#!/bin/bash
# Everything to do on the day a CUDA device is there: are the kernels right, do they keep to their memory, how fast are they.
#
#   bench/on_device.sh [build folder] [robot.urdf ..]
#   bench/on_device.sh --pack build-cuda    # beforehand: beside the programs the libraries that they need
#
# Builds there if nothing is built yet (nvcc on PATH); a packed build folder needs no library of that machine but the C
# library and, for what Heft is compared with, those of the CUDA toolkit. Takes the demo arm if no robot is named. Figures and logs go to bench/results/<device>-<commit>/; one line a step
# is printed. What fails does not keep the rest from running; the exit status is the number of failed steps.
# HEFT_STEP_SECONDS bounds each step (default 240).
set -u
cd "$(dirname "$0")/.."
targets=(heft_program conformance_test solve_kernels_test bench_device)
programs=(heft tests/conformance/conformance_test tests/conformance/solve_kernels_test bench/solver/bench_device)
if [ "${1:-}" = --pack ]; then
  build=${2:-build-cuda}
  mkdir -p "$build/lib"
  (cd "$build" && ldd "${programs[@]}") | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u |
    grep -vE '/lib(c|m|dl|pthread|rt|cusolver|cusparse|cublas|cublasLt|nvJitLink)\.so' | xargs cp -Lu -t "$build/lib"
  exit
fi
build=${1:-build-cuda}
shift || true
[ ! -d "$build/lib" ] || export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
robots=("$@")
[ ${#robots[@]} -gt 0 ] || robots=(tools/demo/arm.urdf)
if ! (cd "$build" && ls "${programs[@]}") > /dev/null 2>&1; then
  cmake -S . -B "$build" -DHEFT_CUDA=ON && cmake --build "$build" --target "${targets[@]}" -j "$(nproc)" || exit 1
fi
device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2> /dev/null | head -1 | tr ' /' '__')
results=bench/results/${device:-no_device}-$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
mkdir -p "$results"
failed=0

step() {  # step name command..: output to name.txt
  local name=$1 begin=$SECONDS
  shift
  if timeout "${HEFT_STEP_SECONDS:-240}" "$@" > "$results/$name.txt" 2>&1; then
    echo "done    $name, $((SECONDS - begin)) s"
  else
    echo "FAILED  $name ($?), see $results/$name.txt"
    failed=$((failed + 1))
  fi
}

export HEFT_REQUIRE_GPU=1  # a device that does not answer is a failure, not a skip
conformance=$build/tests/conformance/conformance_test
solver=$build/tests/conformance/solve_kernels_test
heft=$build/heft
step device nvidia-smi
step budgets python3 kernels/check_budget.py

# right: moments against the oracle in long double, batches of the solver against the lanes and their certificates
step conformance "$conformance" --gtest_filter='*/cuda*-*on_the_host*' --gtest_output="json:$results/conformance.json"
step solver "$solver" --gtest_filter='*/cuda' --gtest_output="json:$results/solver.json"

# memory: out of bounds, read before written, races between barriers
of_moments='*DeviceEngine.SumsEqual*/cuda:*SumsOverSeveralChunks*/cuda_*:*RowsAsArrays*/cuda:*SumsOfGivenRows*/cuda:*Motions.Give*/cuda_*:*Motions.OfBothKinds*/cuda_*:*PredictsTorques*/cuda:-*on_the_host*'
for tool in memcheck initcheck racecheck synccheck; do
  check() { step "sanitizer_${tool}_$1" compute-sanitizer --tool $tool --error-exitcode 1 "${@:2}"; }
  check moments "$conformance" --gtest_filter="$of_moments"
  check solver "$solver" --gtest_filter='*BatchOnDevice.AnswersAre*/cuda:*BatchOnDevice.NeighboursChange*/cuda'
done

# fast: samples of the host in one window and in many, sums kept and not; motions made on the device; the plain form
for robot in "${robots[@]}"; do
  name=$(basename "$robot" .urdf)
  bench() { step "bench_${name}_$1" "$heft" bench moments "$robot" --json "$results/bench_${name}_$1.json" "${@:2}"; }
  bench cpu --threads "$(nproc)" --samples 1000000
  for backend in cuda cuda-plain; do
    bench "${backend}_chunks" --backend $backend --samples 1000000
    bench "${backend}_one_sum" --backend $backend --samples 4000000 --chunk $((1 << 30))
  done
  bench cuda_stream --backend cuda --samples 1000000 --stream 20000000
  for kind in fourier spline; do
    bench cuda_$kind --backend cuda --from $kind --samples 4000000 --chunk 1000
    bench cpu_$kind --from $kind --threads "$(nproc)" --samples 200000 --chunk 1000
  done
done

# the solver's kernels beside cuSOLVER's
step bench_device "$build/bench/solver/bench_device"

# where the time goes, if the profilers are there
if command -v nsys > /dev/null; then
  step nsys nsys profile -o "$results/timeline" -f true "$heft" bench moments "${robots[0]}" --backend cuda --samples 2000000 --seconds 0.1
fi
if command -v ncu > /dev/null; then
  step ncu ncu --clock-control none --set full -c 6 -f -o "$results/kernels" \
    "$heft" bench moments "${robots[0]}" --backend cuda --from fourier --samples 200000 --seconds 0.1
fi
echo "$failed failed; $results"
exit $failed
