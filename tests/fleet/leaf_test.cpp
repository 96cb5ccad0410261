// Logs kept in memory from leaf to result: all of a robot's, in the order of its keys, or none.
#include "leaf.hpp"

#include <gtest/gtest.h>

namespace heft {
namespace {

ConditionedLog log_of(const std::string& name) {
  return {.summary = {.path = name}, .bytes = 100};
}

MadeLeaves two_leaves() {
  MadeLeaves made;
  made.emplace("b", MadeLeaf{.log = log_of("b.csv")});
  made.emplace("a", MadeLeaf{.log = log_of("a.csv")});
  return made;
}

TEST(KeptLogs, ComeInTheOrderOfTheKeys) {
  MadeLeaves made = two_leaves();
  const std::vector<ConditionedLog> logs = take_logs({"b", "a"}, made);
  ASSERT_EQ(logs.size(), 2u);
  EXPECT_EQ(logs[0].summary.path, "b.csv");
  EXPECT_EQ(logs[1].summary.path, "a.csv");
  EXPECT_TRUE(take_logs({"b", "a"}, made).empty()) << "they are taken once";
}

TEST(KeptLogs, AreAllOrNone) {
  MadeLeaves made = two_leaves();
  EXPECT_TRUE(take_logs({"a", "c"}, made).empty()) << "a leaf that was not made";
  made = two_leaves();
  made.at("b").log.reset();
  EXPECT_TRUE(take_logs({"a", "b"}, made).empty()) << "a log that was too large";
  made = two_leaves();
  EXPECT_TRUE(take_logs({"a", "b", "a"}, made).empty()) << "a leaf twice";
}

}  // namespace
}  // namespace heft
