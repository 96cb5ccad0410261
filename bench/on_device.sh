#!/usr/bin/env bash
# All checks and measurements on a CUDA device, in parts of at most ten minutes, the most important first; half an hour in all:
#
#   bench/on_device.sh pack            # first, where Heft is built: writes the input of all parts to build/on_device
#   bench/on_device.sh conformance     # are the kernels correct?             at most  4 min
#   bench/on_device.sh tables          # how fast are they?                   at most  7 min
#   bench/on_device.sh runs            # whole runs on CPU and device         at most  5 min
#   bench/on_device.sh model           # how close are they to the model?     at most  3 min
#   bench/on_device.sh sanitizer       # are memory accesses valid?           at most  9 min
#   bench/on_device.sh profile         # where does the time go?              at most  3 min
#
# and for work that stays on the device, in this order if time is short:
#
#   bench/on_device.sh waves           # new kernels; fleet, long log         at most  4 min
#   bench/on_device.sh kernels         # kernels alone                        at most  4 min
#   bench/on_device.sh motions         # candidate motions of a search        at most  3 min
#   bench/on_device.sh large_fleet     # a fleet of 5 000 arms                at most  4 min
#   bench/on_device.sh peer            # batches of problems, beside Moreau   at most  4 min
#
# peer needs a Python 3.12 with `pip install 'moreau[cuda13]' clarabel scipy`; HEFT_PYTHON_MOREAU names it. Afterwards,
# `bench/device_docs.py --write docs/gpu.md` makes the first table of that page from the stored results.
#
# Options: --build FOLDER (default: what was packed, else a build made there, which needs nvcc and the libraries that
# tools/set_up installs), --out FOLDER (default bench/results/<date>-<device>-<commit>), --dry-run (prints the steps).
#
# A part writes PART.md (a table with date, device, driver and commit), PART.log (all output) and PART.tar.gz (raw figures) to
# the output folder, and prints one line per step. Each step has its own time limit, at most the time left to its part; a failed
# step does not stop the others. Golden results and real logs are used if HEFT_GOLDEN and HEFT_DATA name them. Exit status: the number of steps that failed or had no time, 100 for a wrong command line.
set -uo pipefail
cd "$(dirname "$0")/.." || exit

targets=(heft_program conformance_test solve_kernels_test bench_device bench_excite bench_solver)
programs=(heft tests/conformance/conformance_test tests/conformance/solve_kernels_test bench/solver/bench_device
  bench/solver/bench_solver bench/excite/bench_excite)
if grep -qs device_workloads bench/device_model/CMakeLists.txt; then  # what the model counts, on a device that is one
  targets+=(device_workloads)
  programs+=(bench/device_model/device_workloads)
fi

wrong_command_line() {
  echo "bench/on_device.sh: $1; see its first lines" >&2
  exit 100
}

part='' build='' out='' dry_run=''
while [ $# -gt 0 ]; do
  case $1 in
    --build) build=${2-} && shift ;;
    --out) out=${2-} && shift ;;
    --dry-run) dry_run=yes ;;
    pack | conformance | sanitizer | model | tables | runs | profile | waves | kernels | motions | large_fleet | peer)
      [ -z "$part" ] || wrong_command_line "give one part, not $part and $1"
      part=$1
      ;;
    *) wrong_command_line "'$1' is neither a part nor an option" ;;
  esac
  shift || wrong_command_line "an option needs a folder"
done
case $part in
  '') wrong_command_line 'name a part' ;;
  pack) part_seconds=3600 ;;
  motions) part_seconds=180 ;;
  conformance) part_seconds=240 ;;
  sanitizer) part_seconds=540 ;;
  model) part_seconds=180 ;;
  tables) part_seconds=420 ;;
  runs) part_seconds=300 ;;
  profile) part_seconds=180 ;;
  waves | kernels | large_fleet | peer) part_seconds=240 ;;
esac
# of what was packed, else of the checkout
commit=''
[ "$part" = pack ] || commit=$(cat "${build:-build/on_device}/commit" 2> /dev/null)
[ -n "$commit" ] || commit=$(git describe --always --dirty --abbrev=10 --exclude '*' 2> /dev/null || echo unknown)

