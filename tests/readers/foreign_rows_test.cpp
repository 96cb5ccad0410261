// Rows of a second publisher among those of a robot: found at any share, dropped on request, and
// never reported while a robot rests.
#include "readers/foreign_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "heft/log/arrays.hpp"
#include "readers/log_table.hpp"

namespace heft {
namespace {

using Values = Eigen::ArrayXd;

/// Three joints with torques, moving; the time is none of them.
Values moving(int k) {
  const double t = 0.004 * k;
  Values row(6);
  for (int j = 0; j < 3; ++j) {
    row[j] = 0.8 * std::sin((0.7 + 0.4 * j) * t + j) + 0.3 * std::cos((1.9 + 0.3 * j) * t);
    row[3 + j] = 9 * std::cos(row[j]) + 0.05 * std::sin(917.0 * k + j);  // a torque with noise
  }
  return row;
}

/// Every row of the robot, each followed by as many foreign ones as `foreign` says of it.
std::vector<Values> mixed(int num_rows, const Values& other,
                          const std::function<int(int)>& foreign) {
  std::vector<Values> rows;
  for (int k = 0; k < num_rows; ++k) {
    rows.push_back(moving(k));
    rows.insert(rows.end(), static_cast<std::size_t>(foreign(k)), other);
  }
  return rows;
}

ForeignRows found_in(const std::vector<Values>& rows) {
  ForeignRowSearch search;
  std::int64_t line = 2;
  for (const Values& row : rows) search.push(row, line++);
  return search.found();
}

Values rounded(const Values& row, double step) {
  return (row / step).round() * step;
}

const Values kZeros = Values::Zero(6);
const Values kHome = (Values(6) << 0.3, -1.2, 0.9, 4, -2, 1).finished();

TEST(ForeignRows, AreFoundAtAnyShare) {
  const std::vector<std::function<int(int)>> shares = {[](int) { return 1; },
                                                       [](int k) { return int(k % 2 == 1); },
                                                       [](int) { return 2; },
                                                       [](int k) { return int(k % 25 == 7); },
                                                       [](int k) { return int(k % 300 == 7); },
                                                       [](int k) { return k % 400 == 9 ? 20 : 0; }};
  for (std::size_t s = 0; s < shares.size(); ++s)
    for (const Values& other : {kZeros, kHome}) {
      const std::vector<Values> rows = mixed(2000, other, shares[s]);
      const ForeignRows foreign = found_in(rows);
      EXPECT_EQ(foreign.count, std::ssize(rows) - 2000) << s;
      ASSERT_EQ(foreign.rows.size(), 1u) << s;
      EXPECT_TRUE(are_equal_rows(foreign.rows[0], other));
    }
}

TEST(ForeignRows, OfTwoPublishersAreBothFound) {
  std::vector<Values> rows;
  for (int k = 0; k < 2000; ++k) {
    rows.push_back(moving(k));
    if (k % 3 == 0) rows.push_back(kZeros);
    if (k % 5 == 1) rows.push_back(kHome);
  }
  EXPECT_EQ(found_in(rows).count, std::ssize(rows) - 2000);
}

TEST(ForeignRows, WithMissingNumbersAreFound) {
  Values without_torque = kZeros;
  without_torque.tail(3) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(found_in(mixed(1000, without_torque, [](int) { return 1; })).count, 1000);
}

TEST(ForeignRows, AreNotSeenWhereARobotRestsOrRepeatsItself) {
  std::vector<Values> clean, coarse, hold, stop_and_go, twice;
  for (int k = 0; k < 4000; ++k) {
    clean.push_back(moving(k));
    coarse.push_back(rounded(moving(k), 0.05));
    hold.push_back(moving(k < 1000 ? 0 : k - 1000));
    // back at the same numbers again and again
    const double share = std::max(0.0, std::sin(0.004 * k));
    stop_and_go.push_back(rounded(Values(share * share * kHome), 0.01));
    twice.push_back(moving(k / 2));
  }
  for (const auto& rows : {clean, coarse, hold, stop_and_go, twice})
    EXPECT_EQ(found_in(rows).count, 0);
}

TEST(ForeignRows, AreDroppedOnRequest) {
  const std::vector<Values> rows = mixed(1000, kZeros, [](int k) { return int(k % 3 == 1); });
  Eigen::ArrayXXd table(std::ssize(rows), 7);
  for (Eigen::Index k = 0; k < table.rows(); ++k) {
    table(k, 0) = 0.003 * static_cast<double>(k);
    table.row(k).tail(6) = rows[static_cast<std::size_t>(k)];
  }
  const auto columns = [&](Eigen::Index first, Eigen::Index count) {
    return ArrayView(&table(0, first), table.rows(), count, 1, table.rows());
  };
  const Log log = array_log("mixed", columns(0, 1), columns(1, 3), columns(4, 3));
  for (const bool drops : {false, true}) {
    LogFormat format;
    format.drop_damaged = drops;
    auto opened = open_table(log, format, 0);
    ASSERT_TRUE(opened) << opened.error().message();
    std::vector<int> all(opened->columns().columns.size());
    for (std::size_t c = 0; c < all.size(); ++c) all[c] = static_cast<int>(c);
    ASSERT_TRUE(opened->source->select({all}));
    std::int64_t num_rows = 0, num_zero = 0;
    for (ColumnBlock block;;) {
      const auto more = opened->source->next(block);
      ASSERT_TRUE(more) << more.error().message();
      if (!*more) break;
      num_rows += block.num_rows;
      for (std::int64_t k = 0; k < block.num_rows; ++k)
        num_zero +=
            block.columns[1][k] == 0 && block.columns[2][k] == 0 && block.columns[4][k] == 0;
    }
    EXPECT_EQ(num_rows, drops ? 1000 : std::ssize(rows));
    EXPECT_EQ(num_zero, drops ? 0 : std::ssize(rows) - 1000);
  }
}

}  // namespace
}  // namespace heft
