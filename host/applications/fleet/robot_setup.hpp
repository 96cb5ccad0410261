// Objects made once from a robot's file and configuration, for all robots that share them, and the
// texts from which the keys of their pieces are derived.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "fleet/manifest.hpp"
#include "heft/app/identify_files.hpp"

namespace heft {

/// Increased when a change of Heft changes any bit of moments or answers. Part of all keys, so
/// outdated pieces are not reused.
inline constexpr int kNumericsVersion = 16;

/// Returns the configuration for the file named in a robot's row, or the default (empty path).
using ConfigurationOf = std::function<Result<Configuration>(const std::string& path)>;

struct RobotSetup {
  Configuration configuration;  ///< single-threaded: threads are distributed over robots, not over
                                ///< rows
  Setup setup;
  GatherOptions gathering;
  std::shared_ptr<Backend> backend;  ///< computes moments of logs, shared by all threads
  PlanPtr nameless_plan;  ///< the plan without the path of the robot's file, so that leaves depend
                          ///< only on content
  std::string leaf_options;  ///< options that determine samples and rows, as a configuration in
                             ///< JSON
  std::string leaf_text;     ///< everything in a leaf's key except its log
  std::string answer_text;   ///< everything in an answer's key except its data
  int most_stretches = 0;    ///< maximum number per leaf
  /// Whether answers are computed from sums of leaves. Otherwise rows are weighted by residuals of
  /// all rows, or the model is selected from all samples, and the robot is identified as a whole.
  bool by_leaves = true;

  std::string leaf_key(const std::string& log_sha256, const FleetRow& row) const;

  /// Returns whether a device conditions logs.
  bool conditions_on_device() const;
  /// Returns where rows are summed and problems solved: on a requested device if the robot is
  /// large. The sums of a short log of an arm take ten times as much of the bus as its samples, and
  /// the CPU solves the problems of a small robot sooner than it packs them for a device
  /// (docs/gpu.md).
  BackendOptions backend_of_sums(int num_threads) const;
};

/// Returns the backend of a fleet: a device only if requested by name. Machines with and without a
/// device share a store, whose sums are those of one backend, and short logs on all threads keep a
/// device waiting for the host (docs/gpu.md).
BackendOptions backend_of(const Configuration& configuration, int num_threads);

/// Makes setups and caches the most recent ones, and those still in use: many workers wait for a
/// device with one each. Threads: safe to call from several threads.
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
  void keep(Entry entry);

  ConfigurationOf configuration_of_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // most recently used first
  std::map<std::pair<std::string, std::string>, std::weak_ptr<const RobotSetup>> in_use_;
};

/// Returns a configuration for use in keys: without paths on this machine and without performance
/// settings.
std::string options_text(const Configuration& configuration);

/// Returns the range of a log for a key, such as " 12.5 to inf"; empty for the whole log.
std::string window_text(const FleetRow& row);

}  // namespace heft