write_robots() {  # write_robots folder
  mkdir -p "$1"
  python3 -c 'import pathlib, sys; sys.path.insert(0, "bench/moments"); import robots
robots.write_random_robots(pathlib.Path(sys.argv[1]))' "$1"
  cp tools/demo/arm.urdf "$1/demo_arm.urdf"
}

# Programs without symbols, the libraries that they need but the C library and those of CUDA, robots, and the model's figures.
pack() {
  local from=${build:-build} to=build/on_device program
  cmake -U CMAKE_CUDA_ARCHITECTURES "$from" >/dev/null || exit 1  # ./test leaves PTX alone
  cmake --build "$from" --target "${targets[@]}" || exit 1
  rm -rf "$to"
  mkdir -p "$to/lib"
  for program in "${programs[@]}"; do
    mkdir -p "$to/$(dirname "$program")"
    strip -o "$to/$program" "$from/$program"
  done
  (cd "$from" && ldd "${programs[@]}") | awk '$2 == "=>" && $3 ~ "^/" { print $3 }' | sort -u |
    grep -vE '/lib(c|m|dl|pthread|rt|resolv|cusolver|cusparse|cublas|cublasLt|nvJitLink)\.so' | xargs cp -Lu -t "$to/lib"
  write_robots "$to/robots"
  "${HEFT_PYTHON_PEERS:-python3}" bench/solver/problems.py "$to/problems.bin" --count 100 ||
    echo "without problems.bin: the part runs will leave batches of problems out"
  if [ -f bench/device_model/run.py ]; then
    python3 bench/device_model/run.py --json "$to/model.json" || echo "without model.json: the part model will only measure"
  fi
  echo "$commit" > "$to/commit"
  du -sh "$to"
}
if [ "$part" = pack ]; then
  if [ -n "$dry_run" ]; then echo "pack into build/on_device: ${programs[*]}" && exit; fi
  pack
  exit
fi

if [ -z "$build" ]; then
  build=build
  [ ! -d build/on_device ] || build=build/on_device
fi
[ ! -d "$build/lib" ] || export LD_LIBRARY_PATH=$build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
robots=$build/robots
device=$(nvidia-smi --query-gpu=name --format=csv,noheader 2> /dev/null | head -1)
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2> /dev/null | head -1)
out=${out:-bench/results/$(date +%F)-$(echo "${device:-no device}" | tr ' /' '__')-$commit}
raw=$out/$part
log=$out/$part.log
failed=0

step() {  # step seconds name command..: output to the log and to name.txt
  local limit=$1 name=$2 left=$((part_seconds - SECONDS)) begin=$SECONDS status
  shift 2
  [ "$limit" -le "$left" ] || limit=$left
  if [ -n "$dry_run" ]; then
    echo "$limit s at most: $name: $*"
    return
  fi
  if [ "$limit" -le 0 ]; then
    echo "NO TIME $name" | tee -a "$log"
    failed=$((failed + 1))
    return
  fi
  echo "== $name: $*" >> "$log"
  timeout --kill-after=5 "$limit" "$@" > "$raw/$name.txt" 2>&1
  status=$?
  cat "$raw/$name.txt" >> "$log"
  if [ $status -eq 0 ]; then
    echo "done    $name, $((SECONDS - begin)) s" | tee -a "$log"
  else
    echo "FAILED  $name ($status), $((SECONDS - begin)) s" | tee -a "$log"
    failed=$((failed + 1))
  fi
}

if [ -z "$dry_run" ]; then
  if ! (cd "$build" && ls "${programs[@]}") > /dev/null 2>&1; then
    cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DHEFT_CUDA=ON &&
      cmake --build "$build" --target "${targets[@]}" -j "$(nproc)" || exit 1
    SECONDS=0
  fi
  [ -d "$robots" ] || write_robots "$robots"
  rm -rf "$raw"
  mkdir -p "$raw"
  : > "$log"
  case $part in
    model | kernels) [ ! -f "$build/model.json" ] || cp "$build/model.json" "$raw/model.json" ;;  # ceilings beside measured speeds
  esac
