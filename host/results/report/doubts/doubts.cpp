// Assembles the list of doubts in the order in which a reader should examine them.
#include "doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "causes.hpp"
#include "check/position_rules.hpp"
#include "files/name_hint.hpp"

namespace heft {

namespace doubts {

std::string plural(std::size_t count, const std::string& noun, const std::string& nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

std::string two_digits(double value) {
  return value < 99.5 ? fmt::format("{:.2g}", value) : fmt::format("{:.0f}", value);
}

std::string sentence(std::string words) {
  if (words.empty()) return words;
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

namespace {

/// With positions in a wrong unit, doubts about bodies, errors and residuals are meaningless.
bool has_misread_positions(const List& list) {
  const std::vector<std::string> units = position_unit_rules();
  return std::any_of(list.begin(), list.end(), [&](const Doubt& doubt) {
    return std::find(units.begin(), units.end(), doubt.id) != units.end();
  });
}

void about_answer(const Identification& identification, List& list) {
  about_residuals(identification, list);
  about_physics(identification, list);
  about_fit(identification, list);
  about_parameters(identification, list);
}

}  // namespace

}  // namespace doubts

std::vector<Doubt> doubts_about(const Identification& identification) {
  doubts::List list;
  // causes before symptoms
  doubts::about_logs(identification, list);
  doubts::about_hypotheses(identification, list);
  doubts::about_data(identification, list);
  if (!doubts::has_misread_positions(list)) doubts::about_answer(identification, list);
  doubts::leave_one_line_a_cause(identification.accepted, list);
  doubts::about_unexplained(identification, list);
  std::stable_partition(list.begin(), list.end(), [](const Doubt& doubt) { return doubt.serious; });
  for (Doubt& doubt : list)
    doubt.accepted = std::find(identification.accepted.begin(), identification.accepted.end(),
                               doubt.id) != identification.accepted.end();
  return list;
}

VerdictLevel verdict_level(const Identification& identification, const std::vector<Doubt>& doubts) {
  if (!identification.optimum || !identification.optimum->certificate.certified)
    return VerdictLevel::red;
  const bool is_open =
      std::any_of(doubts.begin(), doubts.end(), [](const Doubt& d) { return d.is_open(); });
  return is_open ? VerdictLevel::amber : VerdictLevel::green;
}

const std::vector<std::string>& doubt_ids() {
  static const std::vector<std::string> kIds = [] {
    std::vector<std::string> ids = log_rule_names();
    for (const char* id : {"torque-scale",
                           "joint-zero",
                           "torque-lowpass",
                           "clock-ratio",
                           "clock-drift",
                           "kinematics",
                           "torque-trend",
                           "torque-quiet",
                           "contact",
                           "stretches-differ",
                           "halves-differ",
                           "joints-err-together",
                           "logs-disagree",
                           "price-of-physics",
                           "price-of-prior",
                           "terms-missing",
                           "worse-than-urdf",
                           "error-large",
                           "error-unexplained",
                           "total-scale",
                           "payload",
                           "mass-absurd",
                           "held-out-missing",
                           "held-out-worse",
                           "held-out-seen",
                           "load-at-rest",
                           "log-twice",
                           "moments-differ",
                           "not-torque",
                           "logs-not-checked",
                           "rows-few",
                           "rows-dropped",
                           "known-torque-large",
                           "bodies-impossible",
                           "not-certified",
                           "channel-suspicious",
                           "mass-outside-shape",
                           "prior-decides",
                           "intervals-missing",
                           "inertia-twice",
                           "prior-repaired",
                           "prior-weight-uncertain",
                           "prior-weight-at-edge"})
      ids.emplace_back(id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }();
  return kIds;
}

Result<Done> check_doubt_id(const std::string& id) {
  const std::vector<std::string>& ids = doubt_ids();
  if (std::find(ids.begin(), ids.end(), id) != ids.end()) return Done{};
  return Error{"--accept", "unknown doubt '" + id + "'",
               name_hint(id, ids, "docs/doubts.md describes all of them, such as")};
}

}  // namespace heft
