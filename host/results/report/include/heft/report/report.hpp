// What an identification says: result.json for machines, a summary for people, and why the answer
// may be wrong, certificate or not. Threads: any number of threads may call, each with objects of
// its own; what is const may be shared.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/identify/estimate.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The result as JSON text; the schema is tools/result.schema.json. Names come from the URDF, units
/// stand beside values.
std::string result_json(const Identification& identification);

/// A summary for the terminal: fit on held-out data, bodies against their priors, columns,
/// certificate, dropped rows.
std::string summary_text(const Identification& identification);

/// Squared errors of two models on the same rows, whichever rows each was judged on when it was
/// identified.
/// By stretches of the held-out logs, as one of the two conditions them; all three of one length.
struct CommonRows {
  std::vector<double> error2_a, error2_b, torque2;
};

/// Why an answer may be wrong: one list for all sources, from which the verdict follows.
/// Every kind is described in docs/doubts.md under its id.
struct Doubt {
  std::string id;        ///< "torque-scale"; of a rule of heft check, that rule's name
  bool serious = false;  ///< the answer may be wrong; otherwise: know it before you use a number
  std::string joint;     ///< that it is about; empty: no single one
  std::string subject;   ///< the column or body that it is about, if it is one; not in result.json
  std::string log;       ///< that it was seen in; empty: in none, or in all
  double from_s = std::numeric_limits<double>::quiet_NaN();  ///< the stretch of the log, by its
                                                             ///< stamps
  double to_s = std::numeric_limits<double>::quiet_NaN();
  std::string words;      ///< a sentence: what was found, with numbers
  std::string remedy;     ///< what to do about it; may be empty
  bool accepted = false;  ///< somebody has looked into it (--accept) and uses the answer all the
                          ///< same

  bool is_open() const { return serious && !accepted; }
};

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

/// Serious ones first. From checks, fit, physics, parameters and hypotheses.
std::vector<Doubt> doubts_about(const Identification& identification);

VerdictLevel verdict_level(const Identification& identification, const std::vector<Doubt>& doubts);

/// Ids that a Doubt may have, in alphabetical order.
const std::vector<std::string>& doubt_ids();

/// Error if an id is none of doubt_ids, with near misses.
Result<Done> check_doubt_id(const std::string& id);

}  // namespace heft
#pragma GCC visibility pop
