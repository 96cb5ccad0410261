// HDF5 files as logs, written by the library itself: the layouts that are tables, and rejected
// files.
#include "host/data/readers/hdf5_reader.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "readers/log_formats.hpp"
#include "tests/conditioning/log_test_support.hpp"

#ifdef HEFT_HAS_HDF5
#include "tests/readers/hdf5_log.hpp"
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
  EXPECT_NE(selected.error().what.find("has 3 rows, but 'other_clock' has 5"), std::string::npos);
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

// MATLAB, Julia and Fortran: q is n x rows, t is 1 x rows or rows x 1.
TEST_F(Hdf5ReaderTest, MatricesOnTheirSideAreReadByTheLengthOfTheTime) {
  for (const std::vector<hsize_t>& shape : {std::vector<hsize_t>{1, 4}, {4, 1}, {4}}) {
    const std::string path = (folder_ / "side.h5").string();
    {
      Writer writer(path);
      writer.dataset("q", {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
      writer.dataset("t", shape, {0, 0.1, 0.2, 0.3});
      writer.dataset("tau", {4, 2}, {1, 5, 2, 6, 3, 7, 4, 8});
    }
    auto reader = Hdf5Reader::open(path, {});
    ASSERT_TRUE(reader.ok()) << reader.error().message();
    EXPECT_EQ(reader->header(), (std::vector<std::string>{"q1", "q2", "t", "tau1", "tau2"}));
    EXPECT_EQ(rows_of(*reader, {0, 1, 2, 3, 4}),
              (Rows{{1, 5, 0, 1, 5}, {2, 6, 0.1, 2, 6}, {3, 7, 0.2, 3, 7}, {4, 8, 0.3, 4, 8}}));
  }
}

TEST_F(Hdf5ReaderTest, AMatrixThatMayLieEitherWayIsRefused) {
  const std::string path = (folder_ / "square.h5").string();
  {
    Writer writer(path);
    writer.dataset("q", {2, 2}, {1, 2, 3, 4});
    writer.dataset("t", {2}, {0, 1});
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok());
  const auto selected = reader->select_columns({0, 2});
  ASSERT_FALSE(selected.ok());
  EXPECT_NE(selected.error().what.find("cannot tell rows from columns"), std::string::npos);
}

TEST_F(Hdf5ReaderTest, WideDataSetsBesideTheLogDoNotCount) {
  const std::string path = (folder_ / "wide.h5").string();
  {
    Writer writer(path);
    writer.group("_i_log");
    writer.dataset("_i_log/sorted", {1, 70000}, std::vector<double>(70000));
    writer.dataset("cloud", {2, 40000}, std::vector<double>(80000));
    writer.dataset("image", {2, 70000}, std::vector<double>(140000));
    writer.dataset("q", {2, 2}, {1, 2, 3, 4});
    writer.dataset("t", {2}, {0, 1});
  }
  auto reader = Hdf5Reader::open(path, {}, "elsewhere");
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ(reader->header().size(), 40003u);
}

TEST_F(Hdf5ReaderTest, ArraysInACompoundAreColumns) {
  struct Row {
    double t, q[3];
    std::int32_t state;
  };
  const std::string path = (folder_ / "arrays.h5").string();
  {
    const Row rows[] = {{0, {1, 2, 3}, 7}, {0.1, {4, 5, 6}, 8}};
    Writer writer(path);
    const hsize_t three = 3, two = 2;
    const Handle array(H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &three), H5Tclose);
    const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Row)), H5Tclose);
    H5Tinsert(type, "t", offsetof(Row, t), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "q", offsetof(Row, q), array);
    H5Tinsert(type, "state", offsetof(Row, state), H5T_NATIVE_INT32);
    const Handle space(H5Screate_simple(1, &two, nullptr), H5Sclose);
    const Handle set(
        H5Dcreate2(writer.file(), "log", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), 0);
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ(reader->header(), (std::vector<std::string>{"t", "q1", "q2", "q3", "state"}));
  EXPECT_EQ(rows_of(*reader, {1, 3, 4}), (Rows{{1, 3, 7}, {4, 6, 8}}));
}

TEST_F(Hdf5ReaderTest, AFilterThatIsMissingIsNamed) {
  const std::string path = (folder_ / "lzf.h5").string();
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const hsize_t four = 4;
    const Handle space(H5Screate_simple(1, &four, nullptr), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties, 1, &four);
    H5Pset_filter(properties, 32000, H5Z_FLAG_OPTIONAL, 0, nullptr);
    const Handle set(
        H5Dcreate2(file, "t", H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
        H5Dclose);
    if (!set.ok()) GTEST_SKIP() << "this HDF5 does not write what it cannot filter";
    // a chunk that claims to be packed
    const double bytes[4] = {0, 1, 2, 3};
    const hsize_t begin = 0;
    ASSERT_GE(H5Dwrite_chunk(set, H5P_DEFAULT, 0, &begin, sizeof bytes, bytes), 0);
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  ASSERT_TRUE(reader->select_columns({0}).ok());
  double value = 0;
  const auto row = reader->next_row(&value);
  ASSERT_FALSE(row.ok());
  EXPECT_NE(row.error().what.find("filter lzf (32000)"), std::string::npos)
      << row.error().message();
  EXPECT_NE(row.error().remedy.find("compression='gzip'"), std::string::npos);
}

TEST_F(Hdf5ReaderTest, ASignatureBehindAUserBlockIsFound) {
  for (const hsize_t size : {512u, 2048u}) {
    const std::string path = (folder_ / "block.mat").string();
    {
      const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
      H5Pset_userblock(creation, size);
      const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT), H5Fclose);
      ASSERT_TRUE(file.ok());
    }
    EXPECT_EQ(format_of_file(path), "hdf5");
  }
}

