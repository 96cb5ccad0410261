// The list put together, in the order in which a reader should look.
#include "doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "check/position_rules.hpp"
#include "files/name_hint.hpp"

namespace heft {

namespace doubts {

std::string plural(std::size_t count, const std::string& noun, const std::string& nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

std::string sentence(std::string words) {
  if (words.empty()) return words;
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

namespace {

/// Bodies, errors and residuals of positions in another unit mean nothing.
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

namespace {

/// Faults of a whole log: the bodies that follow them look wrong, too.
constexpr const char* kCauses[] = {"torque-without-gravity", "torque-external", "joints-permuted",
                                   "rows-foreign"};

/// Those that are told of all logs at once.
constexpr const char* kOfAllLogs[] = {"torque-without-gravity", "torque-external", "joints-permuted"};

/// What bodies and residuals show where such a fault is in the log, and what only imitates it.
constexpr const char* kSymptoms[] = {"mass-absurd",         "total-scale",  "price-of-physics",
                                     "channel-suspicious",  "error-large",  "worse-than-urdf",
                                     "joints-err-together", "payload",      "halves-differ",
                                     "stretches-differ",    "torque-trend", "held-out-worse",
                                     "torque-quiet",        "contact"};

template <std::size_t count>
bool is_one_of(const std::string& id, const char* const (&ids)[count]) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

/// One line for a cause: its symptoms come back once it is undone or accepted.
void leave_causes(const std::vector<std::string>& accepted, std::vector<Doubt>& list) {
  const bool has_cause = std::any_of(list.begin(), list.end(), [&](const Doubt& doubt) {
    return doubt.serious && is_one_of(doubt.id, kCauses) &&
           std::find(accepted.begin(), accepted.end(), doubt.id) == accepted.end();
  });
  if (!has_cause) return;
  std::erase_if(list, [](const Doubt& doubt) { return is_one_of(doubt.id, kSymptoms); });
  // an option of all logs: what one of them shows is of all
  std::vector<std::string> seen;
  std::erase_if(list, [&](const Doubt& doubt) {
    if (!is_one_of(doubt.id, kOfAllLogs)) return false;
    if (std::find(seen.begin(), seen.end(), doubt.id) != seen.end()) return true;
    seen.push_back(doubt.id);
    return false;
  });
}

}  // namespace

std::vector<Doubt> doubts_about(const Identification& identification) {
  doubts::List list;
  // causes before symptoms
  doubts::about_logs(identification, list);
  doubts::about_hypotheses(identification, list);
  doubts::about_data(identification, list);
  if (!doubts::has_misread_positions(list)) doubts::about_answer(identification, list);
  leave_causes(identification.accepted, list);
  doubts::about_unexplained(identification, list);
  std::stable_partition(list.begin(), list.end(), [](const Doubt& doubt) { return doubt.serious; });
  for (Doubt& doubt : list)
    doubt.accepted = std::find(identification.accepted.begin(), identification.accepted.end(), doubt.id) !=
                     identification.accepted.end();
  return list;
}

VerdictLevel verdict_level(const Identification& identification, const std::vector<Doubt>& doubts) {
  if (!identification.optimum || !identification.optimum->certificate.certified) return VerdictLevel::red;
  const bool is_open = std::any_of(doubts.begin(), doubts.end(), [](const Doubt& d) { return d.is_open(); });
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
                           "worse-than-urdf",
                           "error-large",
                           "error-unexplained",
                           "total-scale",
                           "payload",
                           "mass-absurd",
                           "held-out-missing",
                           "held-out-worse",
                           "held-out-seen",
                           "log-twice",
                           "moments-differ",
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
  return Error{"--accept", "there is no doubt '" + id + "'",
               name_hint(id, ids, "docs/doubts.md describes all of them, such as")};
}

}  // namespace heft
