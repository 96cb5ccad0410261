#include "excite/study.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>

#include "base/parallel_for.hpp"
#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "motion_faults.hpp"
#include "study_files.hpp"
#include "work_share.hpp"

namespace heft {

namespace {

using namespace excite;

/// Time between two writings of study.json during a run.
constexpr std::chrono::seconds kTimeBetweenWrites{1};

/// rms over joints of the expected torque error relative to that before the motion.
double relative_torque_error(const Design& design) {
  double sum = 0;
  for (const TorqueError& error : design.torque_errors)
    sum += (error.after / error.before) * (error.after / error.before);
  return std::sqrt(sum / static_cast<double>(design.torque_errors.size()));
}

StudyEntry entry_of(const Design& design) {
  StudyEntry entry{.log_det = design.log_det,
                   .log_det_prior = design.log_det_prior,
                   .num_base_parameters = design.num_base_parameters,
                   .duration_s = design.options.shape.duration,
                   .torque_error = relative_torque_error(design),
                   .cpu_s = design.search.cpu_s,
                   .because = design.infeasible_because,
                   .digest = sha256_of(design_json(design))};
  entry.status = *enum_value<StudyState>(enum_name(design.status));
  const LimitUse& worst = worst_of(design.limits);
  entry.limit = worst.name;
  entry.joint = worst.joint;
  entry.limit_used = worst.worst_ratio;
  return entry;
}

/// The run of a study. Each design is searched by one thread; threads without a design help others
/// with their starts.
class StudyRun {
 public:
  StudyRun(const Study& study, const std::string& directory, const Progress& progress,
           BackendKind backend)
      : study_(study), directory_(directory), progress_(progress), backend_(backend) {
    for (const StudyRobot& robot : study.robots)
      outcome_.entries.emplace_back(robot.designs.size());
  }

  Result<StudyResult> run(int threads) {
    keep_finished();
    // without the device that all designs need, none of them failed
    if (backend_ == BackendKind::cuda && !items_.empty())
      HEFT_CHECK(make_backend({.kind = BackendKind::cuda, .threads = 1}));
    HEFT_CHECK(make_folder(directory_));
    HEFT_CHECK(write());
    ThreadPool::instance().run(threads, [&](int) { work(); });
    outcome_.is_stopped = is_stopped_;
    HEFT_CHECK(write());
    if (error_) return *error_;
    return std::move(outcome_);
  }

 private:
  struct Item {
    int robot, design;
  };

  const StudyDesign& design_of(Item item) const {
    return study_.robots[item.robot].designs[item.design];
  }
  StudyEntry& entry_at(Item item) { return outcome_.entries[item.robot][item.design]; }

  /// Keeps finished designs of an earlier run; all others are to be searched.
  void keep_finished() {
    const EarlierStudy earlier(directory_);
    for (int r = 0; r < static_cast<int>(study_.robots.size()); ++r)
      for (int d = 0; d < static_cast<int>(study_.robots[r].designs.size()); ++d) {
        if (const auto kept = earlier.entry_of(design_of({r, d})))
          entry_at({r, d}) = *kept;
        else
          items_.push_back({r, d});
      }
    shares_.resize(items_.size(), 0);
  }

  void work() {
    if (items_.empty()) return;
    try {
      for (std::size_t i = next_++; i < items_.size(); i = next_++) {
        search(i);
        if (++num_done_ == items_.size()) share_.close();
      }
    } catch (...) {  // such as bad_alloc: other threads must not wait for this one
      is_stopped_ = true;
      share_.close();
      throw;
    }
    share_.help();
  }

  void search(std::size_t i) {
    const Item item = items_[i];
    const StudyDesign& design = design_of(item);
    ExciteOptions options = design.options;
    options.backend = backend_;
    options.run_starts = [&](std::int64_t count, const WorkShare::Task& task) {
      share_.run(count, task);
    };
    if (is_stopped_ || !goes_on(i, 0)) return;
    const auto found = design_excitation(
        design.robot, options, design.known ? &*design.known : nullptr,
        [&](const std::string&, double fraction) { return goes_on(i, fraction); });
    if (!found && found.error().is_stop) return;
    note(i, found ? entry_of(*found) : failed(design, found.error()),
         found ? written(*found, design) : std::nullopt);
  }

