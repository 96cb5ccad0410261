// Every kind of source of the same table: the same numbers, and the same samples to the last bit;
// every kind of fault: an error that names source and place.
#include "heft/log/source.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>

#include "heft/log/arrays.hpp"
#include "readers/unpacked_log.hpp"
#include "tests/conditioning/log_test_support.hpp"
#include "tests/readers/npy_log.hpp"

#ifdef HEFT_HAS_HDF5
#include "tests/readers/hdf5_log.hpp"
#endif

namespace heft {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// A table under construction, and what it is as a log of every kind.
struct Table {
  std::vector<std::string> names;
  Eigen::ArrayXXd numbers;  // rows x columns
};

class SourceTest : public LogTest {
 protected:
  /// Two joints with all that a log can have: noise, a pause, repeated stamps, a torque and a
  /// position that are missing.
  static Table eventful_table() {
    constexpr Eigen::Index kRows = 3000;
    Table table{{"tau1", "t", "q1", "unused", "q2", "qd1", "qd2", "current", "tau2"}, {}};
    table.numbers.resize(kRows, static_cast<Eigen::Index>(table.names.size()));
    Eigen::ArrayXd k = Eigen::ArrayXd::LinSpaced(kRows, 0, kRows - 1);
    Eigen::ArrayXd time = 0.004 * k + 1e-5 * (17 * k).sin();
    time.tail(1200) += 0.7;
    time[700] = time[699];
    table.numbers << (0.013 * k).cos(), time, (0.02 * k).sin() + 0.01 * (7 * k).cos(), k / 3,
        (0.03 * k).cos(), (0.02 * k).cos(), -(0.03 * k).sin(), 0.3 * (0.1 * k).sin(),
        5 * (0.011 * k).sin();
    table.numbers(500, 0) = kNaN;
    table.numbers(2500, 2) = kNaN;
    return table;
  }

  Log csv(const Table& table) const {
    std::string text = fmt::format("{}\n", fmt::join(table.names, ","));
    for (Eigen::Index i = 0; i < table.numbers.rows(); ++i)
      for (Eigen::Index k = 0; k < table.numbers.cols(); ++k)
        text += fmt::format("{:.17g}{}", table.numbers(i, k),
                            k + 1 < table.numbers.cols() ? "," : "\n");
    return write(text, "log.csv");
  }

  Log npy(const Table& table) const {
    std::string fields;
    for (const std::string& name : table.names) fields += fmt::format("('{}', '<f8'), ", name);
    std::string bytes =
        npy_header(fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
                               fields, table.numbers.rows()));
    for (Eigen::Index i = 0; i < table.numbers.rows(); ++i)
      for (Eigen::Index k = 0; k < table.numbers.cols(); ++k)
        append_number(bytes, table.numbers(i, k));
    return write(bytes, "log.npy");
  }

  /// A plain array in Fortran order, named by the format.
  Log plain_npy(const Table& table) const {
    std::string bytes =
        npy_header(fmt::format("{{'descr': '<f8', 'fortran_order': True, 'shape': ({}, {}), }}",
                               table.numbers.rows(), table.numbers.cols()));
    for (const double number : table.numbers.reshaped()) append_number(bytes, number);
    const std::string path = write(bytes, "plain.npy");
    return {path, [path, names = table.names](const LogFormat& format) {
              LogFormat named = format;
              named.columns = names;
              return open_file(path, named);
            }};
  }

#ifdef HEFT_HAS_HDF5
  Log hdf5(const Table& table) const {
    const std::string path = (folder_ / "log.h5").string();
    Hdf5Writer writer(path);
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      const Eigen::ArrayXd column = table.numbers.col(static_cast<Eigen::Index>(k));
      writer.dataset(table.names[k].c_str(), {static_cast<hsize_t>(column.size())},
                     std::vector<double>(column.begin(), column.end()), H5T_IEEE_F64LE,
                     k % 2 ? 0 : 777);
    }
    return path;
  }
