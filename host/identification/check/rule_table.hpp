// The rules of both checks in one table: names, severities, meanings and tests, in order of
// evaluation.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "log_facts.hpp"
#include "rules.hpp"

namespace heft::check {

template <class Test>
struct Rule {
  const char* name;
  Severity severity;
  Test test;
  const char* meaning;
};

/// Rules that explain one another: only the first that applies is reported. A finding at one stage
/// suppresses later stages for the subject: with a mass in grams, every density is wrong.
template <class Test>
struct RuleGroup {
  int stage;
  std::vector<Rule<Test>> rules;
};

template <class Test>
using RuleGroups = std::vector<RuleGroup<Test>>;

/// Placeholder for rules whose findings come from elsewhere: the reader, or joint tests.
struct NoTest {};

struct RuleTable {
  // of robot files
  std::vector<Rule<NoTest>> reader;  ///< errors of reading the file: structure, then numbers
  RuleGroups<MaybeEvidence (*)(const RobotFacts&)> robot;
  RuleGroups<MaybeEvidence (*)(const RobotFacts&, const LinkFacts&)> link;
  RuleGroups<MaybeEvidence (*)(const RobotFacts&, const JointFacts&)> joint;
  // of logs
  RuleGroups<MaybeLogEvidence (*)(const LogFacts&)> clock;
  RuleGroups<MaybeLogEvidence (*)(const LogFacts&, int)> column;
  RuleGroups<MaybeLogEvidence (*)(const LogFacts&, const JointLog&)> position, velocity,
      acceleration, torque;
  std::vector<Rule<NoTest>> readings;  ///< from find_position_readings: units that several joints
                                       ///< may share
  std::vector<Rule<NoTest>> torques;   ///< from check_torques: one hypothesis may explain the
                                       ///< symptoms of another
};

const RuleTable& rule_table();

/// Evaluates the rules of a table for one subject; `add(rule, evidence)` receives the findings.
template <class Test, class Add, class... Facts>
void ask(const RuleGroups<Test>& groups, const Add& add, const Facts&... facts) {
  int moot_after = std::numeric_limits<int>::max();
  for (const RuleGroup<Test>& group : groups) {
    if (group.stage > moot_after) break;
    for (const Rule<Test>& rule : group.rules) {
      const auto evidence = rule.test(facts...);
      if (!evidence) continue;
      add(rule, *evidence);
      moot_after = std::min(moot_after, group.stage);
      break;
    }
  }
}

}  // namespace heft::check
