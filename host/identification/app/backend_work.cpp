#include "backend_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>

#include "heft/log/several_files.hpp"

namespace heft::app {

namespace {

namespace fs = std::filesystem;

/// Bytes of a log's files, or of all files in its folder.
double bytes_of(const Log& log) {
  double bytes = 0;
  const auto add = [&](const fs::path& path) {
    std::error_code failure;
    const std::uintmax_t size = fs::file_size(path, failure);
    if (!failure) bytes += static_cast<double>(size);
  };
  for (const std::string& path : files_of_log(log.name())) {
    std::error_code failure;
    if (!fs::is_directory(path, failure)) {
      add(path);
      continue;
    }
    // unlike ++, increment() does not throw; it ends at an error
    for (fs::directory_iterator file(path, failure), end; file != end; file.increment(failure))
      add(file->path());
  }
  return bytes;
}

}  // namespace

BackendWork work_of(const RegressorPlan& plan, const EstimationOptions& options) {
  if (options.is_least_squares()) return {};
  return {.problems = static_cast<double>(options.uncertainty.bootstrap),
          .unknowns = plan.layout.num_parameters()};
}

BackendWork work_of(const IdentifyRequest& request) {
  const RegressorPlan& plan = request.setup.plan();
  const GatherOptions& options = request.gathering;
  // rounds of weights sum the rows once each
  const int passes = 1 + (options.weighting.needs_several_passes() ? options.weighting.rounds : 0);
  double left = options.max_samples > 0 ? options.max_samples : HUGE_VAL;
  BackendWork work = work_of(plan, request.estimation);
  for (const Log& log : request.training_logs) {
    const double samples = std::min(left, samples_in(bytes_of(log), plan));
    add_log(plan, samples, passes, work);
    left -= samples;
  }
  return work;
}

void record_choice(const std::string& because, Identification& identification) {
  if (because.empty()) return;
  if (!identification.wave) identification.wave.emplace(WaveReport{.num_robots = 1});
  identification.wave->chosen_because = because;
}

}  // namespace heft::app