#endif

  /// Where the numbers lie in `table` or, if there is one, in `by_rows`.
  static Log arrays(const Table& table,
                    Eigen::Array<double, -1, -1, Eigen::RowMajor>* by_rows = nullptr) {
    const Eigen::Index num_rows = table.numbers.rows();
    if (by_rows) *by_rows = table.numbers;
    const auto column = [&](Eigen::Index k) {
      return by_rows ? ArrayView(by_rows->data() + k, num_rows, 1, by_rows->cols(), 0)
                     : ArrayView(table.numbers.data() + k * num_rows, num_rows, 1, 1, 0);
    };
    ArrayGroup group;
    for (std::size_t k = 0; k < table.names.size(); ++k) {
      if (table.names[k] == "t")
        group.time = column(static_cast<Eigen::Index>(k));
      else
        group.columns.push_back({{table.names[k]}, column(static_cast<Eigen::Index>(k))});
    }
    return array_log("memory", {group});
  }

  static ConditioningRun two_joints() {
    ConditioningRun run{arm_of({"joint_1", "joint_2"})};
    run.derived.known_torque[1] = "2 * current + q1";
    run.derived.signals = {"current * qd2"};
    run.options.window = 400;
    return run;
  }
};

TEST_F(SourceTest, TheSameTableGivesTheSameSamplesFromEverySource) {
  const Table table = eventful_table();
  for (const VelocitySource velocity : {VelocitySource::from_position, VelocitySource::logged}) {
    ConditioningRun run = two_joints();
    run.options.velocity = velocity;
    const Conditioned expected = run(csv(table));
    ASSERT_TRUE(expected.ok()) << expected.error();
    ASSERT_EQ(expected.summary->num_segments, 3);  // a pause, and a position that is missing
    ASSERT_EQ(expected.dropped("repeated time stamp"), 2);
    ASSERT_GT(expected.dropped("not a number"), 2);
    expect_same_samples(run(npy(table)), expected);
    expect_same_samples(run(plain_npy(table)), expected);
    expect_same_samples(run(arrays(table)), expected);
    Eigen::Array<double, -1, -1, Eigen::RowMajor> by_rows;
    expect_same_samples(run(arrays(table, &by_rows)), expected);
#ifdef HEFT_HAS_HDF5
    expect_same_samples(run(hdf5(table)), expected);
#endif
  }
}

TEST_F(SourceTest, EverySourceHandsOutTheSelectedColumnsAndThenEndsForGood) {
  const Table table = eventful_table();
  std::vector<Log> logs = {csv(table), npy(table), plain_npy(table), arrays(table)};
#ifdef HEFT_HAS_HDF5
  logs.push_back(hdf5(table));
#endif
  for (const Log& log : logs)
    for (int pass = 0; pass < 2; ++pass) {  // a log is opened as often as it is read
      auto source = log.open({});
      ASSERT_TRUE(source.ok()) << log.name();
      EXPECT_EQ((*source)->name(), log.name());
      ASSERT_EQ((*source)->groups().size(), 1u);
      const ColumnGroup& group = (*source)->groups().front();
      std::vector<int> selected;
      std::vector<Eigen::Index> wanted;  // the same in the table
      for (std::size_t k = 0; k < group.columns.size(); ++k) {
        if (group.columns[k] == "unused") continue;
        selected.push_back(static_cast<int>(k));
        wanted.push_back(std::find(table.names.begin(), table.names.end(), group.columns[k]) -
                         table.names.begin());
      }
      ASSERT_EQ(selected.size(), table.names.size() - 1) << log.name();
      EXPECT_EQ(group.columns[static_cast<std::size_t>(group.clock)], "t");
      ASSERT_TRUE((*source)->select({selected}).ok());
      Eigen::Index num_rows = 0;
      ColumnBlock block;
      for (;;) {
        const auto found = (*source)->next(block);
        ASSERT_TRUE(found.ok());
        if (!*found) break;
        ASSERT_GT(block.num_rows, 0);
        ASSERT_EQ(block.columns.size(), wanted.size());
        ASSERT_EQ(block.lines.size(), static_cast<std::size_t>(block.num_rows));
        for (std::int64_t row = 0; row < block.num_rows; ++row, ++num_rows)
          for (std::size_t k = 0; k < wanted.size(); ++k) {
            const double number = block.columns[k][row],
                         expected = table.numbers(num_rows, wanted[k]);
            ASSERT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected)))
                << log.name();
          }
      }
      EXPECT_EQ(num_rows, table.numbers.rows());
      EXPECT_EQ((*source)->fraction_read(), 1);
      const auto again = (*source)->next(block);
      EXPECT_TRUE(again.ok() && !*again);
      EXPECT_EQ((*source)->sha256()->size(), 64u);
    }
}

