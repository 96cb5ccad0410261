// What is made of a robot's file and its configuration once, for all robots that share them, and by
// what names their pieces lie in the store.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "fleet/manifest.hpp"
#include "heft/app/identify_files.hpp"

namespace heft {

/// Goes up when a change of Heft changes a bit of moments or answers; keys hold it, so that nothing
/// old is taken for new.
inline constexpr int kNumericsVersion = 9;

/// The configuration of a robot whose row names that file, or none (empty).
using ConfigurationOf = std::function<Result<Configuration>(const std::string& path)>;

struct RobotSetup {
  Configuration configuration;  ///< with one thread: robots, not their rows, are shared out over
                                ///< threads
  Setup setup;
  GatherOptions gathering;
  std::shared_ptr<Backend> backend;  ///< who sums logs, for all threads that do
  PlanPtr nameless_plan;  ///< the plan without the path of the robot's file: leaves hold what they
                          ///< were made of alone
  std::string leaf_options;  ///< what shapes samples and rows, as a configuration in JSON
  std::string leaf_text;     ///< all that a leaf's key says besides its log
  std::string answer_text;   ///< all that an answer's key says besides its data
  int most_stretches = 0;    ///< of a leaf
  /// Answers come from sums of leaves; otherwise rows weigh by residuals of all of them, or the
  /// model is chosen from all samples, and the robot is identified as a whole.
  bool by_leaves = true;

  std::string leaf_key(const std::string& log_sha256, const FleetRow& row) const;
};

/// Who computes for a fleet: a device only where it is asked for by name, since short logs on all
/// threads keep it waiting for the host, and all threads for each other (docs/gpu.md).
BackendOptions backend_of(const Configuration& configuration, int num_threads);

/// Makes them, and keeps the last ones. Threads: safe to call from several threads.
class RobotSetups {
 public:
  explicit RobotSetups(ConfigurationOf configuration_of)
      : configuration_of_(std::move(configuration_of)) {}

  /// Errors: those of the configuration and of read_setup; stopped().
  Result<std::shared_ptr<const RobotSetup>> of(const std::string& robot, const std::string& config,
                                               const Progress& progress = {});

 private:
  struct Entry {
    std::string robot, config;
    std::shared_ptr<const RobotSetup> setup;
  };
  ConfigurationOf configuration_of_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
};

/// A configuration as keys hold it: without places on this machine and without its speed.
std::string options_text(const Configuration& configuration);

/// " 12.5 to inf" and the like: the stretch of a log in a key; empty if it is all of it.
std::string window_text(const FleetRow& row);

}  // namespace heft
