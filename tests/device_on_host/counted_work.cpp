#include "tests/device_on_host/counted_work.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "kernels/moments/gram_tiles.hpp"
#include "tests/device_on_host/runtime/stand_in.hpp"

namespace heft::testing {

namespace {

using Executions = std::map<std::string, std::uint64_t>;  // by opcode

/// What threads executed while a backend worked.
Result<Executions> executions_of(const OnBackend& work) {
  device_on_host::Settings settings = device_on_host::settings();
  settings.counts = true;
  device_on_host::set(settings);
  HEFT_TRY(backend, make_cuda_backend({}));
  const Result<Numbers> done = work(*backend);
  Executions executions = device_on_host::executions();
  if (!done.ok()) return done.error();
  return executions;
}

/// Of opcodes that begin and end like this.
double count(const Executions& executions, std::string_view begin, std::string_view end) {
  std::uint64_t sum = 0;
  for (const auto& [opcode, threads] : executions)
    if (opcode.starts_with(begin) && opcode.ends_with(end)) sum += threads;
  return static_cast<double>(sum);
}

Numbers counts_of_sums(const Executions& executions) {
  return {count(executions, "mma.", ""),       count(executions, "ld.", ".v4.f32"),
          count(executions, "ld.", ".v2.f32"), count(executions, "st.", ".v2.f64"),
          count(executions, "ld.", ".v2.f64"), count(executions, "cvt.", "f64.f32")};
}

int num_slabs(const cuda::GramTilesView& map, int num_samples) {
  const int at_a_time = map.num_groups() * cuda::kSlabSamples;
  return (num_samples + at_a_time - 1) / at_a_time;
}

/// As counts_of_sums, from the map.
Numbers needed_counts(const cuda::GramTiles& tiles, bool is_single, int num_samples, int chunk) {
  const cuda::GramTilesView map = tiles.view();
  double products = 0, strips = 0, num_tiles = 0;  // of a slab; all tiles
  for (const cuda::TileUnit& unit : tiles.units) {
    int of_unit = 0;
    for (int n = 0; n < cuda::kWideRight; ++n)
      for (int m = 0; m < cuda::kWideRight; ++m) of_unit += unit.has(m, n);
    const int left_strips = cuda::TileUnit::num_strips(unit.left_width),
              right_strips = cuda::TileUnit::num_strips(unit.right_width);
    products += unit.num_rows * of_unit;
    // a square of one tile reads its strip twice on the diagonal, too
    const bool is_read_once = unit.is_diagonal() && (map.is_wide || right_strips > 1);
    strips += unit.num_rows * (right_strips + (is_read_once ? 0 : left_strips));
    num_tiles += of_unit;
  }
  const bool is_waiting = map.num_rounds > 1;
  double slabs = 0, stores = 0, fetches = 0;  // of sums
  for (int begin = 0; begin < num_samples; begin += chunk) {
    const int of_task = num_slabs(map, std::min(chunk, num_samples - begin));
    const int visits = map.is_wide ? (of_task + cuda::kWideSlabs - 1) / cuda::kWideSlabs : of_task;
    slabs += of_task;
    stores += map.is_wide ? visits : is_waiting ? 1 + visits : 1;
    fetches += map.is_wide || is_waiting ? visits : 0;
  }
  const double lanes = map.num_groups() * cuda::kLanes;
  constexpr int kSteps = cuda::kSlabSamples / 4;  // of the tensor cores
  const double numbers = lanes * slabs * strips * kSteps, pairs = map.is_wide ? numbers / 2 : 0;
  return {lanes * slabs * products * kSteps,
          0,
          is_single ? pairs : 0,
          lanes * stores * num_tiles,
          lanes * fetches * num_tiles + (is_single ? 0 : pairs),
          is_single ? numbers : 0};
}

DeviceTask counted(std::string name, const OnBackend& work, Numbers expected) {
  return {std::move(name),
          [work](int runs) -> Result<Numbers> {
            Result<Numbers> last = Numbers{};
            for (int run = 0; run < runs; ++run) {
              HEFT_TRY(executions, executions_of(work));
              last = counts_of_sums(executions);
            }
            return last;
          },
          std::move(expected), 0};
}

}  // namespace

DeviceTask counted_sums(std::string name, RoboticPtr robotic, const AccumulateOptions& options,
                        int chunk) {
  const bool is_single = options.precision == core::Precision::fp32;
  const auto tiles =
      cuda::make_gram_tiles(robotic->plan->view(), options.is_summed(), is_single ? 4 : 8);
  const int num_samples = static_cast<int>(robotic->data.samples.size());
  return counted(std::move(name), sums(robotic, options, 0, chunk),
                 needed_counts(*tiles, is_single, num_samples, chunk));
}

DeviceTask counted_sums_of_rows(std::string name, RoboticPtr robotic, int chunk) {
  const auto tiles = cuda::make_row_tiles(robotic->plan->view());
  const int num_samples = static_cast<int>(robotic->rows.front().rows()) - kFirstRow;
  return counted(std::move(name), sums_of_rows(robotic, chunk),
                 needed_counts(*tiles, false, num_samples, chunk));
}

DeviceTask counted_barriers(std::string name, RoboticPtr robotic, core::Precision precision,
                            int chunk) {
  const AccumulateOptions options{.precision = precision};
  const int num_samples = static_cast<int>(robotic->data.samples.size());
  const auto tiles = cuda::make_gram_tiles(robotic->plan->view(), false,
                                           precision == core::Precision::fp32 ? 4 : 8);
  double slabs = 0;
  for (int begin = 0; begin < num_samples; begin += chunk)
    slabs += num_slabs(tiles->view(), std::min(chunk, num_samples - begin));
  const OnBackend of_motion = motion_sums(robotic, fourier_motion(*robotic, 2, num_samples),
                                          options, num_samples, chunk),
                  of_samples = sums(robotic, options, 0, chunk);
  return {std::move(name),
          [of_motion, of_samples](int) -> Result<Numbers> {
            HEFT_TRY(motion, executions_of(of_motion));
            HEFT_TRY(samples, executions_of(of_samples));
            return Numbers{count(motion, "bar", "") - count(samples, "bar", "")};
          },
          {cuda::kThreads * slabs},
          0};
}

}  // namespace heft::testing