TEST_F(SourceTest, FaultsNameTheSourceAndThePlace) {
  Table table = eventful_table();
  table.numbers(1000, 1) = table.numbers(998, 1);
  const auto places_of = [&](const Table& faulty) {
    std::vector<std::string> errors;
    std::vector<Log> logs = {csv(faulty), npy(faulty), arrays(faulty)};
#ifdef HEFT_HAS_HDF5
    logs.push_back(hdf5(faulty));
#endif
    for (const Log& log : logs) {
      const Conditioned conditioned = two_joints()(log);
      EXPECT_FALSE(conditioned.ok()) << log.name();
      if (conditioned.ok()) continue;
      const Error error = conditioned.summary.error();
      EXPECT_THAT(error.where, StartsWith(log.name()));
      EXPECT_FALSE(error.remedy.empty());
      errors.push_back(error.where.substr(log.name().size()) + " " + error.what);
    }
    return errors;
  };
  for (const std::string& error : places_of(table)) {
    EXPECT_THAT(error, HasSubstr("time goes backwards"));
    EXPECT_TRUE(error.starts_with(":1002 ") || error.starts_with("[1000] ")) << error;
  }
  table = eventful_table();
  table.numbers(1000, 1) = kNaN;
  for (const std::string& error : places_of(table)) {
    EXPECT_THAT(error, HasSubstr("time is missing"));
    EXPECT_TRUE(error.starts_with(":1002 ") || error.starts_with("[1000] ")) << error;
  }
  table = eventful_table();
  table.numbers(1000, 4) = -std::numeric_limits<double>::infinity();
  for (const std::string& error : places_of(table)) {
    EXPECT_THAT(error, HasSubstr("infinite"));
    EXPECT_TRUE(error.starts_with(":1002: q2 ") || error.starts_with("[1000]: q2 ")) << error;
  }
  table = eventful_table();
  table.numbers.col(1).setConstant(3);
  for (const std::string& error : places_of(table))
    EXPECT_THAT(error, EndsWith("has fewer than two rows with different times"));
  table = eventful_table();
  table.names[4] = "q_2";
  for (const std::string& error : places_of(table))
    EXPECT_THAT(error, HasSubstr("no column 'q2' for the position of 'joint_2'"));
}

TEST_F(SourceTest, TheClockHasTheNameThatTheFormatGives) {
  Table table = eventful_table();
  table.names[1] = "stamp";
  ConditioningRun run = two_joints();
  EXPECT_THAT(run(csv(table)).error(), HasSubstr("no column 't' (the time"));
  run.format.time = "stamp";
  const Conditioned renamed = run(csv(table));
  run.format.time = "t";
  expect_same_samples(renamed, run(npy(eventful_table())));
}

/// A long log whose rows are made when they are asked for, and counted.
class LongSource : public Source {
 public:
  using Counter = std::shared_ptr<std::atomic<std::int64_t>>;

  LongSource(std::int64_t num_rows, Counter num_read)
      : num_rows_(num_rows), num_read_(std::move(num_read)) {
    name_ = "long";
    groups_ = {{"", {"t", "q1", "tau1"}, 0}};
  }
  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    EXPECT_EQ(columns, (std::vector<std::vector<int>>{{0, 1, 2}}));
    return Done{};
  }
  Result<bool> next(ColumnBlock& block) override {
    block.num_rows = std::min<std::int64_t>(kRows, num_rows_ - *num_read_);
    block.numbers.clear();
    block.lines.clear();
    for (std::int64_t row = 0; row < block.num_rows; ++row) {
      const double time = 0.001 * static_cast<double>(*num_read_ + row);
      block.numbers.insert(block.numbers.end(), {time, std::sin(time), 1});
      block.lines.push_back(*num_read_ + row);
    }
    *num_read_ += block.num_rows;
    block.columns.clear();
    for (int k = 0; k < 3; ++k) block.columns.push_back({block.numbers.data() + k, 3});
    return block.num_rows > 0;
  }
  std::string where(int, std::int64_t line) const override {
    return "long@" + std::to_string(line);
  }
  using Source::where;
  double fraction_read() const override { return 0.5; }
  Result<std::string> sha256() override { return std::string(64, '0'); }

 private:
  static constexpr std::int64_t kRows = 100;
  std::int64_t num_rows_;
  Counter num_read_;
};

