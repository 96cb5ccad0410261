#include "heft/training/training_data.hpp"

#include "training/option_differences.hpp"

namespace heft {

namespace {

void append(std::vector<MomentStretch>& into, const std::vector<MomentStretch>& from,
            const PlanPtr& plan) {
  for (MomentStretch stretch : from) {
    stretch.moments.plan = plan;
    into.push_back(std::move(stretch));
  }
}

}  // namespace

Result<Done> add(TrainingData& into, const TrainingData& from) {
  HEFT_CHECK(add(into.moments, from.moments));
  const std::string name = from.logs.empty() ? "added data" : from.logs.front().path;
  for (const OptionDifference& difference : option_differences(into.options, from.options))
    into.disagreements.push_back(name + " was gathered with " + difference.theirs + ", not with " +
                                 difference.ours);
  if (into.plan->robot.source_text != from.plan->robot.source_text)
    into.disagreements.push_back(name + " was gathered with another robot file, " +
                                 from.plan->robot.source + "; the prior is of " +
                                 into.plan->robot.source);
  into.disagreements.insert(into.disagreements.end(), from.disagreements.begin(),
                            from.disagreements.end());
  into.logs.insert(into.logs.end(), from.logs.begin(), from.logs.end());
  if (into.is_compact() || from.is_compact())
    into.stretches.clear();
  else
    append(into.stretches, from.stretches, into.plan);
  return Done{};
}

}  // namespace heft
