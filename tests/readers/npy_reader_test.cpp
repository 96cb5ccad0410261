// NumPy arrays as logs: every kind of array that is a table, with every size of read; others are
// rejected.
#include "host/data/readers/npy_reader.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "tests/conditioning/log_test_support.hpp"
#include "tests/readers/npy_log.hpp"

namespace heft {
namespace {

using Rows = std::vector<std::vector<double>>;

class NpyReaderTest : public LogTest {
 protected:
  // All rows of the selected columns, read in pieces of 1, 7, 64 .. bytes: always the same.
  Rows rows_of(const std::string& bytes, const std::vector<int>& columns,
               const std::vector<std::string>& names = {}) {
    const std::string path = write(bytes, "log.npy");
    Rows first;
    for (const std::size_t read_size :
         {std::size_t{1} << 18, std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      auto reader = NpyReader::open(path, names, read_size);
      EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.error().message());
      if (!reader.ok()) return {};
      header_ = reader->header();
      const auto selected = reader->select_columns(columns);
      EXPECT_TRUE(selected.ok());
      Rows rows;
      for (std::vector<double> row(columns.size(), kNaN);;) {
        const auto found = reader->next_row(row.data());
        EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message());
        if (!found.ok() || !*found) break;
        rows.push_back(row);
      }
      EXPECT_EQ(reader->fraction_read(), 1);
      if (read_size > 1000)
        first = rows;
      else
        EXPECT_EQ(fmt::format("{}", rows), fmt::format("{}", first)) << "read size " << read_size;
    }
    return first;
  }

  std::string refusal_of(const std::string& bytes, const std::vector<std::string>& names = {}) {
    const auto reader = NpyReader::open(write(bytes, "log.npy"), names);
    return reader.ok() ? "no error" : reader.error().message();
  }

  std::vector<std::string> header_;
};

TEST_F(NpyReaderTest, FieldsOfAStructuredArrayAreColumns) {
  std::string bytes = npy_header(
      "{'descr': [('t', '<f8'), ('state', '|S3'), ('q', '<f4', (2,)), ('', '|V2'), ('n', '<i2'), ('u', "
      "'|u1')], "
      "'fortran_order': False, 'shape': (3,), }");
  for (int k = 0; k < 3; ++k) {
    append_number(bytes, 0.1 * k);
    bytes += "run";
    append_number(bytes, 1.5f * static_cast<float>(k));
    append_number(bytes, -0.25f);
    bytes += "??";
    append_number(bytes, static_cast<std::int16_t>(-300 * k));
    append_number(bytes, static_cast<std::uint8_t>(200 + k));
  }
  EXPECT_EQ(
      rows_of(bytes, {0, 2, 3, 5, 6}),
      (Rows{{0, 0, -0.25, 0, 200}, {0.1, 1.5, -0.25, -300, 201}, {0.2, 3, -0.25, -600, 202}}));
  EXPECT_EQ(header_, (std::vector<std::string>{"t", "state", "q1", "q2", "", "n", "u"}));
}

TEST_F(NpyReaderTest, APlainArrayHasItsNamesFromTheConfigurationInEitherOrder) {
  const std::vector<std::string> names = {"t", "q1", "tau1"};
  const Rows expected = {{0, 100}, {2, 102}, {4, 104}, {6, 106}, {8, 108}};
  std::string by_rows =
      npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (5, 3), }", 2);
  for (int row = 0; row < 5; ++row)
    for (const double value : {2.0 * row, -1.0, 100.0 + 2 * row}) append_number(by_rows, value);
  EXPECT_EQ(rows_of(by_rows, {0, 2}, names), expected);
  EXPECT_EQ(header_, names);
  std::string by_columns =
      npy_header("{'descr': '<f4', 'fortran_order': True, 'shape': (5, 3), }", 3);
  for (const float start : {0.0f, -1.0f, 100.0f})
    for (int row = 0; row < 5; ++row)
      append_number(by_columns, start + 2.0f * static_cast<float>(row));
  EXPECT_EQ(rows_of(by_columns, {0, 2}, names), expected);
}

