// Work that makes every branch of the kernels matter. A chunk has more samples than its block takes
// at a time, and there are several, so that each slab or task meets the remains of another.
#include "tests/device_on_host/batch_work.hpp"
#include "tests/device_on_host/counted_work.hpp"
#include "tests/device_on_host/motion_work.hpp"
#include "tests/device_on_host/robotic_work.hpp"

namespace heft::testing {

namespace {

/// Two tasks, each of two slabs of 32 samples or three, the last not full.
constexpr int kSamples = 150, kChunk = 75;

struct Precise {
  core::Precision precision;
  double tolerance;
  std::string name;
};
const Precise& fp64() {
  static const Precise all{core::Precision::fp64, kDouble, ""};
  return all;
}
const Precise& fp32() {
  static const Precise all{core::Precision::fp32, kFloat, " in fp32"};
  return all;
}

/// Sums of every kind of a robot that stands on its base and has no signals.
void add_sums(std::vector<DeviceTask>& tasks, const std::string& name, const RoboticPtr& robotic,
              const Precise& p, int chunk) {
  const int num_samples = static_cast<int>(robotic->data.samples.size());
  const AccumulateOptions options{.precision = p.precision}, all = summed(*robotic, p.precision);
  const auto add = [&](const std::string& kind, const OnBackend& work) {
    tasks.push_back(task_of_backend(kind + p.name + " of " + name, p.tolerance, work));
  };
  add("sums", sums(robotic, options, 0, chunk));
  add("sums of all channels", sums(robotic, all, 0, chunk));
  add("sums without weights", sums(without_weights(robotic), options, 0, chunk));
  add("sums of all channels without torque", sums(without_torque(robotic), all, 0, chunk));
  add("sums of a Fourier series",
      motion_sums(robotic, fourier_motion(*robotic, 2, num_samples), options, num_samples, chunk));
  add("sums of a spline",
      motion_sums(robotic, spline_motion(*robotic, num_samples), all, num_samples, chunk));
}

/// Robots that have a bit of everything, and many bodies.
void add_trees(std::vector<DeviceTask>& tasks) {
  for (int seed = 50; seed < 53; ++seed) {
    const RoboticPtr tree = everything(7, seed % 2 == 0, 3, seed);
    const std::string of_tree = " of tree " + std::to_string(seed);
    for (const Precise& p : {fp64(), fp32()}) {
      const AccumulateOptions options{.precision = p.precision};
      tasks.push_back(
          task_of_backend("sums" + p.name + of_tree, p.tolerance, sums(tree, options, 0, 2)));
      tasks.push_back(task_of_backend("sums without weights" + p.name + of_tree, p.tolerance,
                                      sums(without_weights(tree), options, 0, 2)));
    }
    tasks.push_back(task_of_backend("rows" + of_tree, kDouble, rows(tree)));
    tasks.push_back(task_of_backend("torques" + of_tree, kDouble, torques(tree)));
  }
}

}  // namespace

std::vector<DeviceTask> more_device_tasks() {
  std::vector<DeviceTask> tasks;
  add_trees(tasks);
  add_large_motion_scores(tasks);
  // all sums in the registers of one warp; of four; several rounds; and rows that shared memory is
  // too small for
  const RoboticPtr few = chain({.num_links = 2, .other = JointType::prismatic}, 2 * kSamples, 7),
                   arm = chain({.num_links = 7, .last = JointType::helical}, kSamples, 8),
                   wide =
                       chain({.num_links = 6, .num_coordinates = 3, .other = JointType::prismatic},
                             kSamples, 9),
                   large = chain({.num_massless = 18, .num_links = 3, .other = JointType::helical},
                                 70, 10);
  // wide units; and a workspace that shared memory is too small for
  const RoboticPtr tree = everything(14, true, 40, 16), longer = chain({.num_links = 14}, 70, 18),
                   deep = chain({.num_massless = 45, .num_links = 3, .other = JointType::helical},
                                40, 17);
  // more sums than there is room for where the slab was
  const RoboticPtr columns = chain({.num_links = 1, .num_columns = 103}, kSamples, 13);
  for (const Precise& p : {fp64(), fp32()}) {
    tasks.push_back(task_of_backend("sums" + p.name + " of many columns", p.tolerance,
                                    sums(columns, {.precision = p.precision}, 0, kChunk)));
    add_sums(tasks, "few links", few, p, 2 * kChunk);
    add_sums(tasks, "an arm", arm, p, kChunk);
    add_sums(tasks, "few coordinates", wide, p, kChunk);
    add_sums(tasks, "a long chain", large, p, 35);
    for (const AccumulateOptions& options :
         {AccumulateOptions{.precision = p.precision}, summed(*tree, p.precision)})
      tasks.push_back(
          task_of_backend(std::string(options.is_summed() ? "sums of all channels" : "sums") +
                              p.name + " of a floating tree",
                          p.tolerance, sums(tree, options, 0, 40)));
    tasks.push_back(task_of_backend("sums" + p.name + " of a deep chain", p.tolerance,
                                    sums(deep, {.precision = p.precision}, 0, 40)));
  }
  const RoboticPtr floating = everything(1, true, 100, 11);
  for (const Precise& p : {fp64(), fp32()})
    tasks.push_back(task_of_backend("sums" + p.name + " of a floating base", p.tolerance,
                                    sums(floating, {.precision = p.precision}, 0, 50)));
  tasks.push_back(task_of_backend("sums of rows of few links", kDouble, sums_of_rows(few, kChunk)));
  tasks.push_back(task_of_backend("sums of rows of a tree, in rounds", kDouble,
                                  sums_of_rows(everything(7, true, 40, 14), 20)));
  tasks.push_back(
      task_of_backend("sums of rows of few coordinates", kDouble, sums_of_rows(wide, kChunk)));
  tasks.push_back(task_of_backend("rows of an arm", kDouble, rows(arm)));
  tasks.push_back(task_of_backend("torques of an arm", kDouble, torques(arm)));
  tasks.push_back(rows_of_some_channels(everything(4, false, 60, 12)));
  for (const Precise& p : {fp64(), fp32()}) {
    const AccumulateOptions options{.precision = p.precision};
    for (const auto& [robotic, name] :
         {std::pair(arm, "an arm"), std::pair(wide, "few coordinates"),
          std::pair(large, "a long chain"), std::pair(longer, "a longer chain")}) {
      const std::string of = p.name + " of " + name;
      tasks.push_back(counted_sums("counted sums" + of, robotic, options, kChunk));
      tasks.push_back(counted_sums("counted sums of all channels" + of, robotic,
                                   summed(*robotic, p.precision), kChunk));
      tasks.push_back(counted_barriers("counted barriers" + of, robotic, p.precision, kChunk));
    }
  }
  tasks.push_back(counted_sums_of_rows("counted sums of rows of an arm", arm, kChunk));
  tasks.push_back(counted_sums_of_rows("counted sums of rows of a longer chain", longer, kChunk));
  tasks.push_back(counted_sums_of_rows("counted sums of rows of few coordinates", wide, kChunk));
  tasks.push_back(batch_of_equal_entries("equal entries, a warp a problem", 2, kSharedOfSm90));
  tasks.push_back(
      batch_of_equal_entries("equal entries, their factor in shared memory", 4, kSharedOfSm90));
  tasks.push_back(
      batch_of_equal_entries("equal entries, their factor in device memory", 4, kFactorFitsNot));
  tasks.push_back(batch_at_bounds("columns at their bounds, a warp a problem", 2, kSharedOfSm90));
  tasks.push_back(
      batch_at_bounds("columns at their bounds, their factor in shared memory", 4, kSharedOfSm90));
  tasks.push_back(
      batch_at_bounds("columns at their bounds, their factor in device memory", 4, kFactorFitsNot));
  tasks.push_back(batch("a larger batch, a warp a problem", 2, kSharedOfSm90, 7, true));
  tasks.push_back(batch("a larger batch, its factor in shared memory", 4, kSharedOfSm90, 5, true));
  tasks.push_back(batch("a larger batch, its factor in device memory", 4, kFactorFitsNot, 5, true));
  tasks.push_back(batch_at_bounds("columns at their bounds, factored by cuSOLVER", 4,
                                  kFactorFitsNot, FactorsBy::library));
  tasks.push_back(batch("a larger batch, factored by cuSOLVER", 4, kFactorFitsNot, 5, true,
                        FactorsBy::library));
  return tasks;
}

}  // namespace heft::testing
