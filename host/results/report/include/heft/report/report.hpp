// Report of an identification: result.json for programs, a summary for people, and doubts, the
// reasons why the result may be wrong, with or without a certificate. Threads: safe to call from
// several threads on separate objects; const objects may be shared.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/identify/estimate.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the result as JSON text; the schema is tools/result.schema.json. Names are those of the
/// URDF; units are next to values.
std::string result_json(const Identification& identification);

/// Returns a summary for the terminal: fit on held-out data, bodies compared with their priors,
/// columns, certificate, dropped rows.
std::string summary_text(const Identification& identification);

/// Squared errors of two models on the same rows, independent of the rows used by their
/// identifications. One entry per stretch of the held-out logs, conditioned with the options of one
/// of the two; all three have the same length.
struct CommonRows {
  std::vector<double> error2_a, error2_b, torque2;
};

/// A reason why a result may be wrong, from any source; the verdict depends on these.
/// docs/doubts.md describes every kind under its id.
struct Doubt {
  std::string id;        ///< "torque-scale"; for a rule of heft check, the rule's name
  bool serious = false;  ///< true: the result may be wrong; false: worth knowing before use
  std::string joint;     ///< joint concerned; empty: no single joint
  std::string subject;   ///< column or body concerned, if there is one; not in result.json
  std::string log;       ///< log concerned; empty: no log or all logs
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< stretch of the log, in its stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  std::string words;      ///< a sentence with numbers: what was found
  std::string remedy;     ///< how to fix it; may be empty
  bool accepted = false;  ///< the user has examined it (--accept) and accepts the result

  /// Returns whether the doubt is serious and not accepted.
  bool is_open() const { return serious && !accepted; }
};

/// The level of a verdict.
enum class VerdictLevel {
  green,  ///< certified, and no serious doubt is open
  amber,  ///< certified, but a serious doubt is open
  red,    ///< no certificate
};
template <>
struct EnumNames<VerdictLevel> {
  static constexpr EnumName<VerdictLevel> kList[] = {
      {VerdictLevel::green, "green"}, {VerdictLevel::amber, "amber"}, {VerdictLevel::red, "red"}};
};

/// Returns all doubts from checks, fit, physics, parameters and hypotheses; serious ones first.
std::vector<Doubt> doubts_about(const Identification& identification);

/// Returns the level of the verdict.
VerdictLevel verdict_level(const Identification& identification, const std::vector<Doubt>& doubts);

/// Returns all ids of doubts in alphabetical order.
const std::vector<std::string>& doubt_ids();

/// Checks an id. Error: it is not one of doubt_ids; the message lists near misses.
Result<Done> check_doubt_id(const std::string& id);

}  // namespace heft
#pragma GCC visibility pop
