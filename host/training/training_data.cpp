#include "heft/training/training_data.hpp"

namespace heft {

Result<Done> add(TrainingData& into, const TrainingData& from) {
  HEFT_CHECK(add(into.moments, from.moments));
  const std::string name = from.logs.empty() ? "added data" : from.logs.front().path;
  for (const OptionDifference& difference : option_differences(into.configuration, from.configuration))
    into.disagreements.push_back(name + " was gathered with " + difference.theirs + ", not with " +
                                 difference.ours);
  if (into.plan->robot.source_text != from.plan->robot.source_text)
    into.disagreements.push_back(name + " was gathered with another robot file, " + from.plan->robot.source +
                                 "; the prior is of " + into.plan->robot.source);
  into.disagreements.insert(into.disagreements.end(), from.disagreements.begin(), from.disagreements.end());
  into.logs.insert(into.logs.end(), from.logs.begin(), from.logs.end());
  for (MomentStretch stretch : from.stretches) {
    stretch.moments.plan = into.plan;
    into.stretches.push_back(std::move(stretch));
  }
  return Done{};
}

}  // namespace heft
