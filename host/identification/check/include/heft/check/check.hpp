// Errors in a robot file or a log, detected before any solving: how far the values are from
// physically consistent ones, and how to fix them.
//
// error: impossible for a real robot. warning: unlikely for a real robot. note: useful to know.
// Threads: safe to call from several threads on separate objects; const objects may be shared.
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

/// Severity of a finding; see the top of this file.
enum class Severity { note, warning, error };

template <>
struct EnumNames<Severity> {
  static constexpr EnumName<Severity> kList[] = {
      {Severity::note, "note"}, {Severity::warning, "warning"}, {Severity::error, "error"}};
};

/// Correction of a finding about a log, if there is one.
struct Fix {
  std::string yaml = {};  ///< options to paste into a configuration; empty: no option corrects it
  std::function<void(Samples&)> undo = {};      ///< applies the correction to conditioned samples;
                                                ///< empty: not possible for samples
  std::optional<Eigen::Vector3d> gravity = {};  ///< gravity in base axes, for a robot that is
                                                ///< mounted differently
};

/// One result of a rule.
struct Finding {
  std::string name;  ///< stable identifier for scripts: "tensor-about-link-origin"
  Severity severity = Severity::warning;
  std::string subject;  ///< link, joint or log column
  std::string where;    ///< file:line
  std::string what;     ///< in words, with numbers and units
  double measure = 0;   ///< number that the rule compares
  std::string unit;     ///< unit of `measure`; "1" for a dimensionless number
  std::string remedy;
  std::string joint = {};  ///< joint concerned, if it is a single one
  double rows_share = 0;   ///< fraction of the log's rows concerned, if not all
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< affected stretch, in the log's
                                                             ///< stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  Fix fix = {};
};

/// All findings about a robot file or a log.
struct CheckReport {
  std::string path;
  std::string subject;  ///< description of the checked robot or log in one line: "robot 'arm', 9
                        ///< links, 18.2 kg"
  std::vector<Finding> findings;  ///< in the order of the file
  std::string yaml = {};  ///< options that correct all errors of a log, in one block; empty: no
                          ///< such options, or they exclude each other

  /// Returns the number of findings of this severity.
  int count(Severity severity) const;
};

/// Where checks and repairs of a robot file find its meshes.
struct CheckOptions {
  std::vector<std::string> package_folders;  ///< where meshes of package://.. are searched, after
                                             ///< folders near the URDF
};

/// Checks a robot file link by link, before fixed links are merged; docs/check.md lists the rules.
/// Meshes that cannot be found or read are excluded from comparisons and counted in a note.
/// Problems that read_robot rejects are findings of severity error. Error: the document has more
/// links and joints than any robot.
Result<CheckReport> check_robot(const RobotDocument& document, const CheckOptions& options = {});

/// One change that fix_robot() made to a link.
struct Repair {
  std::string link;
  std::string where;    ///< file:line in the original
  std::string what;     ///< description of the change, with numbers
  double distance = 0;  ///< |change| / |tensor|, Frobenius, of the tensor about the center of mass;
                        ///< NaN if undefined
};

/// Writes the file with the nearest physically consistent tensors. If another interpretation makes
/// a tensor consistent (unit, sign of the products, order of the six numbers, parallel axes), the
/// tensor is converted from it. Otherwise the eigenvalues of the covariance about the center of
/// mass, Sigma = 1/2 tr(I) 1 - I, are raised to at least 1e-3 of the largest and m (1 mm)^2, which
/// gives the nearest Sigma in the Frobenius norm above that bound. Masses and centers of mass
/// change only to correct a unit. Everything else is unchanged. Errors: those of check_robot; the
/// file cannot be written.
Result<std::vector<Repair>> fix_robot(const RobotDocument& document, const std::string& output_path,
                                      const CheckOptions& options = {});

/// How a log is read, and the model with which it is compared.
struct CheckLogOptions {
  RobotOptions robot = {};
  LogFormat log = {.angle_unit = "auto"};
  ConditioningOptions conditioning = {};
  ModelOptions model = {};
};

/// Checks a log against the robot that it should belong to; docs/check.md lists the rules. Rules
/// about torque test hypotheses: the torque computed from the URDF's inertias, with fitted
/// friction, must explain the measured torque better with the hypothesis than without. Errors:
/// those of read_robot and of reading the log with the names and units of the options; stopped().
Result<CheckReport> check_log(const std::string& robot_path, const std::string& log_path,
                              const CheckLogOptions& options = {}, const Progress& progress = {});

/// Which rules check a log during an identification, which covers the others more accurately.
struct LogQuestions {
  bool signs_and_order = true;  ///< signs and order of columns, by the torque computed from the
                                ///< URDF
  std::size_t max_numbers = std::size_t{1} << 22;  ///< how many numbers of the log are examined,
                                                   ///< from its beginning
};

/// Returns the findings about a log of a model whose robot was already read: about its clock,
/// columns and joints and, if requested, signs and order of columns. Excludes rules that need a
/// least-squares fit (delay, offsets, excitation). Errors: those of reading the log; stopped().
Result<std::vector<Finding>> question_log(const Model& model, const Log& log,
                                          const LogFormat& format,
                                          const ConditioningOptions& conditioning,
                                          const LogQuestions& questions = {},
                                          const Progress& progress = {});

/// Returns the names of all rules for logs.
std::vector<std::string> log_rule_names();

/// Returns the report as a table for the terminal; `width` in characters.
std::string format_check(const CheckReport& report, int width = 110);

/// Writes the report as a JSON file, completely or not at all.
Result<Done> write_check(const CheckReport& report, const std::string& path);

/// Returns a table with the name, severity and meaning of every rule.
std::string format_check_rules();

}  // namespace heft
#pragma GCC visibility pop
