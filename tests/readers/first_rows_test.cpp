// The beginning of a log is the same in every pass, whether its rows are read or were kept.
#include <vector>

#include "readers/first_rows.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

class FirstRowsOfALog : public LogTest {
 protected:
  /// All numbers of the columns, row by row.
  static std::vector<double> numbers_of(const Log& log, const std::vector<int>& columns) {
    std::vector<double> numbers;
    auto source = log.open(LogFormat());
    EXPECT_TRUE(source.ok());
    if (!source) return numbers;
    EXPECT_TRUE((*source)->select({columns}).ok());
    for (ColumnBlock block;;) {
      const auto found = (*source)->next(block);
      EXPECT_TRUE(found.ok());
      if (!found || !*found) break;
      EXPECT_EQ(block.columns.size(), columns.size());
      EXPECT_EQ(std::ssize(block.lines), block.num_rows);
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        for (const ColumnBlock::Column& column : block.columns) numbers.push_back(column[row]);
    }
    return numbers;
  }
};

TEST_F(FirstRowsOfALog, AreTheSameInEveryPass) {
  const Log whole =
      write(table("t,a,b", 5000,
                  {[](int row) { return 0.01 * row; }, [](int row) { return 1.0 * row; },
                   [](int row) { return -2.0 * row; }}));
  const Log first = first_rows(whole, 1234);
  const std::vector<double> all = numbers_of(whole, {0, 2});
  ASSERT_EQ(all.size(), 10000u);
  const std::vector<double> expected(all.begin(), all.begin() + 2 * 1234);
  EXPECT_EQ(numbers_of(first, {0, 2}), expected);
  EXPECT_EQ(numbers_of(first, {0, 2}), expected);
  EXPECT_EQ(numbers_of(first, {1}).size(), 1234u);  // other columns are read
  EXPECT_EQ(numbers_of(first, {0, 2}), expected);
}

TEST_F(FirstRowsOfALog, AreAllOfAShorterOne) {
  const Log whole = write(
      table("t,a", 10, {[](int row) { return 0.01 * row; }, [](int row) { return 3.0 * row; }}));
  EXPECT_EQ(numbers_of(first_rows(whole, 1000), {0, 1}), numbers_of(whole, {0, 1}));
}

}  // namespace
}  // namespace heft
