#include <fmt/format.h>

#include <algorithm>

#include "doubts.hpp"
#include "option_names.hpp"
#include "summary_sentences.hpp"

namespace heft::doubts {

namespace {

/// Rotors that the joints of a column turn.
std::vector<std::string> rotors_of(const Robot& robot, const Column& column) {
  std::vector<std::string> rotors;
  for (const Body& body : robot.bodies)
    if (body.is_rotor &&
        std::find(column.joints.begin(), column.joints.end(),
                  robot.coordinates[static_cast<std::size_t>(body.coordinate)].name) !=
            column.joints.end())
      rotors.push_back(body.name);
  return rotors;
}

std::string without_line_feeds(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void about_uncertainty(const Uncertainty& uncertainty, const ParameterLayout& layout, List& list) {
  const int num_inertial = core::kNumParameters * layout.num_bodies();
  int set_by_prior = 0;
  for (int k = 0; k < num_inertial; ++k) set_by_prior += uncertainty.is_set_by_prior(k) ? 1 : 0;
  if (set_by_prior > 0)
    list.push_back(
        {.id = "prior-decides",
         .words = fmt::format(
             "{} of the {} inertial parameters are set by the prior, not by the data: trust "
             "them as far as you trust the URDF.",
             set_by_prior, num_inertial)});
  if (!uncertainty.unexcited.empty())
    list.push_back(
        {.id = "not-excited",
         .words = fmt::format(
             "The training motion does not excite {} that are identifiable on this robot: see "
             "Conditioning.",
             plural(uncertainty.unexcited.size(), "direction", "directions"))});
  if (!uncertainty.no_intervals.empty())
    list.push_back(
        {.id = "intervals-missing",
         .words = "There are no intervals: " + without_line_feeds(uncertainty.no_intervals) + "."});
}

void about_same_inertia(const RegressorPlan& plan, List& list) {
  for (const Column& column : plan.layout.columns) {
    if (column.effect != ColumnEffect::rotor_inertia) continue;
    for (const std::string& rotor : rotors_of(plan.robot, column))
      list.push_back(
          {.id = "inertia-twice",
           .serious = kSerious,
           .joint = column.joints.empty() ? "" : column.joints.front(),
           .words = fmt::format(
               "{} and the column '{}' describe the same inertia, and the data can hardly "
               "distinguish them.",
               rotor, column.name),
           .remedy = "Keep one of the two."});
  }
}

void about_weight(const WeightChoice& choice, List& list) {
  if (!choice.gap_is_full)
    list.push_back(
        {.id = "prior-weight-uncertain",
         .words =
             "The training log is short for cross-validation: the prior weight is uncertain."});
  if (const auto end = end_of_trials(choice); !end.empty())
    list.push_back(
        {.id = "prior-weight-at-edge",
         .words = fmt::format("Cross-validation chose the prior weight {:g}, the {} that it tries.",
                              choice.weight, end),
         .remedy = fmt::format("Set {} to use another weight.", option_names::kPriorWeight)});
}

}  // namespace

void about_parameters(const Identification& identification, List& list) {
  const RegressorPlan& plan = identification.plan();
  if (identification.optimum)
    about_uncertainty(identification.optimum->uncertainty, plan.layout, list);
  about_same_inertia(plan, list);
  for (const PriorRepair& repair : identification.setup.prior.repairs)
    list.push_back({.id = "prior-repaired",
                    .words = "Prior of " +
                             plan.layout.bodies[static_cast<std::size_t>(repair.body)] + ": " +
                             repair.what + "."});
  if (identification.choices.weight_of_prior)
    about_weight(*identification.choices.weight_of_prior, list);
}

}  // namespace heft::doubts