TEST_F(NpyReaderTest, HashesTheWholeFileInEitherOrder) {
  for (const char* order : {"False", "True"}) {
    std::string bytes = npy_header(
        fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': (2, 2), }}", order));
    for (const double value : {1.0, 2.0, 3.0, 4.0}) append_number(bytes, value);
    bytes += "trailing";
    auto reader = NpyReader::open(write(bytes, "log.npy"), {"a", "b"}, 5);
    ASSERT_TRUE(reader.ok());
    ASSERT_TRUE(reader->select_columns({0, 1}).ok());
    for (double row[2]; *reader->next_row(row);) {
    }
    Sha256 expected;
    expected.update(bytes.data(), bytes.size());
    const auto sha256 = reader->sha256();
    ASSERT_TRUE(sha256) << sha256.error().message();
    EXPECT_EQ(*sha256, expected.hex_digest()) << order;
  }
}

TEST_F(NpyReaderTest, NanIsMissingAndInfinityNamesItsRowAndColumn) {
  std::string bytes = npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }");
  for (const double value : {1.0, kNaN, 2.0, -1 / 0.0}) append_number(bytes, value);
  const std::string path = write(bytes, "log.npy");
  auto reader = NpyReader::open(path, {"a", "b"});
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(reader->select_columns({0, 1}).ok());
  double row[2] = {7, 7};
  ASSERT_TRUE(reader->next_row(row).ok());
  EXPECT_EQ(row[0], 1);
  EXPECT_TRUE(std::isnan(row[1]));
  const auto found = reader->next_row(row);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().where, path + "[1]: b");
}

TEST_F(NpyReaderTest, RefusesArraysOtherThanTables) {
  const std::string two_doubles(16, '\0');
  const auto refusal = [&](const std::string& dictionary,
                           const std::vector<std::string>& names = {}) {
    return refusal_of(npy_header(dictionary) + two_doubles, names);
  };
  const auto says = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(says(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }"),
                   "have no names"));
  EXPECT_TRUE(says(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", {"t"}),
                   "names 1 columns"));
  EXPECT_TRUE(says(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", {"t"}),
                   "1 dimensions"));
  EXPECT_TRUE(says(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 1), }", {"t"}),
                   "contains 2"));
  EXPECT_TRUE(
      says(refusal("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", {"t", "t"}),
           "both named"));
  EXPECT_TRUE(
      says(refusal("{'descr': '|O', 'fortran_order': False, 'shape': (1, 2), }", {"t", "q"}),
           "objects"));
  EXPECT_TRUE(
      says(refusal("{'descr': [('a', [('b', '<f8')])], 'fortran_order': False, 'shape': (2,), }"),
           "itself a structure"));
  EXPECT_TRUE(says(
      refusal("{'descr': [('q', '<f8', (99999999,))], 'fortran_order': False, 'shape': (0,), }"),
      "too many for a log"));
  for (const char* broken :
       {"", "{", "{'descr': '<f8'}", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, -2), }",
        "{'descr': 'double', 'fortran_order': False, 'shape': (1, 2), }", "((((((((((((((((((((",
        "{'descr': '<f8', 'fortran_order': 7, 'shape': (1, 2), }", "'descr"})
    EXPECT_TRUE(says(refusal(broken, {"a", "b"}), "header is invalid")) << broken;
  EXPECT_TRUE(says(refusal_of("\x93NUMPY\x01"), "ends early"));
  EXPECT_TRUE(
      says(refusal_of(std::string("\x93NUMPY\x01\0\xff\xff{}", 12)), "ends within its header"));
  EXPECT_TRUE(says(refusal_of(std::string("\x93NUMPY\x09\0\x10\0{}{}", 12)), "unknown version 9"));
}

TEST_F(NpyReaderTest, RefusesNonnumericColumns) {
  std::string bytes = npy_header(
      "{'descr': [('t', '>f8'), ('s', '<U2')], 'fortran_order': False, 'shape': (0,), }");
  auto reader = NpyReader::open(write(bytes, "log.npy"), {});
  ASSERT_TRUE(reader.ok());
  for (const int column : {0, 1}) EXPECT_FALSE(reader->select_columns({column}).ok());
}

TEST_F(NpyReaderTest, AnArrayIsConditionedLikeTheTableOfTheSameNumbers) {
  const auto position = [](int k) { return std::sin(0.02 * k) + 0.01 * std::cos(7.0 * k); };
  const auto torque = [](int k) { return k == 500 ? kNaN : std::cos(0.013 * k); };
  const auto time = [](int k) { return 0.004 * k; };
  std::string bytes = npy_header(
      "{'descr': [('tau', '<f8', (1,)), ('t', '<f8'), ('q', '<f8', (1,))], 'fortran_order': False, 'shape': "
      "(2000,), }");
  for (int k = 0; k < 2000; ++k)
    for (const double value : {torque(k), time(k), position(k)}) append_number(bytes, value);
  const ConditioningRun run{arm_of({"joint"})};
  const Conditioned array = run(write(bytes, "log.npy"));
  const Conditioned text = run(write(table("t,q1,tau1", 2000, {time, position, torque})));
  expect_same_samples(array, text);
  EXPECT_EQ(array.summary->num_rows, 2000);
}

}  // namespace
}  // namespace heft
