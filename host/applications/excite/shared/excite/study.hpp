// Studies: designs for many robots and options in one run, a table of them, and the best design of
// each robot. Threads: two runs must not write to the same folder; otherwise safe to call from
// several threads.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/excite/design.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One design of a study, ready to search.
struct StudyDesign {
  std::string name;
  std::string words;   ///< its options as in the study's file: "duration: 10, objective: i"
  std::string where;   ///< "study.yaml:12", for errors
  std::string folder;  ///< relative to the folder of the study
  std::string inputs;  ///< SHA-256 of all files and options; a finished design with the same inputs
                       ///< is not searched again
  Robot robot;
  ExciteOptions options;
  std::optional<TrainingData> known;
};

/// A robot and its designs.
struct StudyRobot {
  std::string name, file;
  std::vector<StudyDesign> designs;
};

/// All designs of a study, and the files that they were read from.
struct Study {
  std::vector<StudyRobot> robots;
  std::vector<std::string> files;
};

/// State of a design. `failed`: the search reported an error; `pending`: the run was stopped
/// before.
enum class StudyState { pending, feasible, infeasible, budget, failed };

template <>
struct EnumNames<StudyState> {
  static constexpr EnumName<StudyState> kList[] = {{StudyState::pending, "pending"},
                                                   {StudyState::feasible, "feasible"},
                                                   {StudyState::infeasible, "infeasible"},
                                                   {StudyState::budget, "budget"},
                                                   {StudyState::failed, "failed"}};
};

/// What a study stores of a design; NaN: unknown.
struct StudyEntry {
  StudyState status = StudyState::pending;
  double log_det = NAN, log_det_prior = NAN;  ///< as in Design [nats]
  int num_base_parameters = 0;
  double duration_s = NAN;
  double torque_error = NAN;  ///< expected error of predicted torques relative to that before the
                              ///< motion, rms over joints
  std::string limit, joint;   ///< the limit that the motion uses most
  double limit_used = NAN;    ///< its LimitUse::worst_ratio
  double cpu_s = NAN;
  std::string because;    ///< why there is no feasible motion, or the error
  std::string digest;     ///< SHA-256 of design.json
  bool was_kept = false;  ///< from an earlier run

  double gained() const { return log_det - log_det_prior; }
};

/// A study with the entries of its designs, in the order of the designs.
struct StudyResult {
  std::vector<std::vector<StudyEntry>> entries;  ///< of each robot
  bool is_stopped = false;                       ///< by `progress`; the rest is pending

  int count(StudyState status) const;
};

/// Designs that are compared with each other.
struct BestDesign {
  int index = -1;  ///< the feasible design that gains most information; -1: none is feasible
  bool is_comparable = true;  ///< false: priors differ, because beliefs, columns or moments do
};
BestDesign best_design(const std::vector<StudyEntry>& entries);

/// exp((information gained - that of `best`) / number of base parameters); NaN unless there is a
/// best design and this one is feasible.
double efficiency_vs_best(const StudyEntry& entry, const StudyEntry* best);

/// Searches all designs with design_excitation() and writes each to its folder below `directory`,
/// then study.json and study.html. Designs share `threads` threads, to the last start of the last
/// design, without effect on results. study.json is also replaced during the run, so that a run
/// that ended early continues: feasible and infeasible designs with the same inputs and an
/// unchanged design.json are kept. With a device, the starts of each design are evaluated together.
/// `progress` is called on any thread, by one at a time. Errors: a
/// folder or file that cannot be written. Errors of a search are entries.
Result<StudyResult> run_study(const Study& study, const std::string& directory, int threads,
                              const Progress& progress = {},
                              BackendKind backend = BackendKind::cpu);

/// Returns the contents of study.json (`heft-study-1`).
std::string study_json(const Study& study, const StudyResult& result);

/// Returns the table that the program prints.
std::string study_summary(const Study& study, const StudyResult& result);

}  // namespace heft
#pragma GCC visibility pop
