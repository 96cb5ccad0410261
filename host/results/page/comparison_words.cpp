#include "comparison_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "prediction_noise.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

std::set<std::string> joints_of(const Json& result) {
  const std::vector<std::string> joints = result.at("joints");
  return {joints.begin(), joints.end()};
}

std::set<std::string> links_of(const Json& result) {
  std::set<std::string> links;
  for (const Json& body : result.at("bodies"))
    if (!body.value("rotor", false)) links.insert(body.at("name").get<std::string>());
  return links;
}

/// Digests of the held-out logs in their order.
std::vector<std::string> held_out_logs(const Json& result) {
  std::vector<std::string> digests;
  for (const Json& log : result.at("logs").at("validation"))
    for (const Json& input : result.at("provenance").at("inputs"))
      if (input.at("path") == log.at("path")) {
        digests.push_back(input.at("sha256"));
        break;
      }
  return digests;
}

std::optional<BlockErrors> blocks_of(const Json& result) {
  if (!result.at("validation").contains("blocks")) return {};
  const Json& blocks = result.at("validation").at("blocks");
  BlockErrors errors{blocks.at("error2"), blocks.at("torque2")};
  double torque2 = 0;
  for (const double value : errors.torque2) torque2 += value;
  if (errors.error2.size() != errors.torque2.size() || std::ssize(errors.error2) < kMinBlocks ||
      !(torque2 > 0))
    return {};
  return errors;
}

/// Whether the evaluated rows and their torques are the same, channel by channel.
bool has_same_rows(const Json& a, const Json& b) {
  const Json &of_a = a.at("validation").at("per_channel"),
             &of_b = b.at("validation").at("per_channel");
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                    [](const Json& x, const Json& y) {
                      const double torque = x.at("rms_torque"), other = y.at("rms_torque");
                      return x.at("channel") == y.at("channel") && x.at("rows") == y.at("rows") &&
                             std::abs(torque - other) <= 1e-9 * std::max(torque, other);
                    });
}

std::string percent(double fraction) {
  return fmt::format("{:.3g} %", 100 * fraction);
}

double relative(const std::vector<double>& error2, const std::vector<double>& torque2) {
  return std::sqrt(std::accumulate(error2.begin(), error2.end(), 0.0) /
                   std::accumulate(torque2.begin(), torque2.end(), 0.0));
}

bool can_tell(const CommonRows& rows) {
  return std::ssize(rows.torque2) >= kMinBlocks &&
         std::accumulate(rows.torque2.begin(), rows.torque2.end(), 0.0) > 0;
}

/// Compares on the rows of A and on those of B; a verdict only if both agree.
std::string words_on_common_rows(const std::vector<CommonRows>& common) {
  std::string errors;
  bool a_is_better = true, b_is_better = true;
  for (std::size_t k = 0; k < common.size(); ++k) {
    const auto& [error2_a, error2_b, torque2] = common[k];
    errors += fmt::format("{}{} against {} on the rows of {}", k == 0 ? "" : ", ",
                          percent(relative(error2_a, torque2)),
                          percent(relative(error2_b, torque2)), k == 0 ? "A" : "B");
    const PredictionDifference d = prediction_difference({error2_a, torque2}, {error2_b, torque2});
    a_is_better &= d.is_more_than_noise() && d.difference > 0;
    b_is_better &= d.is_more_than_noise() && d.difference < 0;
  }
  if (!a_is_better && !b_is_better)
    return "Neither predicts significantly better: on the same rows of the "
           "held-out logs, A has " +
           errors + ".";
  return fmt::format(
      "{} predicts significantly better: on the same rows of the held-out logs, A has {}.",
      a_is_better ? "A" : "B", errors);
}

