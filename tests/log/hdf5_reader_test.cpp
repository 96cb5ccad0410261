// HDF5 files as logs, written by the library itself: the layouts that are tables, and what is refused.
#include "host/log/hdf5_reader.hpp"

#include <cmath>

#include "tests/log/log_test_support.hpp"

#ifdef HEFT_HAS_HDF5
#include "tests/log/hdf5_log.hpp"
#endif

namespace heft {
namespace {

class Hdf5ReaderTest : public LogTest {};

#ifdef HEFT_HAS_HDF5

using hdf5::Handle;
using Writer = Hdf5Writer;
using Rows = std::vector<std::vector<double>>;

Rows rows_of(Hdf5Reader& reader, const std::vector<int>& columns) {
  const auto selected = reader.select_columns(columns);
  EXPECT_TRUE(selected.ok()) << (selected.ok() ? "" : selected.error().message());
  Rows rows;
  for (std::vector<double> row(columns.size(), kNaN);;) {
    const auto found = reader.next_row(row.data());
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message());
    if (!found.ok() || !*found) return rows;
    rows.push_back(row);
  }
}

TEST_F(Hdf5ReaderTest, DataSetsAreColumnsByTheirPaths) {
  const std::string path = (folder_ / "log.h5").string();
  {
    Writer writer(path);
    writer.group("arm");
    writer.dataset("t", {3}, {0, 0.1, 0.2});
    writer.dataset("arm/q", {3, 2}, {1, 2, 3, 4, 5, 6}, H5T_IEEE_F32BE);
    writer.dataset("arm/state", {3}, {7, 8, 9}, H5T_STD_I16LE);
    writer.dataset("other_clock", {5}, {1, 2, 3, 4, 5});
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ(reader->header(),
            (std::vector<std::string>{"arm/q1", "arm/q2", "arm/state", "other_clock", "t"}));
  EXPECT_EQ(rows_of(*reader, {1, 2, 4}), (Rows{{2, 7, 0}, {4, 8, 0.1}, {6, 9, 0.2}}));
  EXPECT_EQ(reader->fraction_read(), 1);
  EXPECT_EQ(reader->sha256()->size(), 64u);

  auto uneven = Hdf5Reader::open(path, {});
  ASSERT_TRUE(uneven.ok());
  const auto selected = uneven->select_columns({3, 4});
  ASSERT_FALSE(selected.ok());
  EXPECT_NE(selected.error().what.find("has 3 rows, 'other_clock' has 5"), std::string::npos);
}

TEST_F(Hdf5ReaderTest, AMatrixIsNamedByItsAttributeOrByTheConfiguration) {
  for (const bool fixed : {false, true}) {
    const std::string path = (folder_ / "named.h5").string();
    {
      Writer writer(path);
      const Handle set = writer.dataset("log", {2, 3}, {1, 2, 3, 4, 5, 6});
      Writer::name_columns(set, {"t", "q1", "tau1"}, fixed);
    }
    auto reader = Hdf5Reader::open(path, {"x", "y", "z"});
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(reader->header(), (std::vector<std::string>{"t", "q1", "tau1"}));
    EXPECT_EQ(rows_of(*reader, {0, 2}), (Rows{{1, 3}, {4, 6}}));
  }
  const std::string path = (folder_ / "plain.h5").string();
  Writer(path).dataset("log", {1, 2}, {1, 2});
  EXPECT_EQ(Hdf5Reader::open(path, {"x", "y"})->header(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(Hdf5Reader::open(path, {})->header(), (std::vector<std::string>{"log1", "log2"}));
}

TEST_F(Hdf5ReaderTest, MembersOfACompoundAreColumns) {
  struct Row {
    float t;
    std::int32_t n;
    double q;
  };
  const std::string path = (folder_ / "log.h5").string();
  {
    Writer writer(path);
    const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose);
    H5Tinsert(type, "t", HOFFSET(Row, t), H5T_NATIVE_FLOAT);
    H5Tinsert(type, "n", HOFFSET(Row, n), H5T_NATIVE_INT32);
    H5Tinsert(type, "q", HOFFSET(Row, q), H5T_NATIVE_DOUBLE);
    const hsize_t count = 2;
    const Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose);
    const Handle set(H5Dcreate2(writer.file(), "log", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                     H5Dclose);
    const Row rows[] = {{0.5f, 3, 1e-3}, {1.5f, -4, kNaN}};
    ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->header(), (std::vector<std::string>{"t", "n", "q"}));
  const Rows rows = rows_of(*reader, {0, 2});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (std::vector<double>{0.5, 1e-3}));
  EXPECT_EQ(rows[1][0], 1.5);
  EXPECT_TRUE(std::isnan(rows[1][1]));
}

TEST_F(Hdf5ReaderTest, PackedChunksAreConditionedLikeTheTableOfTheSameNumbers) {
  const auto position = [](int k) { return std::sin(0.02 * k) + 0.01 * std::cos(7.0 * k); };
  const auto torque = [](int k) { return k == 500 ? kNaN : std::cos(0.013 * k); };
  const auto time = [](int k) { return 0.004 * k; };
  constexpr int kNumRows = 20'000;  // more than one block
  const auto all = [](const auto& function) {
    std::vector<double> values;
    for (int k = 0; k < kNumRows; ++k) values.push_back(function(k));
    return values;
  };
  const std::string path = (folder_ / "log.h5").string();
  {
    Writer writer(path);
    writer.dataset("t", {kNumRows}, all(time), H5T_IEEE_F64LE, 999);
    writer.dataset("q1", {kNumRows}, all(position), H5T_IEEE_F64LE, 7000);
    writer.dataset("tau1", {kNumRows}, all(torque));
  }
  const ConditioningRun run{arm_of({"joint"})};
  const Conditioned binary = run(path);
  const Conditioned text = run(write(table("t,q1,tau1", kNumRows, {time, position, torque})));
  expect_same_samples(binary, text);
  EXPECT_EQ(binary.summary->num_rows, kNumRows);
}

TEST_F(Hdf5ReaderTest, BrokenFilesAreErrorsWithAReason) {
  const std::string path = (folder_ / "log.h5").string();
  {
    Writer writer(path);
    std::vector<double> values(5000);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::sin(static_cast<double>(k));
    writer.dataset("t", {5000}, values, H5T_IEEE_F64LE, 1000);
  }
  std::string bytes;
  {
    std::ifstream file(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto cut = Hdf5Reader::open(write(bytes.substr(0, bytes.size() / 2), "cut.h5"), {});
  ASSERT_FALSE(cut.ok());
  EXPECT_NE(cut.error().what.find("truncated"), std::string::npos) << cut.error().what;
  EXPECT_FALSE(Hdf5Reader::open(write(std::string(kHdf5Magic) + "nothing", "magic.h5"), {}).ok());

  // packed numbers that do not unpack: found when they are read
  const std::size_t packed = bytes.find("\x78\x5e");
  ASSERT_NE(packed, std::string::npos);
  for (std::size_t k = packed; k < packed + 64; ++k) bytes[k] = '\x55';
  auto garbled = Hdf5Reader::open(write(bytes, "garbled.h5"), {});
  ASSERT_TRUE(garbled.ok()) << garbled.error().message();
  ASSERT_TRUE(garbled->select_columns({0}).ok());
  double value = 0;
  EXPECT_FALSE(garbled->next_row(&value).ok());

  Writer((folder_ / "empty.h5").string());
  EXPECT_FALSE(Hdf5Reader::open((folder_ / "empty.h5").string(), {}).ok());
}

#else

TEST_F(Hdf5ReaderTest, WithoutTheLibraryTheErrorSaysSo) {
  const auto reader = Hdf5Reader::open("log.h5", {});
  ASSERT_FALSE(reader.ok());
  EXPECT_NE(reader.error().what.find("without the HDF5 library"), std::string::npos);
}

#endif

}  // namespace
}  // namespace heft
