// Rows in memory stand for a log that is read again: the same blocks, columns and places, without
// opening it; what does not fit is read from the log.
#include "readers/kept_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace heft {
namespace {

/// Blocks of 100 rows of three columns; counts what is opened and read.
class CountingSource : public Source {
 public:
  CountingSource(int num_rows, int fails_at, int& num_blocks)
      : num_rows_(num_rows), fails_at_(fails_at), num_blocks_(num_blocks) {
    name_ = "counted";
    groups_ = {{"", {"t", "x", "y"}, 0}};
  }
  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    columns_ = columns.front();
    return Done{};
  }
  Result<bool> next(ColumnBlock& block) override {
    if (row_ == fails_at_) return Error{where(0, row_), "is damaged", "fix it"};
    if (row_ == num_rows_) return false;
    ++num_blocks_;
    block.num_rows = std::min(100, num_rows_ - row_);
    block.numbers.clear(), block.lines.clear(), block.columns.clear();
    for (int k = 0; k < block.num_rows; ++k) {
      for (const int column : columns_) block.numbers.push_back(1000.0 * column + row_ + k);
      block.lines.push_back(2 + row_ + k);
    }
    const auto width = std::ssize(columns_);
    for (std::int64_t c = 0; c < width; ++c)
      block.columns.push_back({block.numbers.data() + c, width});
    row_ += static_cast<int>(block.num_rows);
    return true;
  }
  std::string where(int, std::int64_t line) const override {
    return "counted:" + std::to_string(line);
  }
  double fraction_read() const override { return static_cast<double>(row_) / num_rows_; }
  std::int64_t origin() const override { return row_ > 0 ? 17 : 0; }
  Result<std::string> sha256() override { return "digest of " + std::to_string(row_); }

 private:
  int num_rows_, fails_at_;
  int& num_blocks_;
  std::vector<int> columns_;
  int row_ = 0;
};

class KeptRows : public ::testing::Test {
 protected:
  Log log(int num_rows, int fails_at = -1) {
    return {"counted", [=, this](const LogFormat&) -> Result<SourcePtr> {
              ++num_opened_;
              return SourcePtr(new CountingSource(num_rows, fails_at, num_blocks_));
            }};
  }

  struct Read {
    std::vector<double> numbers;
    std::vector<std::int64_t> lines, block_rows;
    std::string end, place;
    std::int64_t origin = 0;
  };
  static Read read(const Log& log, const std::vector<int>& columns = {0, 2},
                   const LogFormat& format = {}, int most_blocks = 1000) {
    Read read;
    const auto source = log.open(format);
    EXPECT_TRUE((*source)->select({columns}));
    for (ColumnBlock block; most_blocks-- > 0;) {
      const auto found = (*source)->next(block);
      if (!found) read.end = found.error().message();
      if (found && !*found) read.end = *(*source)->sha256();
      if (!found || !*found) break;
      read.block_rows.push_back(block.num_rows);
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        for (const ColumnBlock::Column& column : block.columns) read.numbers.push_back(column[row]);
      read.lines.insert(read.lines.end(), block.lines.begin(), block.lines.end());
    }
    read.place = (*source)->where(0, 42);
    read.origin = (*source)->origin();
    return read;
  }
  static void expect_equal(const Read& a, const Read& b) {
    EXPECT_EQ(a.numbers, b.numbers);
    EXPECT_EQ(a.lines, b.lines);
    EXPECT_EQ(a.block_rows, b.block_rows);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.place, b.place);
    EXPECT_EQ(a.origin, b.origin);
  }

  static std::shared_ptr<RowMemory> memory(double bytes = 1e9) {
    return std::make_shared<RowMemory>(bytes);
  }

  int num_opened_ = 0, num_blocks_ = 0;
};

TEST_F(KeptRows, AreReadOnce) {
  const Read expected = read(log(1050));
  ASSERT_EQ(expected.numbers.size(), 2100u);
  const Log kept = with_kept_rows(log(1050), memory());
  num_opened_ = num_blocks_ = 0;
  for (int times = 0; times < 3; ++times) {
    expect_equal(read(kept), expected);
    EXPECT_EQ(num_opened_, 1);
    EXPECT_EQ(num_blocks_, 11);
  }
  const auto half = kept.open({});
  EXPECT_EQ((*half)->groups().front().columns.size(), 3u);
  EXPECT_EQ((*half)->name(), "counted");
  EXPECT_EQ(num_opened_, 1);
}

TEST_F(KeptRows, OfOtherColumnsOrFormatsAreReadFromTheLog) {
  const Log kept = with_kept_rows(log(300), memory());
  read(kept);
  expect_equal(read(kept, {1}), read(log(300), {1}));
  num_opened_ = 0;
  LogFormat other;
  other.drop_damaged = true;
  expect_equal(read(kept, {0, 2}, other), read(log(300)));
  EXPECT_EQ(num_opened_, 2);
}

TEST_F(KeptRows, ContinueInTheLogWhereMemoryEnds) {
  const Read expected = read(log(1050));
  const double of_block = 8 * 100 * 3.0, of_source = 5e5;
  const Log kept = with_kept_rows(log(1050), memory(of_source + 4.5 * of_block));
  num_opened_ = 0;
  for (int times = 0; times < 3; ++times) expect_equal(read(kept), expected);
  EXPECT_EQ(num_opened_, 3);
  num_opened_ = 0;
  EXPECT_EQ(read(kept, {0, 2}, {}, 4).block_rows.size(), 4u);
  EXPECT_EQ(num_opened_, 0) << "the first four blocks are in memory";
}

TEST_F(KeptRows, ContinueWhereTheFirstPassStopped) {
  const Log kept = with_kept_rows(log(1050), memory());
  read(kept, {0, 2}, {}, 3);
  expect_equal(read(kept), read(log(1050)));
}

TEST_F(KeptRows, AreNotThoseOfALogThatCannotBeRead) {
  const Read expected = read(log(1050, 500));
  const Log kept = with_kept_rows(log(1050, 500), memory());
  for (int times = 0; times < 2; ++times) expect_equal(read(kept), expected);
}

TEST_F(KeptRows, ShareTheMemoryOfAllLogs) {
  const auto shared = std::make_shared<RowMemory>(1e6, 6e5);
  const Log first = with_kept_rows(log(300), shared), second = with_kept_rows(log(300), shared);
  read(first), read(second);
  num_opened_ = 0;
  read(first);
  EXPECT_EQ(num_opened_, 0);
  read(second);
  EXPECT_EQ(num_opened_, 1);
  const Log large = with_kept_rows(log(5000), std::make_shared<RowMemory>(1e9, 6e5));
  read(large), num_opened_ = 0, read(large);
  EXPECT_EQ(num_opened_, 1);
}

}  // namespace
}  // namespace heft
