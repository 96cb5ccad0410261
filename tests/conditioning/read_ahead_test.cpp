// Reading ahead delivers the rows of the source in their order, with errors at their places, and
// ends when it is no longer needed.
#include "host/data/conditioning/read_ahead.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "host/data/readers/table_reader.hpp"

namespace heft {
namespace {

/// Rows (k, -k), and after `num_rows` of them the end, or an error.
class CountingReader : public TableReader {
 public:
  CountingReader(std::int64_t num_rows, bool fails)
      : TableReader("counting"), num_rows_(num_rows), fails_(fails) {
    header_names() = {"k", "minus_k"};
    EXPECT_TRUE(select(std::vector<std::vector<int>>{{0, 1}}).ok());
  }
  Result<Done> select_columns(const std::vector<int>&) override { return Done{}; }
  Result<bool> next_row(double* values) override {
    if (line_ == num_rows_ && fails_) return Error{place_of(line_), "is broken", "fix it"};
    if (line_ == num_rows_) return false;
    values[0] = static_cast<double>(line_);
    values[1] = -values[0];
    ++line_;
    return true;
  }
  std::string place_of(std::int64_t line) const override { return "row " + std::to_string(line); }
  double fraction_read() const override {
    return num_rows_ > 0 ? static_cast<double>(line_) / static_cast<double>(num_rows_) : 1;
  }
  Result<std::string> sha256() override { return std::string(); }

 private:
  std::int64_t num_rows_;
  bool fails_;
};

/// Takes all blocks; true if their rows are the first `num_rows` of a CountingReader, and what came
/// behind them.
struct Taken {
  std::int64_t num_rows = 0;
  bool in_order = true;
  std::optional<Error> error;
};
Taken take_all(ReadAhead& reading) {
  Taken taken;
  for (;;) {
    const auto block = reading.next();
    if (!block) taken.error = block.error();
    if (!block || !*block) return taken;
    for (std::int64_t row = 0; row < (*block)->num_rows; ++row, ++taken.num_rows)
      taken.in_order = taken.in_order &&
                       (*block)->columns[0][row] == static_cast<double>(taken.num_rows) &&
                       (*block)->columns[1][row] == -static_cast<double>(taken.num_rows) &&
                       (*block)->lines[static_cast<std::size_t>(row)] == taken.num_rows + 1;
  }
}

TEST(ReadAheadTest, HandsOutAllRowsInOrder) {
  for (const std::int64_t num_rows : {0, 1, 255, 256, 257, 100'000}) {
    CountingReader reader(num_rows, false);
    ReadAhead reading(reader);
    for (int again = 0; again < 2; ++again) {
      const Taken taken = take_all(reading);
      EXPECT_EQ(taken.num_rows, again ? 0 : num_rows);
      EXPECT_TRUE(taken.in_order || again);
      EXPECT_FALSE(taken.error);
    }
    EXPECT_EQ(reading.fraction_read(), 1);
  }
}

TEST(ReadAheadTest, AnErrorComesAfterTheRowsBeforeIt) {
  for (const std::int64_t num_rows : {0, 3, 256, 5000}) {
    CountingReader reader(num_rows, true);
    ReadAhead reading(reader);
    const Taken taken = take_all(reading);
    EXPECT_EQ(taken.num_rows, num_rows);
    EXPECT_TRUE(taken.in_order);
    ASSERT_TRUE(taken.error);
    EXPECT_EQ(taken.error->where, "row " + std::to_string(num_rows));
    EXPECT_FALSE(reading.next().ok());
  }
}

/// Some thousand rows need no thread: nothing is read before it is requested.
TEST(ReadAheadTest, ShortLogsAreReadInTurn) {
  constexpr std::int64_t kRows = 2000;
  CountingReader reader(kRows, false);
  ReadAhead reading(reader);
  for (std::int64_t num_rows = 0; num_rows < kRows;) {
    const auto block = reading.next();
    ASSERT_TRUE(block && *block);
    num_rows += (*block)->num_rows;
    EXPECT_EQ(reader.fraction_read(), static_cast<double>(num_rows) / kRows);
  }
}

TEST(ReadAheadTest, StopsBeforeTheEndOfTheSourceWithoutAConsumer) {
  for (const int num_blocks : {1, 40}) {  // before there is a thread, and while it reads
    CountingReader reader(std::numeric_limits<std::int64_t>::max(), false);
    ReadAhead reading(reader);
    for (int k = 0; k < num_blocks; ++k) ASSERT_TRUE(reading.next().ok());
  }
}

}  // namespace
}  // namespace heft
