// Reading ahead hands out what the reader has, in its order, errors where they are; and ends when it is no longer wanted.
#include "host/log/row_stream.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace heft {
namespace {

/// Rows (k, -k), and after `num_rows` of them the end, or an error.
class CountingReader : public TableReader {
 public:
  CountingReader(std::int64_t num_rows, bool fails) : num_rows_(num_rows), fails_(fails) {}
  Result<Done> select(const std::vector<int>&) override { return Done{}; }
  Result<bool> next_row(double* values) override {
    if (line_ == num_rows_ && fails_) return Error{where(line_), "is broken", "mend it"};
    if (line_ == num_rows_) return false;
    values[0] = static_cast<double>(line_);
    values[1] = -values[0];
    ++line_;
    return true;
  }
  std::string where(std::int64_t line) const override { return "row " + std::to_string(line); }
  double fraction_read() const override {
    return num_rows_ > 0 ? static_cast<double>(line_) / static_cast<double>(num_rows_) : 1;
  }
  double disk_seconds() const override { return 0; }
  Result<std::string> sha256() override { return std::string(); }

 private:
  std::int64_t num_rows_;
  bool fails_;
};

TEST(RowStreamTest, HandsOutAllRowsInOrder) {
  for (const std::int64_t num_rows : {0, 1, 255, 256, 257, 10'000}) {
    CountingReader reader(num_rows, false);
    RowStream stream(reader, 2);
    for (std::int64_t k = 0; k < num_rows; ++k) {
      const auto row = stream.next();
      ASSERT_TRUE(row.ok() && *row);
      ASSERT_EQ((*row)[0], static_cast<double>(k));
      ASSERT_EQ((*row)[1], -static_cast<double>(k));
      ASSERT_EQ(stream.where(), "row " + std::to_string(k + 1));
    }
    for (int again = 0; again < 2; ++again) {
      const auto row = stream.next();
      ASSERT_TRUE(row.ok());
      EXPECT_EQ(*row, nullptr);
    }
    EXPECT_EQ(stream.fraction_read(), 1);
  }
}

TEST(RowStreamTest, AnErrorComesAfterTheRowsBeforeIt) {
  for (const std::int64_t num_rows : {0, 3, 256, 5000}) {
    CountingReader reader(num_rows, true);
    RowStream stream(reader, 2);
    for (std::int64_t k = 0; k < num_rows; ++k) {
      const auto row = stream.next();
      ASSERT_TRUE(row.ok() && *row);
    }
    const auto row = stream.next();
    ASSERT_FALSE(row.ok());
    EXPECT_EQ(row.error().where, "row " + std::to_string(num_rows));
  }
}

TEST(RowStreamTest, EndsBeforeTheTableDoesIfNobodyWantsMore) {
  CountingReader reader(std::numeric_limits<std::int64_t>::max(), false);
  RowStream stream(reader, 2);
  ASSERT_TRUE(stream.next().ok());
}

}  // namespace
}  // namespace heft
