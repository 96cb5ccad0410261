// Reduces doubts to one line per cause: symptoms of a known cause become minor, and doubts shared
// by several joints or logs are merged.
#include "causes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace heft::doubts {

namespace {

/// Faults of a whole log: the bodies that follow them look wrong, too.
constexpr std::string_view kCauses[] = {"torque-without-gravity", "torque-external",
                                        "joints-permuted", "rows-foreign", "stamps-late"};

/// Doubts about all logs together.
constexpr std::string_view kOfAllLogs[] = {"torque-without-gravity", "torque-external",
                                           "joints-permuted", "stamps-late"};

/// Symptoms of such a fault in bodies and residuals, and doubts that only imitate it.
constexpr std::string_view kImitations[] = {
    "mass-absurd",   "total-scale",      "price-of-physics",    "channel-suspicious",
    "error-large",   "worse-than-urdf",  "joints-err-together", "payload",
    "halves-differ", "stretches-differ", "torque-trend",        "held-out-worse",
    "torque-quiet",  "contact"};

/// Doubts that locate a fault in logs, joints or bodies without its cause.
constexpr std::string_view kLocalSymptoms[] = {
    "stretches-differ",    "halves-differ",      "torque-trend", "logs-disagree",
    "joints-err-together", "channel-suspicious", "mass-absurd",  "total-scale"};

/// Doubts that only indicate that a fault exists.
constexpr std::string_view kGeneralSymptoms[] = {"price-of-physics", "error-large",
                                                 "worse-than-urdf", "held-out-worse"};

/// Doubts about the result or the request: they do not explain faults of residuals.
constexpr std::string_view kApart[] = {"held-out-seen", "log-twice",         "moments-differ",
                                       "rows-few",      "bodies-impossible", "not-certified",
                                       "inertia-twice"};

/// Rules that exclude each other for one joint.
constexpr std::string_view kSizes[] = {"torque-unit", "torque-motor-side", "torque-below-gravity"};

template <std::size_t count>
bool is_one_of(const std::string& id, const std::string_view (&ids)[count]) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

bool is_accepted(const Doubt& doubt, const std::vector<std::string>& accepted) {
  return std::find(accepted.begin(), accepted.end(), doubt.id) != accepted.end();
}

/// Whether its symptoms reappear once it is fixed or accepted.
void erase_imitations(const std::vector<std::string>& accepted, List& list) {
  const bool has_cause = std::any_of(list.begin(), list.end(), [&](const Doubt& doubt) {
    return doubt.serious && is_one_of(doubt.id, kCauses) && !is_accepted(doubt, accepted);
  });
  if (!has_cause) return;
  std::erase_if(list, [](const Doubt& doubt) { return is_one_of(doubt.id, kImitations); });
  // an option for all logs: a finding in one applies to all
  std::vector<std::string> seen;
  std::erase_if(list, [&](const Doubt& doubt) {
    if (!is_one_of(doubt.id, kOfAllLogs)) return false;
    if (std::find(seen.begin(), seen.end(), doubt.id) != seen.end()) return true;
    seen.push_back(doubt.id);
    return false;
  });
}

/// Specificity of a doubt: a cause, a place, or only the existence of a fault.
enum class Says { cause, place, error, other };

Says what_it_says(const Doubt& doubt) {
  if (!doubt.serious || is_one_of(doubt.id, kApart)) return Says::other;
  if (is_one_of(doubt.id, kGeneralSymptoms)) return Says::error;
  return is_one_of(doubt.id, kLocalSymptoms) ? Says::place : Says::cause;
}

/// Makes symptoms of a reported cause minor, and all but one of the least specific doubts.
void make_symptoms_minor(const std::vector<std::string>& accepted, List& list) {
  const auto has = [&](Says says) {
    return std::any_of(list.begin(), list.end(), [&](const Doubt& doubt) {
      return what_it_says(doubt) == says && !is_accepted(doubt, accepted);
    });
  };
  const bool has_cause = has(Says::cause), has_place = has(Says::place);
  bool has_error = false;
  for (Doubt& doubt : list) {
    const Says says = what_it_says(doubt);
    if (says == Says::place && has_cause) doubt.serious = kMinor;
    if (says != Says::error) continue;
    if (has_cause || has_place || has_error) doubt.serious = kMinor;
    has_error |= !is_accepted(doubt, accepted);
  }
}

/// Avoids contradictory options for two logs of one robot: keeps the first.
void keep_one_size(List& list) {
  for (std::size_t i = 0; i < list.size(); ++i)
    for (std::size_t k = i + 1; k < list.size(); ++k) {
      if (!is_one_of(list[i].id, kSizes) || !is_one_of(list[k].id, kSizes) ||
          list[i].id == list[k].id || list[i].joint != list[k].joint || !list[i].serious)
        continue;
      list[k].serious = kMinor;
      list[k].remedy = "Compare with " + list[i].log + ", where " + list[i].id + " is found.";
    }
}

/// Torques in another unit are beyond the effort limit, too.
void leave_units(List& list) {
  for (Doubt& doubt : list) {
    const auto is_its_unit = [&](const Doubt& other) {
      return other.id == "torque-unit" && other.serious && other.joint == doubt.joint &&
             other.log == doubt.log;
    };
    if (doubt.id == "torque-beyond-effort" && std::any_of(list.begin(), list.end(), is_its_unit))
      doubt.serious = kMinor;
  }
}

bool is_of_stretch(const Doubt& doubt) {
  return std::isfinite(doubt.from_s);
}

/// The joint or, without one, the column or body.
const std::string& name_of(const Doubt& doubt) {
  return doubt.joint.empty() ? doubt.subject : doubt.joint;
}

/// Whether two doubts can share a line: one fault of several joints or logs with the same remedy.
bool is_alike(const Doubt& one, const Doubt& other) {
  if (one.id != other.id || one.serious != other.serious) return false;
  if (name_of(one) == name_of(other) && one.log == other.log)
    return false;  // nothing to add to its words
  if (is_of_stretch(one) || is_of_stretch(other))
    return one.log == other.log && one.from_s <= other.to_s && other.from_s <= one.to_s &&
           one.remedy == other.remedy;
  // in another log the numbers of the option differ by its noise
  return one.remedy == other.remedy || (one.joint == other.joint && one.log != other.log);
}

void add_once(const std::string& name, const std::string& of_first,
              std::vector<std::string>& names) {
  if (!name.empty() && name != of_first &&
      std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(name);
}

std::string without_stop(std::string words) {
  if (words.ends_with('.')) words.pop_back();
  return words;
}

/// "..; likewise joint_2, joint_3, also in held_out.csv."
std::string with_others(std::string words, const std::vector<std::string>& joints,
                        const std::vector<std::string>& logs) {
  if (joints.empty() && logs.empty()) return words;
  words = without_stop(std::move(words));
  if (!joints.empty()) words += fmt::format("; likewise {}", fmt::join(joints, ", "));
  if (!logs.empty())
    words += fmt::format("{} also in {}", joints.empty() ? ";" : ",", fmt::join(logs, ", "));
  return words + ".";
}

void merge_alike(List& list) {
  List merged;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].id.empty()) continue;
    Doubt first = list[i];
    List alike{list[i]};
    std::vector<std::string> joints, logs;
    for (std::size_t k = i + 1; k < list.size(); ++k) {
      const auto is_like_it = [&](const Doubt& one) { return is_alike(one, list[k]); };
      if (!first.serious || std::none_of(alike.begin(), alike.end(), is_like_it)) continue;
      alike.push_back(list[k]);
      add_once(name_of(list[k]), name_of(list[i]), joints);
      add_once(list[k].log, first.log, logs);
      first.to_s = std::fmax(first.to_s, list[k].to_s);
      list[k].id.clear();
    }
    first.words = with_others(std::move(first.words), joints, logs);
    merged.push_back(std::move(first));
  }
  list = std::move(merged);
}

}  // namespace

void leave_one_line_a_cause(const std::vector<std::string>& accepted, List& list) {
  erase_imitations(accepted, list);
  keep_one_size(list);
  leave_units(list);
  merge_alike(list);
  make_symptoms_minor(accepted, list);
}

}  // namespace heft::doubts