  static StudyEntry failed(const StudyDesign& design, const Error& error) {
    Error at_line = error;
    at_line.where = design.where + (error.where.empty() ? "" : ": " + error.where);
    return {.status = StudyState::failed, .because = at_line.message()};
  }

  std::optional<Error> written(const Design& found, const StudyDesign& design) const {
    const auto files =
        write_design(found, (std::filesystem::path(directory_) / design.folder).string());
    return files ? std::nullopt : std::optional<Error>(files.error());
  }

  /// Stores an entry. Stops the run if files cannot be written.
  void note(std::size_t i, StudyEntry entry, std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    if (!error) entry_at(items_[i]) = std::move(entry);
    const bool is_time = std::chrono::steady_clock::now() - last_write_ > kTimeBetweenWrites;
    if (!error && is_time)
      if (const auto done = write(); !done) error = done.error();
    if (!error || error_) return;
    error_ = std::move(error);
    is_stopped_ = true;
  }

  Result<Done> write() {
    last_write_ = std::chrono::steady_clock::now();
    return write_study(study_, outcome_, directory_);
  }

  /// Reports the progress of design i, on one thread at a time; false once the run is stopped.
  bool goes_on(std::size_t i, double fraction) {
    const std::unique_lock lock(progress_mutex_, std::try_to_lock);
    if (!lock || !progress_) return !is_stopped_;
    done_ += fraction - shares_[i];
    shares_[i] = fraction;
    const std::size_t kept = static_cast<std::size_t>(num_designs()) - items_.size();
    const std::string stage = "study, " + std::to_string(kept + num_done_) + " of " +
                              std::to_string(num_designs()) + " designs";
    if (!progress_(stage, (static_cast<double>(kept) + done_) / num_designs())) is_stopped_ = true;
    return !is_stopped_;
  }

  int num_designs() const {
    return static_cast<int>(study_.robots.size() * study_.robots.front().designs.size());
  }

  const Study& study_;
  const std::string& directory_;
  const Progress& progress_;
  const BackendKind backend_;
  StudyResult outcome_;
  std::vector<Item> items_;     ///< to be searched
  std::vector<double> shares_;  ///< progress of each
  double done_ = 0;             ///< their sum
  std::atomic<std::size_t> next_{0}, num_done_{0};
  std::atomic<bool> is_stopped_{false};
  std::optional<Error> error_;
  std::mutex mutex_, progress_mutex_;
  std::chrono::steady_clock::time_point last_write_;
  WorkShare share_;
};

}  // namespace

int StudyResult::count(StudyState status) const {
  int number = 0;
  for (const auto& of_robot : entries)
    for (const StudyEntry& entry : of_robot) number += entry.status == status ? 1 : 0;
  return number;
}

BestDesign best_design(const std::vector<StudyEntry>& entries) {
  BestDesign best;
  const StudyEntry* chosen = nullptr;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const StudyEntry& entry = entries[i];
    if (entry.status != StudyState::feasible) continue;
    // the same prior to rounding, which depends on the order of sums
    if (chosen && std::abs(entry.log_det_prior - chosen->log_det_prior) >
                      1e-9 * (1 + std::abs(chosen->log_det_prior)))
      best.is_comparable = false;
    if (chosen && !(entry.gained() > chosen->gained())) continue;
    chosen = &entry;
    best.index = static_cast<int>(i);
  }
  return best;
}

double efficiency_vs_best(const StudyEntry& entry, const StudyEntry* best) {
  const bool is_known = entry.status == StudyState::feasible && entry.num_base_parameters > 0;
  if (best == nullptr || !is_known) return NAN;
  return std::exp((entry.gained() - best->gained()) / entry.num_base_parameters);
}

Result<StudyResult> run_study(const Study& study, const std::string& directory, int threads,
                              const Progress& progress, BackendKind backend) {
  if (study.robots.empty() || study.robots.front().designs.empty())
    return Error{"study", "has no robots or no designs", "give at least one of each"};
  return StudyRun(study, directory, progress, backend).run(std::max(1, threads));
}

}  // namespace heft