TEST_F(SourceTest, RowsOfALongLogAreNotHeldBack) {
  constexpr std::int64_t kRows = 400'000,
                         kHeld = 30'000;  // read ahead, looked ahead, in which the clock is judged
  ConditioningRun run{arm_of({"joint"})};
  run.options.window = 1000;
  const auto num_read = std::make_shared<std::atomic<std::int64_t>>(0);
  const Log log("long", [&](const LogFormat&) -> Result<SourcePtr> {
    return SourcePtr(std::make_unique<LongSource>(kRows, num_read));
  });
  std::int64_t num_samples = 0, most_held = 0;
  const auto sink = [&](int, const Samples& block) -> Result<Done> {
    num_samples += block.size();
    most_held = std::max(most_held, *num_read - num_samples);
    return Done{};
  };
  const auto summary = condition_log(log, run.reading(), sink);
  ASSERT_TRUE(summary.ok()) << summary.error().message();
  EXPECT_EQ(summary->num_rows, kRows);
  EXPECT_GT(num_samples, kRows - 1000);
  EXPECT_LT(most_held, kHeld);
}

// Rows are those of the file, all words are those of what it was unpacked from.
TEST_F(SourceTest, UnpackedLogHasTheNameOfItsOrigin) {
  const std::string path = write("t,q1\n0,1\n0.1,x\n");
  const Log log = unpacked_log(path, "log.parquet", std::string(64, 'a'));
  EXPECT_EQ(log.name(), "log.parquet");
  auto source = log.open({});
  ASSERT_TRUE(source.ok());
  EXPECT_EQ((*source)->name(), "log.parquet");
  EXPECT_EQ((*source)->where(0, 2), "log.parquet:2");
  EXPECT_EQ(*(*source)->sha256(), std::string(64, 'a'));
  ASSERT_TRUE((*source)->select({{0, 1}}).ok());
  ColumnBlock block;
  auto found = (*source)->next(block);
  while (found.ok() && *found) found = (*source)->next(block);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().where, "log.parquet:3: q1");
  const auto missing = unpacked_log(path + "x", "gone.parquet", "").open({});
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().where, "gone.parquet");
}

// What the Python module converts is named with the command.
TEST_F(SourceTest, OtherFormatsNameTheCommandThatConvertsThem) {
  const auto remedy_of = [](const std::string& path) { return Log(path).open({}).error().remedy; };
  for (const auto& [name, begin, out] :
       {std::array<std::string, 3>{"log.parquet", "PAR1\x15", "log.npy"},
        {"log.feather", "ARROW1", "log.npy"},
        {"log.bag", "#ROSBAG V2.0", "log.mcap"},
        {"log.npz", "PK\x03\x04", "log.npy"},
        {"log.mat", "MATLAB 5.0 MAT-file", "log.npy"}}) {
    const std::string path = write(begin + std::string(100, ' '), name);
    EXPECT_THAT(remedy_of(path), HasSubstr("python3 -m heft_robot convert-log " + path + " " +
                                           (folder_ / out).string()));
  }
  for (const char* begin : {"\x80\x04\x95", "\x80\x05\x95"})
    EXPECT_THAT(remedy_of(write(begin + std::string(100, ' '), "log.pkl")),
                HasSubstr("numpy.save"));
  EXPECT_THAT(remedy_of(write("t,q1\r0,1\r1,2\r", "mac.csv")), HasSubstr("tr '\\r' '\\n'"));
  EXPECT_TRUE(Log(write("t,q1\r\r\n0,1\r\r\n1,2\r\r\n", "windows.csv")).open({}).ok());
  std::filesystem::create_directories(folder_ / "set" / "meta");
  write("{}", "set/meta/info.json");
  EXPECT_THAT(remedy_of((folder_ / "set/").string()), HasSubstr((folder_ / "set.npy").string()));
}

}  // namespace
}  // namespace heft
