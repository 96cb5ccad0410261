// What is wrong with a robot file or a log, before any solving: how far from possible, and how to
// fix it.
//
// error: no real robot is like that. warning: real robots hardly are. note: good to know.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/setup/setup.hpp"

#pragma GCC visibility push(default)
namespace heft {

enum class Severity { note, warning, error };

template <>
struct EnumNames<Severity> {
  static constexpr EnumName<Severity> kList[] = {
      {Severity::note, "note"}, {Severity::warning, "warning"}, {Severity::error, "error"}};
};

/// What undoes a finding about a log, where something does.
struct Fix {
  std::string yaml = {};  ///< options to be pasted into a configuration; empty: none does
  std::function<void(Samples&)> undo = {};  ///< the same for conditioned samples; empty: not with
                                            ///< these
  std::optional<Eigen::Vector3d> gravity = {};  ///< in the axes of the base, of a robot that stands
                                                ///< otherwise
};

struct Finding {
  std::string name;  ///< stable, for scripts: "tensor-about-link-origin"
  Severity severity = Severity::warning;
  std::string subject;  ///< the link, joint or log column
  std::string where;    ///< file:line
  std::string what;     ///< in words, with numbers and units
  double measure = 0;   ///< the number that `what` turns on
  std::string unit;     ///< of `measure`; "1" for a pure number
  std::string remedy;
  std::string joint = {};  ///< that it is about, if it is about one
  double rows_share = 0;   ///< of a log's rows, where what was found is some of them
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< the stretch it is in, by the log's
                                                             ///< stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  Fix fix = {};
};

struct CheckReport {
  std::string path;
  std::string subject;            ///< what was checked, in a line: "robot 'arm', 9 links, 18.2 kg"
  std::vector<Finding> findings;  ///< in the order of the file
  std::string yaml = {};  ///< options of all errors of a log, in one block; empty: none, or they
                          ///< exclude each other

  int count(Severity severity) const;
};

struct CheckOptions {
  std::vector<std::string> package_folders;  ///< where meshes of package://.. may be, besides near
                                             ///< the URDF
};

/// Checks a robot file link by link, before fixed links are merged; docs/check.md lists the rules.
/// Meshes that cannot be found or read are left out of what is compared, and counted in a note.
/// What read_robot would refuse is an error among the findings. Error: more links and joints
/// than any robot has.
Result<CheckReport> check_robot(const RobotDocument& document, const CheckOptions& options = {});

struct Repair {
  std::string link;
  std::string where;    ///< file:line in the original
  std::string what;     ///< what was done, with numbers
  double distance = 0;  ///< |change| / |tensor|, Frobenius, of the tensor about the center of mass;
                        ///< NaN if moot
};

/// Writes the file with the nearest tensors that a body can have. A tensor that another reading
/// makes consistent is read that way (unit, sign of the products, order of the six numbers,
/// parallel axes); otherwise the covariance about the center of mass, Sigma = 1/2 tr(I) 1 - I, has
/// its eigenvalues clipped from below at 1e-3 of the largest and m (1 mm)^2: nearest in the
/// Frobenius norm of Sigma among all that reach that floor. Masses and centers of mass change only
/// where a unit slipped. All else stays as it is. Errors: those of check_robot; the file cannot be
/// written.
Result<std::vector<Repair>> fix_robot(const RobotDocument& document, const std::string& output_path,
                                      const CheckOptions& options = {});

/// How the log is read, and by what model it is judged.
struct CheckLogOptions {
  RobotOptions robot = {};
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning = {};
  ModelOptions model = {};
};

/// Checks a log against the robot that it is said to come from; docs/check.md lists the rules. What
/// turns on torque is a test of hypotheses: the torque that the URDF's own inertias ask for, with
/// friction fitted, must explain the measured one better with the hypothesis than without. Errors:
/// those of read_robot and of reading the log with the options' names and units; stopped().
Result<CheckReport> check_log(const std::string& robot_path, const std::string& log_path,
                              const CheckLogOptions& options = {}, const Progress& progress = {});

/// What is asked of a log beside an identification, which knows the rest better.
struct LogQuestions {
  bool signs_and_order = true;  ///< of columns, by the torque that the URDF asks for
  std::size_t max_numbers = std::size_t{1} << 22;  ///< of the log that are looked at, from its
                                                   ///< beginning
};

/// The findings about a log of a model whose robot is read already: of its clock, its columns and
/// its joints, and of signs and order of columns if that is asked for; not what least squares says
/// (delay, offsets, excitation). Errors: those of reading the log; stopped().
Result<std::vector<Finding>> question_log(const Model& model, const Log& log,
                                          const LogFormat& format,
                                          const ConditioningOptions& conditioning,
                                          const LogQuestions& questions = {},
                                          const Progress& progress = {});

/// Names of all rules for logs.
std::vector<std::string> log_rule_names();

/// The report as a table for the terminal; `width` in characters.
std::string format_check(const CheckReport& report, int width = 110);

/// Writes the report as a JSON file, whole or not at all.
Result<Done> write_check(const CheckReport& report, const std::string& path);

/// Name, severity and meaning of every rule, as a table.
std::string format_check_rules();

}  // namespace heft
#pragma GCC visibility pop
