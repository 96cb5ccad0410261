#include "check/possible_mistakes.hpp"

#include <algorithm>

#include "check/joint_orders.hpp"
#include "column_mistakes.hpp"
#include "readers/log_table.hpp"

namespace heft {

namespace {

constexpr const char* kWeighed[] = {"torque-reversed", "position-reversed", "joint-reversed",
                                    "torques-swapped"};

bool is_weighed(const check::ColumnMistake& mistake) {
  const bool is_order = mistake.name == "joints-permuted" && !mistake.is_of_groups;
  return (is_order || !mistake.is_of_all) &&
         std::find(std::begin(kWeighed), std::end(kWeighed), mistake.name) != std::end(kWeighed);
}

/// The columns of a log, without a row of it; joints that move are those of `channels`.
Result<check::LogFacts> columns_of(const Model& model, const Log& log, const LogFormat& format,
                                   const ConditioningOptions& conditioning,
                                   const std::vector<int>& channels) {
  check::LogFacts facts{.robot = model.plan->robot,
                        .channels = model.plan->channels,
                        .options = {.log = format, .conditioning = conditioning},
                        .model = model};
  HEFT_TRY(table, open_table(log, format, conditioning.max_gap_s));
  HEFT_TRY(columns, find_log_columns(table.columns(), facts.robot, facts.channels, format,
                                     conditioning, {}, table.source->where()));
  facts.raw.header = table.columns().columns;
  facts.raw.columns = columns;
  // options name the columns of all joints; only those in question count as moving
  for (std::size_t c = 0; c < facts.channels.size(); ++c) {
    const int coordinate = facts.channels[c].coordinate, channel = static_cast<int>(c);
    const bool is_asked = std::find(channels.begin(), channels.end(), channel) != channels.end();
    if (coordinate >= 0)
      facts.joints.push_back({coordinate, channel, is_asked && facts.raw.has_torque(channel)});
  }
  return facts;
}

}  // namespace

Result<std::vector<Finding>> possible_mistakes(const Model& model, const Log& log,
                                               const LogFormat& format,
                                               const ConditioningOptions& conditioning,
                                               const std::vector<int>& channels) {
  HEFT_TRY(facts, columns_of(model, log, format, conditioning, channels));
  std::vector<Finding> findings;
  for (const check::ColumnMistake& mistake : check::column_mistakes(facts))
    if (is_weighed(mistake)) findings.push_back(check::finding_of(facts, mistake, log.name()));
  return findings;
}

Result<Finding> permuted_joints(const Model& model, const Log& log, const LogFormat& format,
                                const ConditioningOptions& conditioning, const JointOrder& order) {
  HEFT_TRY(facts, columns_of(model, log, format, conditioning, {}));
  return check::finding_of(facts, check::joints_permuted(facts, order), log.name());
}

}  // namespace heft
