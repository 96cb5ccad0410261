// One log in several files, compared with signals that are known at all times.
#include "heft/log/several_files.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "readers/log_table.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SeveralFiles : public LogTest {
 protected:
  /// Rows of all columns of a log on one clock, or the error that ends them.
  static std::string read(const Log& log, std::vector<std::vector<double>>& rows,
                          std::string* digest = nullptr) {
    const LogFormat format;
    auto opened = open_table(log, format, 0);
    if (!opened) return opened.error().message();
    std::vector<int> all;
    for (std::size_t k = 0; k < opened->columns().columns.size(); ++k)
      all.push_back(static_cast<int>(k));
    if (const auto selected = opened->source->select({all}); !selected)
      return selected.error().message();
    for (ColumnBlock block;;) {
      const auto found = opened->source->next(block);
      if (!found) return found.error().message();
      if (!*found) break;
      for (std::int64_t row = 0; row < block.num_rows; ++row) {
        rows.emplace_back();
        for (const ColumnBlock::Column& column : block.columns) rows.back().push_back(column[row]);
      }
    }
    if (digest) *digest = *opened->source->sha256();
    return "";
  }

  /// t and one straight line a column, 2 t + 1 and 5 - 3 t, which joining keeps as they are between
  /// any stamps.
  std::string fast() const {
    return write(
        table("t,a", 4000, {[](int k) { return 1e-3 * k; }, [](int k) { return 2e-3 * k + 1; }}),
        "fast.csv");
  }
  std::string slow(double begin = 0.0073) const {
    const auto time = [begin](int k) { return begin + k / 73.0; };
    return write(table("t,b", 220, {time, [time](int k) { return 5 - 3 * time(k); }}), "slow.csv");
  }
};

TEST_F(SeveralFiles, AreOneTableOnTheClockOfTheFirst) {
  std::vector<std::vector<double>> rows;
  std::string digest;
  ASSERT_EQ(read(log_of_files(fast() + "+" + slow()), rows, &digest), "");
  ASSERT_EQ(rows.size(), 4000u);
  int met = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double t = 1e-3 * static_cast<double>(k);
    ASSERT_EQ(rows[k].size(), 3u);
    EXPECT_DOUBLE_EQ(rows[k][0], t);
    EXPECT_NEAR(rows[k][1], 2 * t + 1, 1e-12);
    const bool is_covered = t >= 0.0073 && t <= 0.0073 + 219 / 73.0;
    ASSERT_EQ(std::isnan(rows[k][2]), !is_covered) << t;
    if (is_covered) {
      EXPECT_NEAR(rows[k][2], 5 - 3 * t, 1e-9);
    }
    met += is_covered;
  }
  EXPECT_EQ(met, 3000);
  // the digest is of both
  std::string other;
  write("t,b\n0,5\n3,-4\n", "slow.csv");
  ASSERT_EQ(read(log_of_files(fast() + "+" + (folder_ / "slow.csv").string()), rows, &other), "");
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_NE(digest, other);
}

TEST_F(SeveralFiles, StampsThatAreTextsHaveOneZero) {
  // the second begins two seconds and a half before the first
  const std::string one =
      write("t,a\n2026-03-01T08:15:02.5Z,1\n2026-03-01T08:15:03.5Z,2\n", "one.csv");
  const std::string two =
      write("t,b\n2026-03-01T08:15:00Z,0\n2026-03-01T08:15:10Z,100\n", "two.csv");
  std::vector<std::vector<double>> rows;
  ASSERT_EQ(read(log_of_files(one + "+" + two), rows), "");
  EXPECT_THAT(rows, ElementsAre(ElementsAre(0.5, 1, 25), ElementsAre(1.5, 2, 35)));
}

TEST_F(SeveralFiles, RefusesThoseThatShareNoTime) {
  std::vector<std::vector<double>> rows;
  for (const bool leads : {true, false}) {
    const std::string one = fast(), late = slow(1.7e9);
    const std::string error = read(log_of_files(leads ? one + "+" + late : late + "+" + one), rows);
    EXPECT_THAT(error, HasSubstr("fast.csv: ends at 3.999, before")) << error;
    EXPECT_THAT(error, HasSubstr("one clock"));
  }
  EXPECT_THAT(read(log_of_files(fast() + "+" + fast()), rows), HasSubstr("both have a column 'a'"));
  EXPECT_THAT(read(log_of_files(fast() + "+" + write("b\n1\n", "bare.csv")), rows),
              HasSubstr("no clock"));
  EXPECT_THAT(read(log_of_files(fast() + "+"), rows), HasSubstr("empty file name"));
  EXPECT_THAT(read(log_of_files(fast() + "+nowhere.csv"), rows), HasSubstr("nowhere.csv"));
}

TEST_F(SeveralFiles, APathWithThatSignIsAFile) {
  const std::string path = write("t,a\n0,1\n1,2\n", "tool+object.csv");
  EXPECT_THAT(files_of_log(path), ElementsAre(path));
  EXPECT_THAT(files_of_log("a.csv+b.csv"), ElementsAre("a.csv", "b.csv"));
  std::vector<std::vector<double>> rows;
  ASSERT_EQ(read(log_of_files(path), rows), "");
  EXPECT_EQ(rows.size(), 2u);
}

}  // namespace
}  // namespace heft