fi
export HEFT_REQUIRE_GPU=1  # a device that does not answer is a failure, not a skip
tests=$build/tests/conformance/conformance_test
solver_tests=$build/tests/conformance/solve_kernels_test
heft=$build/heft

conformance() {
  step 20 device nvidia-smi
  # moments against the oracle in long double, batches of the solver against the lanes and their certificates
  step 120 moments "$tests" --gtest_filter='*/cuda*-*on_the_host*' --gtest_output="json:$raw/moments.json"
  step 60 solver "$solver_tests" --gtest_filter='*/cuda' --gtest_output="json:$raw/solver.json"
}

# candidate motions with gradient, on all cores and on the device; the same design by both
motions() {
  local robot
  for robot in arm7 demo_arm humanoid36; do
    step 30 "scores_$robot" "$build/bench/excite/bench_excite" --device "$robots/$robot.urdf"
  done
  for backend in cpu cuda; do
    step 40 "design_$backend" "$heft" excite --robot "$robots/demo_arm.urdf" --ignore-collisions --starts 64 \
      --threads "$(nproc)" --backend "$backend" --quiet --out "$raw/design_$backend"
  done
}

# out of bounds, read before written, races between barriers: on tests that reach every kernel of moments, of the solver and of
# conditioning, and on eight motions
sanitizer() {
  local of_moments='*DeviceEngine.SumsEqual*/cuda:*SumsOverSeveralChunks*/cuda_*:*RowsAsArrays*/cuda:*SumsOfGivenRows*/cuda:*Motions.Give*/cuda_*:*Motions.OfBothKinds*/cuda_*:*PredictsTorques*/cuda:*LogsOnDevice*/cuda:-*on_the_host*'
  local of_solver='*BatchOnDevice.AnswersAre*/cuda:*BatchOnDevice.NeighborsChange*/cuda' tool
  for tool in memcheck racecheck initcheck synccheck; do
    step 85 "${tool}_moments" compute-sanitizer --tool $tool --error-exitcode 1 "$tests" --gtest_filter="$of_moments"
    step 40 "${tool}_solver" compute-sanitizer --tool $tool --error-exitcode 1 "$solver_tests" --gtest_filter="$of_solver"
    step 20 "${tool}_motions" compute-sanitizer --tool $tool --error-exitcode 1 "$build/bench/excite/bench_excite" \
      --device "$robots/demo_arm.urdf" 8
  done
}

# hardware counters of the quantities in bench/device_model: instructions, accesses and time of all kernels
counters() {  # counters robot precision
  local metrics=gpu__time_duration.sum,smsp__inst_executed.sum,sm__inst_executed_pipe_fp64.sum
  metrics+=,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_write.sum,dram__bytes.sum
  local name=counters_$1_$2 base=fixed
  [ "$1" != humanoid36 ] || base=floating
  step 20 "$name" ncu --clock-control none --csv --page raw --metrics "$metrics" --log-file "$raw/$name.csv" \
    "$build/bench/device_model/device_workloads" moments "$robots/$1.urdf" $base "$2" summed 200000
}

model() {
  local robot precision
  for robot in arm7 arm6 humanoid36; do
    for precision in fp64 fp32; do counters $robot $precision; done
  done
}

# samples of the host in one transfer and in many, sums kept and not; motions made on the device; the plain form; the solver's
# kernels beside cuSOLVER's
tables() {
  local robot backend base kind samples
  bench() {  # bench name robot flags..
    step 24 "$1" "$heft" bench moments "$robots/$2.urdf" "${base[@]}" --seconds 0.5 --json "$raw/$1.json" "${@:3}"
  }
  for robot in arm7 demo_arm humanoid36; do
    base=() samples=4000000
    [ $robot != humanoid36 ] || base=(--floating) samples=400000
    for backend in cuda cuda-plain; do
      bench "${robot}_${backend}_one_sum" $robot --backend $backend --samples $samples --chunk $((1 << 30))
    done
    bench "${robot}_cuda_chunks" $robot --backend cuda --samples 1000000
    bench "${robot}_cpu" $robot --threads "$(nproc)" --samples 400000
    [ $robot = arm7 ] || continue
    for kind in fourier spline; do
      bench "${robot}_cuda_$kind" $robot --backend cuda --from $kind --samples 4000000 --chunk 1000
    done
    bench "${robot}_cuda_stream" $robot --backend cuda --samples 1000000 --stream 20000000
  done
  step 60 solver_kernels "$build/bench/solver/bench_device"
}

