#include "tests/device_on_host/device_work.hpp"

#include "bench/device/device_bench.hpp"
#include "tests/device_on_host/batch_work.hpp"
#include "tests/device_on_host/conditioning_work.hpp"
#include "tests/device_on_host/motion_work.hpp"
#include "tests/device_on_host/robotic_work.hpp"

namespace heft::testing {

namespace {

constexpr int kWholeChunk = 1 << 20;
constexpr std::int64_t kEnoughForLogs = 1 << 30, kEnoughForOneLog = 100'000;  ///< bytes

Result<std::unique_ptr<Backend>> in_small_transfers() {
  return make_cuda_backend({.transfer_bytes = 1});
}
Result<std::unique_ptr<Backend>> by_cublas() {
  return make_plain_form();
}
/// Parts of few samples, so that chunks have several, each in a transfer of its own.
Result<std::unique_ptr<Backend>> by_cublas_in_small_transfers() {
  return make_plain_form({.part_bytes = 10'000, .transfer_bytes = 1});
}
Result<std::unique_ptr<Backend>> by_cublas_in_parts() {
  return make_plain_form({.part_bytes = 10'000});
}

void add_motions(std::vector<DeviceTask>& tasks) {
  constexpr int kSamples = 70;
  const RoboticPtr robotic = chain({.num_links = 2, .other = JointType::prismatic}, 1, 6);
  const GeneratedMotion fourier = fourier_motion(*robotic, 3, kSamples),
                        spline = spline_motion(*robotic, kSamples);
  for (const auto& [precision, tolerance] :
       {std::pair(core::Precision::fp64, kDouble), std::pair(core::Precision::fp32, kFloat)}) {
    const std::string name = precision == core::Precision::fp64 ? "" : " in fp32";
    const AccumulateOptions options{.precision = precision};
    tasks.push_back(task_of_backend("sums of a Fourier series" + name, tolerance,
                                    motion_sums(robotic, fourier, options, kSamples, 64)));
    tasks.push_back(task_of_backend("sums of a spline" + name, tolerance,
                                    motion_sums(robotic, spline, options, kSamples, 64)));
  }
}

}  // namespace

std::vector<DeviceTask> device_tasks() {
  std::vector<DeviceTask> tasks;
  const RoboticPtr small = everything(3, true, 37, 41);
  const RoboticPtr longer = everything(1, false, 1100, 42);  // a chunk of three parts, which are
                                                             // added up
  const AccumulateOptions fp64, fp32{.precision = core::Precision::fp32},
      all = summed(*small, core::Precision::fp64), all_fp32 = summed(*small, core::Precision::fp32);
  const auto add = [&tasks](
                       const char* name, const OnBackend& work, double tolerance = kDouble,
                       const MakeBackend& make = [] { return make_cuda_backend(); }) {
    tasks.push_back(task_of_backend(name, tolerance, work, make));
  };
  add("sums", sums(small, fp64, 0, 5));  // more tasks than blocks of a grid
  add("sums without torque", sums(without_torque(small), fp64, 0, 17));
  add("sums without weights", sums(without_weights(small), fp64, 0, 17));
  add("sums without weights in fp32", sums(without_weights(small), fp32, 0, 17), kFloat);
  add("rows in several parts", rows(longer));
  add("torques in several parts", torques(longer));
  add("sums of all channels", sums(small, all, 0, kWholeChunk));
  add("sums in fp32", sums(small, fp32, 17, 5), kFloat);
  add("sums of all channels in fp32", sums(small, all_fp32, 0, kWholeChunk), kFloat);
  add("sums by cuBLAS, transfer by transfer", sums(small, fp64, 0, 17), kDouble,
      by_cublas_in_small_transfers);
  add("sums by cuBLAS without torque", sums(without_torque(small), fp64, 0, 17), kDouble,
      by_cublas);
  add("sums by cuBLAS in parts", sums(small, fp64, 0, 17), kDouble, by_cublas_in_parts);
  add("sums by cuBLAS without weights", sums(without_weights(small), all, 0, 17), kDouble,
      by_cublas);
  add("sums in parts", sums(longer, fp64, 0, kWholeChunk));
  add("sums in parts, transfer by transfer", sums(longer, fp64, 0, kWholeChunk), kDouble,
      in_small_transfers);
  add("sums of rows", sums_of_rows(small, 20));
  add("rows", rows(small));
  add("torques", torques(small));
  add_motions(tasks);
  add_small_motion_scores(tasks);
  tasks.push_back(batch("a batch, a warp a problem", 2, kSharedOfSm90, 2));
  tasks.push_back(batch("a batch, its factor in shared memory", 4, kSharedOfSm90, 2));
  tasks.push_back(batch("a batch, its factor in device memory", 4, kFactorFitsNot, 2));
  tasks.push_back(
      batch("a batch, factored by cuSOLVER", 4, kFactorFitsNot, 2, false, FactorsBy::library));
  tasks.push_back(conditioned_logs("logs conditioned in one wave", kEnoughForLogs));
  tasks.push_back(conditioned_logs("logs conditioned in several waves", kEnoughForOneLog));
  return tasks;
}

}  // namespace heft::testing