TEST_F(Hdf5ReaderTest, TextsAndLinksAreRefusedForWhatTheyAre) {
  const std::string path = (folder_ / "links.h5").string();
  {
    Writer writer(path);
    writer.group("raw");
    writer.dataset("raw/q", {2}, {1, 2});
    H5Lcreate_soft("/raw/q", writer.file(), "q", H5P_DEFAULT, H5P_DEFAULT);
    H5Lcreate_external("other.h5", "/tau", writer.file(), "tau", H5P_DEFAULT, H5P_DEFAULT);
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ(reader->header(), (std::vector<std::string>{"raw/q", "q", "tau"}));
  EXPECT_EQ(rows_of(*reader, {1}), (Rows{{1}, {2}}));
  const auto selected = Hdf5Reader::open(path, {})->select_columns({2});
  ASSERT_FALSE(selected.ok());
  EXPECT_NE(selected.error().what.find("link into another file, 'other.h5'"), std::string::npos);
}

TEST_F(Hdf5ReaderTest, FillValuesAreMissingAndScalesAreApplied) {
  const std::string path = (folder_ / "packed.nc").string();
  {
    Writer writer(path);
    const Handle set = writer.dataset("q", {3}, {100, -1, 250}, H5T_STD_I16LE);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    for (const auto& [name, value] : {std::pair{"scale_factor", 0.01}, {"_FillValue", -1.0}}) {
      const Handle attribute(H5Acreate2(set, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT),
                             H5Aclose);
      H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
    }
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok());
  const Rows rows = rows_of(*reader, {0});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_DOUBLE_EQ(rows[0][0], 1);
  EXPECT_TRUE(std::isnan(rows[1][0]));
  EXPECT_DOUBLE_EQ(rows[2][0], 2.5);
}

void put_text(hid_t object, const char* name, const std::string& text) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, text.size());
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute, type, text.data());
}

// Empty matrices are stored as their size, texts as numbers of characters; as many columns as rows
// lie on their side.
TEST_F(Hdf5ReaderTest, MatlabSaysWhatItsDataSetsAre) {
  const std::string path = (folder_ / "log.mat").string();
  {
    Writer writer(path);
    put_text(writer.dataset("a_text", {3, 1}, {97, 114, 109}, H5T_STD_U16LE), "MATLAB_class",
             "char");
    const Handle empty = writer.dataset("b_empty", {2}, {0, 7}, H5T_STD_U64LE);
    const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
    const Handle attribute(
        H5Acreate2(empty, "MATLAB_empty", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    const unsigned char is_empty = 1;
    H5Awrite(attribute, H5T_NATIVE_UCHAR, &is_empty);
    put_text(writer.dataset("q", {2, 2}, {1, 2, 3, 4}), "MATLAB_class", "double");
    put_text(writer.dataset("t", {1, 2}, {0, 0.1}), "MATLAB_class", "double");
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok()) << reader.error().message();
  EXPECT_EQ(reader->header(), (std::vector<std::string>{"q1", "q2", "t"}));
  EXPECT_EQ(rows_of(*reader, {0, 1, 2}), (Rows{{1, 3, 0}, {2, 4, 0.1}}));
}

TEST_F(Hdf5ReaderTest, NetcdfInDegreesIsReadInRadians) {
  const std::string path = (folder_ / "degrees.nc").string();
  {
    Writer writer(path);
    put_text(writer.file(), "_NCProperties", "version=2");
    const std::pair<const char*, const char*> units[] = {{"a_q", "degrees"},
                                                         {"b_qd", "deg/s"},
                                                         {"c_t", "milliseconds since 2026-03-01"},
                                                         {"d_tau", "N m"},
                                                         {"e_heat", "degrees_C"}};
    for (const auto& [name, unit] : units)
      put_text(writer.dataset(name, {1}, {180}), "units", unit);
  }
  auto reader = Hdf5Reader::open(path, {});
  ASSERT_TRUE(reader.ok());
  const std::vector<double> row = rows_of(*reader, {0, 1, 2, 3, 4})[0];
  EXPECT_DOUBLE_EQ(row[0], 3.14159265358979323846);
  EXPECT_DOUBLE_EQ(row[1], 3.14159265358979323846);
  EXPECT_DOUBLE_EQ(row[2], 0.18);
  EXPECT_EQ(row[3], 180);
  EXPECT_EQ(row[4], 180);
  auto as_stored = Hdf5Reader::open(path, {}, "t", true);
  EXPECT_EQ(rows_of(*as_stored, {0})[0][0], 180);
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
    const Handle set(
        H5Dcreate2(writer.file(), "log", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
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