# whole runs on the CPU and on the device
runs() {
  local batches=()
  [ ! -f "$build/problems.bin" ] || batches=(--problems "$build/problems.bin" --solver "$build/bench/solver/bench_solver")
  step 290 runs python3 -u bench/device_runs.py --heft "$heft" "${batches[@]}" --json "$raw/runs.json"
}

profile() {
  step 180 kernels ncu --clock-control none --set full -c 6 -f -o "$raw/kernels" \
    "$heft" bench moments "$robots/arm7.urdf" --backend cuda --from fourier --samples 200000 --seconds 0.01
}

# logs conditioned together and motions: tests; then whole runs on the CPU and on the device
waves() {
  step 40 logs "$tests" --gtest_filter='*LogsOnDevice*/cuda:*Motions*/cuda*-*on_the_host*' --gtest_output="json:$raw/logs.json"
  step 90 fleet python3 -u bench/waves.py --heft "$heft" --only fleet --robots 640 --json "$raw/fleet.json"
  step 60 long python3 -u bench/waves.py --heft "$heft" --only long --json "$raw/long.json"
  step 50 waves python3 -u bench/waves.py --heft "$heft" --only logs --json "$raw/waves.json"
}

# the same files under many names: writing them would take longer than the run
large_fleet() {
  step 240 fleet python3 -u bench/waves.py --heft "$heft" --only fleet --robots 625 --copies 8 --json "$raw/fleet.json"
}

# events around conditioning; motions made on the device, which need no bus; counters of the moments kernel; the solver
kernels() {
  local options robot base precision
  for options in default all_options; do
    step 15 "conditioning_$options" "$build/bench/device_model/device_workloads" condition 192 2000 $options 5
  done
  step 20 arm7_cpu_fourier "$heft" bench moments "$robots/arm7.urdf" --threads "$(nproc)" --from fourier --samples 1000000 \
    --chunk 1000 --seconds 0.5 --json "$raw/arm7_cpu_fourier.json"
  for robot in arm7 humanoid36; do
    base=()
    [ $robot != humanoid36 ] || base=(--floating)
    step 20 "${robot}_cuda_fourier" "$heft" bench moments "$robots/$robot.urdf" "${base[@]}" --backend cuda --from fourier \
      --samples 4000000 --chunk 1000 --seconds 0.5 --json "$raw/${robot}_cuda_fourier.json"
  done
  for robot in arm7 humanoid36; do
    for precision in fp64 fp32; do counters $robot $precision; done
  done
  step 60 solver_kernels "$build/bench/solver/bench_device"
}

# the same 7-body problems by Heft and by Moreau
peer() {
  step 80 batches "$build/bench/solver/bench_solver" "$build/problems.bin" --batches
  step 160 moreau "${HEFT_PYTHON_MOREAU:-python3}" bench/solver/moreau_peer.py "$build/problems.bin" --json "$raw/moreau.json"
}

case $part in
  motions) motions ;;
  conformance) conformance ;;
  sanitizer) sanitizer ;;
  model) model ;;
  tables) tables ;;
  runs) runs ;;
  profile) profile ;;
  waves) waves ;;
  kernels) kernels ;;
  large_fleet) large_fleet ;;
  peer) peer ;;
esac
[ -z "$dry_run" ] || exit 0
python3 bench/device_tables.py "$part" "$raw" --device "${device:-none}" --driver "${driver:-none}" --commit "$commit" \
  > "$out/$part.md" || failed=$((failed + 1))
tar -czf "$out/$part.tar.gz" -C "$out" "$part" && rm -rf "$raw"
cat "$out/$part.md"
echo "$failed failed; $out"
exit $failed
