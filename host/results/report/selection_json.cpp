#include "selection_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files/json_text.hpp"

namespace heft {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kRefusalsShown = 6;  ///< in the summary; result.json has them all

}  // namespace

Json selection_json(const Selection& selection) {
  Json steps = Json::array();
  for (const SelectionStep& step : selection.steps) {
    Json entry{{"option", step.option},
               {"family", step.family},
               {"cross_validated_error", step.relative_error},
               {"gain", step.gain},
               {"standard_errors", number_or_null(step.standard_errors)}};
    if (step.held_out_error) entry["held_out_error"] = *step.held_out_error;
    steps.push_back(entry);
  }
  Json refused = Json::array();
  for (const SelectionRefusal& refusal : selection.refused)
    refused.push_back({{"option", refusal.option},
                       {"gain", number_or_null(refusal.gain)},
                       {"standard_errors", number_or_null(refusal.standard_errors)},
                       {"reason", refusal.reason}});
  return {{"steps", steps},
          {"refused", refused},
          {"options", selection.num_options},
          {"passes", selection.num_passes},
          {"solves", selection.num_solves},
          {"folds", selection.num_folds},
          {"gap_s", selection.gap_s},
          {"gap_is_full", selection.gap_is_full}};
}

std::string selection_text(const Selection& selection) {
  const auto percent = [](double share) {
    const bool is_zero = std::abs(share) < 5e-5;  // no "-0.00 %"
    return fmt::format("{:.2f} %", is_zero ? 0.0 : 100 * share);
  };
  std::string text = fmt::format(
      "model chosen on the training logs: {} option{}, {} passes over the samples, {} problems, {} folds\n",
      selection.num_options, selection.num_options == 1 ? "" : "s", selection.num_passes,
      selection.num_solves, selection.num_folds);
  text += fmt::format("{:<36} {:>15} {:>10} {:>10} {:>10}\n", "step", "cross-validated", "gain",
                      "in s.e.", "held out");
  for (std::size_t i = 0; i < selection.steps.size(); ++i) {
    const SelectionStep& step = selection.steps[i];
    text += fmt::format("{:<36} {:>15} {:>10} {:>10} {:>10}\n", step.option,
                        percent(step.relative_error), i == 0 ? "" : percent(step.gain),
                        i == 0 ? "" : fmt::format("{:.1f}", step.standard_errors),
                        step.held_out_error ? percent(*step.held_out_error) : "");
  }
  for (std::size_t i = 0; i < std::min(kRefusalsShown, selection.refused.size()); ++i) {
    const SelectionRefusal& refusal = selection.refused[i];
    text += fmt::format("  refused: {} ({}, {:.1f} s.e.: {})\n", refusal.option,
                        percent(refusal.gain), refusal.standard_errors, refusal.reason);
  }
  if (selection.refused.size() > kRefusalsShown)
    text += fmt::format("  and {} more\n", selection.refused.size() - kRefusalsShown);
  return text;
}

}  // namespace heft