std::string prediction_words(const Json& a, const Json& b, const std::vector<CommonRows>& common) {
  for (const auto& [name, result] : {std::pair{"A", &a}, {"B", &b}})
    if (!result->contains("validation"))
      return fmt::format("The predictions cannot be compared: {} has no held-out log.", name);
  if (const auto logs = held_out_logs(a); logs.empty() || logs != held_out_logs(b))
    return "The predictions cannot be compared: A and B have different held-out logs.";
  const double error_a = a.at("validation").at("overall_relative"),
               error_b = b.at("validation").at("overall_relative");
  if (!has_same_rows(a, b)) {
    if (!common.empty() && std::all_of(common.begin(), common.end(), can_tell))
      return words_on_common_rows(common);
    return "The predictions cannot be compared: A and B used different rows of the "
           "held-out logs (filter, rate, dead band, units or known torques). heft "
           "report predicts both on the same rows where the logs are available.";
  }
  const auto blocks_a = blocks_of(a), blocks_b = blocks_of(b);
  if (!blocks_a || !blocks_b)
    return fmt::format(
        "{} predicts better on the held-out logs, {} against {} of the torque, "
        "but this may be noise: {} does not record how its error varies along "
        "the logs, or the logs are too short.",
        error_b < error_a ? "B" : "A", percent(std::min(error_a, error_b)),
        percent(std::max(error_a, error_b)), blocks_a ? "B" : "A");
  const PredictionDifference d = prediction_difference(*blocks_a, *blocks_b);
  const std::string judged = fmt::format("on the same rows of the held-out logs, in {} stretches",
                                         blocks_a->error2.size());
  if (d.difference == 0)
    return fmt::format("A and B predict equally well: {} of the torque {}.", percent(error_a),
                       judged);
  const double in_errors = std::abs(d.difference) / d.standard_error;
  if (!d.is_more_than_noise())
    return fmt::format(
        "Neither predicts significantly better: A has {}, B {} of the "
        "torque {}; the difference is {:.2g} standard errors, and more than "
        "{:.2g} would exceed noise.",
        percent(error_a), percent(error_b), judged, in_errors, d.threshold);
  return fmt::format(
      "{} predicts significantly better: {} against {} of the torque {}; the difference is {:.3g} "
      "standard errors.",
      d.difference < 0 ? "B" : "A", percent(std::min(error_a, error_b)),
      percent(std::max(error_a, error_b)), judged, in_errors);
}

}  // namespace

bool is_same_robot(const Json& a, const Json& b) {
  return joints_of(a) == joints_of(b) && links_of(a) == links_of(b);
}

bool has_different_rows(const Json& a, const Json& b) {
  if (!a.contains("validation") || !b.contains("validation")) return false;
  const auto logs = held_out_logs(a);
  return !logs.empty() && logs == held_out_logs(b) && !has_same_rows(a, b);
}

std::vector<std::string> comparison_words(const Json& a, const Json& b,
                                          const std::vector<CommonRows>& common) {
  const auto name = [](const Json& result) { return result.at("robot").get<std::string>(); };
  if (!is_same_robot(a, b)) {
    std::vector<std::string> shared;
    const std::set<std::string> of_a = joints_of(a), of_b = joints_of(b);
    std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                          std::back_inserter(shared));
    return {
        fmt::format("Two robots: A is {} with {} joints, B is {} with {}; {} of the joints "
                    "have the same names. Their errors and parameters describe different "
                    "robots.",
                    name(a), of_a.size(), name(b), of_b.size(),
                    shared.empty() ? "none" : std::to_string(shared.size()))};
  }
  std::vector<std::string> words = {fmt::format("One robot, {}.", name(a))};
  const auto digest = [](const Json& result) {
    const Json& inputs = result.at("provenance").at("inputs");
    return inputs.empty() ? "" : inputs.at(0).at("sha256").get<std::string>();
  };
  if (digest(a) != digest(b))
    words = {
        fmt::format("One robot, {}, with the same joints and links in two robot files.", name(a))};
  words.push_back(prediction_words(a, b, common));
  return words;
}

}  // namespace heft
