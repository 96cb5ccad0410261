// Tables that a reader must understand, with every size of read; bad_logs_test.cpp has those that
// it must reject.
#include "host/data/readers/csv_reader.hpp"

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

class CsvReaderTest : public LogTest {
 protected:
  // All rows of the selected columns, read in pieces of 1, 2, 3, 7 .. bytes: always the same.
  std::vector<std::vector<double>> rows_of(const std::string& text, const std::vector<int>& columns,
                                           const std::string& delimiter = "auto") {
    const std::string path = write(text);
    std::vector<std::vector<double>> first;
    for (const std::size_t read_size : {std::size_t{1} << 18, std::size_t{1}, std::size_t{2},
                                        std::size_t{3}, std::size_t{7}, std::size_t{64}}) {
      auto reader = CsvReader::open(path, delimiter, read_size);
      EXPECT_TRUE(reader.ok()) << reader.error().message();
      header_ = reader->header();
      EXPECT_TRUE(reader->select_columns(columns).ok());
      std::vector<std::vector<double>> rows;
      for (std::vector<double> row(columns.size(), kNaN);;) {
        const auto found = reader->next_row(row.data());
        EXPECT_TRUE(found.ok()) << found.error().message();
        if (!found.ok() || !*found) break;
        rows.push_back(row);
      }
      EXPECT_EQ(reader->fraction_read(), 1);
      if (read_size > 1000) {
        first = rows;
      } else {
        EXPECT_EQ(fmt::format("{}", fmt::join(rows, " ")), fmt::format("{}", fmt::join(first, " ")))
            << "read size " << read_size;
      }
    }
    return first;
  }

  std::vector<std::string> header_;
};

using Rows = std::vector<std::vector<double>>;

TEST_F(CsvReaderTest, ReadsPlainNumbers) {
  EXPECT_EQ(rows_of("t,q1\n0,1.5\n0.1,-2e-3\n", {0, 1}), (Rows{{0, 1.5}, {0.1, -2e-3}}));
  EXPECT_EQ(header_, (std::vector<std::string>{"t", "q1"}));
}

TEST_F(CsvReaderTest, ReadsTheNearestDouble) {
  const Rows rows =
      rows_of("a,b\n0.1000000000000000055511151231257827,123456789012345678901234567890\n", {0, 1});
  EXPECT_EQ(rows, (Rows{{0.1, 123456789012345678901234567890.0}}));
}

TEST_F(CsvReaderTest, UnderstandsCrlfMarkQuotesBlankLinesAndAMissingLastLineEnd) {
  const Rows rows = rows_of(
      "\xEF\xBB\xBF\"t\", \"motor, left\" ,c\r\n\r\n0,1,2\r\n 1 ,\"+2\", 3 \r\n   \r\n2,3,4",
      {0, 1, 2});
  EXPECT_EQ(header_, (std::vector<std::string>{"t", "motor, left", "c"}));
  EXPECT_EQ(rows, (Rows{{0, 1, 2}, {1, 2, 3}, {2, 3, 4}}));
}

TEST_F(CsvReaderTest, ReadsQuotesWrittenTwice) {
  const Rows rows =
      rows_of("t,\"the \"\"left\"\", motor\",\"\",\"\"\"\"\n0,1,2,3\n1,2,3,4\n", {0, 1, 3});
  EXPECT_EQ(header_, (std::vector<std::string>{"t", "the \"left\", motor", "", "\""}));
  EXPECT_EQ(rows, (Rows{{0, 1, 3}, {1, 2, 4}}));
}

TEST_F(CsvReaderTest, SeesTheDelimiter) {
  const Rows expected = {{0, 1.5}, {1, 2.5}};
  EXPECT_EQ(rows_of("t;q\n0;1.5\n1;2.5\n", {0, 1}), expected);
  EXPECT_EQ(rows_of("t\tq\n0\t1.5\n1\t2.5\n", {0, 1}), expected);
  EXPECT_EQ(rows_of("t   q \n 0 1.5\n1 \t 2.5  \r\n", {0, 1}), expected);
  EXPECT_EQ(rows_of("t|q\n0|1.5\n1|2.5\n", {0, 1}, "|"), expected);
}

TEST_F(CsvReaderTest, UnderstandsDecimalCommasWhereTheyCannotDelimit) {
  EXPECT_EQ(rows_of("t;q\n0,25;-1,5e2\n1;2.5\n", {0, 1}), (Rows{{0.25, -150}, {1, 2.5}}));
}

TEST_F(CsvReaderTest, EmptyFieldsAndNanAreNan) {
  const Rows rows = rows_of("t,a,b,c\n0,,nan,\n1,NaN, ,2\n", {1, 2, 3});
  ASSERT_EQ(rows.size(), 2u);
  for (int k = 0; k < 5; ++k) EXPECT_TRUE(std::isnan(rows[k / 3][k % 3])) << k;
  EXPECT_EQ(rows[1][2], 2);
}

TEST_F(CsvReaderTest, ColumnsThatAreNotSelectedMayHoldAnything) {
  EXPECT_EQ(rows_of("t,state,q\n0,run,1\n1,\"stop, now\",2\n2,,3\n", {0, 2}),
            (Rows{{0, 1}, {1, 2}, {2, 3}}));
}

TEST_F(CsvReaderTest, CountsLinesAndHashesTheBytesAsTheyAre) {
  const std::string path = write("abc");  // a header without a line end: SHA-256 of "abc" is
                                          // published
  auto reader = CsvReader::open(path, "auto", 2);
  ASSERT_TRUE(reader.ok());
  double none = kNaN;
  const auto found = reader->next_row(&none);
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(*found);
  EXPECT_EQ(reader->where(), path + ":1");
  EXPECT_EQ(*reader->sha256(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace heft
