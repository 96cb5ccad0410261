// Slices of a chunk of every length compared with explicit rows in long double.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/model/regressor_plan.hpp"
#include "tests/conformance/backend_cases.hpp"
#include "tests/conformance/random_samples.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

/// Seven revolute joints in line, or a tree on a base that moves freely: its force panel is wider
/// than a strip.
PlanPtr plan_of(bool is_floating) {
  oracle::RandomRobotOptions options;
  options.joint_types = {JointType::revolute};
  options.min_bodies = options.max_bodies = is_floating ? 9 : 7;
  options.branching = is_floating ? 0.3 : 0;
  options.floating_base = is_floating;
  const Robot robot = oracle::random_robot(options, 3);
  return *make_regressor_plan(robot, default_channels(robot), {});
}

/// The packed moments of the first `count` samples.
std::vector<long double> sums_of_rows(const RegressorPlan& plan, const Samples& samples,
                                      const std::vector<RowArray>& rows, bool is_summed,
                                      std::size_t size, std::int64_t count) {
  std::vector<long double> sums(size, 0);
  const int width = plan.summed_width;
  for (int c = 0; c < plan.num_channels(); ++c) {
    std::vector<int> columns = plan.channel_columns[c];
    columns.push_back(width - 1);
    const int num_columns = static_cast<int>(columns.size());
    for (std::int64_t t = 0; t < count; ++t) {
      const auto value = [&](int i) -> long double {
        return samples.weight(t, c) * (i + 1 == num_columns ? samples.torque(t, c) : rows[c](t, i));
      };
      for (int i = 0; i < num_columns; ++i)
        for (int j = i; j < num_columns; ++j) {
          const auto [first, second] = std::minmax(columns[i], columns[j]);
          const std::int64_t place = is_summed ? core::packed_index(width, first, second)
                                               : plan.channel_entries[c].packed_offset +
                                                     core::packed_index(num_columns, i, j);
          sums[static_cast<std::size_t>(place)] += value(i) * value(j);
        }
    }
  }
  return sums;
}

/// Slices end inside rows, blocks inside slices, packs inside blocks.
TEST(Slices, SumEveryRowOnceWhereverTheyEnd) {
  for (const bool is_floating : {false, true}) {
    const PlanPtr plan = plan_of(is_floating);
    const Samples samples = testing::random_samples(*plan, 700, 8).samples;
    for (const InstructionSet set : available_instruction_sets()) {
      auto backend = make_backend({.threads = 1, .instruction_set = set});
      ASSERT_TRUE(backend.ok());
      std::vector<RowArray> rows;
      ASSERT_TRUE((*backend)->evaluate_rows(*plan, samples, rows).ok());
      for (const testing::Form& form : testing::kForms)
        for (const std::int64_t count : {1, 2, 15, 16, 17, 119, 121, 700}) {
          AccumulateOptions options{.precision = form.precision};
          if (form.is_summed) options.channel_weights.setOnes(plan->num_channels());
          const AccumulateJob job{plan.get(), &samples, 0, count, 1024, &options};
          const std::vector<double> packed = testing::packed_sums(**backend, job);
          const std::vector<long double> expected =
              sums_of_rows(*plan, samples, rows, form.is_summed, packed.size(), count);
          long double error = 0, size = 0;
          for (std::size_t i = 0; i < packed.size(); ++i) {
            error += (packed[i] - expected[i]) * (packed[i] - expected[i]);
            size += expected[i] * expected[i];
          }
          ASSERT_GT(size, 0);
          const double tolerance = form.precision == core::Precision::fp64 ? 1e-14 : 2e-6;
          EXPECT_LE(std::sqrt(error / size), tolerance)
              << name(set) << ", " << form.name << ", " << count << " samples, floating "
              << is_floating;
        }
    }
  }
}

}  // namespace
}  // namespace heft
