// The single list of log formats: their names in help and manifests, and a format that is added to
// a table and read like a built-in one.
#include <cstdint>
#include <fstream>
#include <memory>

#include "heft/log/arrays.hpp"
#include "readers/log_formats.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

/// "TOY1", then rows of t, q1, tau1 as doubles.
Result<SourcePtr> open_toy(const std::string& path, const LogFormat& format, std::size_t) {
  std::ifstream file(path, std::ios::binary);
  file.ignore(4);
  auto numbers = std::make_shared<std::vector<double>>();
  for (double number; file.read(reinterpret_cast<char*>(&number), sizeof number);)
    numbers->push_back(number);
  const auto rows = static_cast<std::int64_t>(numbers->size() / 3);
  const auto column = [&](int k) { return ArrayView(numbers->data() + k, rows, 1, 3, 1); };
  return array_log(path, column(0), column(1), column(2), {}, {}, numbers).open(format);
}

class FileFormats : public LogTest {
 protected:
  FileFormats() : formats_(file_formats().begin(), file_formats().end()) {
    formats_.insert(formats_.begin(), {"TOY1", "toy", "Toy", ".toy .ty", open_toy});
  }

  std::vector<FileFormat> formats_;
};

TEST_F(FileFormats, HaveTheirNamesTitlesAndEndings) {
  EXPECT_EQ(titles_of_log_formats(), "CSV, NPY, HDF5, MCAP or ROS 2 bag");
  const std::vector<NamedFormat> formats = log_formats();
  ASSERT_EQ(formats.size(), 5u);
  EXPECT_EQ(formats[0].name, "csv");
  EXPECT_EQ(formats[0].endings, (std::vector<std::string>{".csv", ".txt", ".tsv"}));
  EXPECT_EQ(formats[2].name, "hdf5");
  EXPECT_EQ(formats[2].endings, (std::vector<std::string>{".h5", ".hdf5"}));
  EXPECT_EQ(formats[4].name, "bag");
}

TEST_F(FileFormats, AToyIsNamedFoundAndRead) {
  EXPECT_EQ(titles_of_log_formats(formats_), "CSV, Toy, NPY, HDF5, MCAP or ROS 2 bag");
  EXPECT_EQ(log_formats(formats_)[1].endings, (std::vector<std::string>{".toy", ".ty"}));

  std::string bytes = "TOY1";
  for (const double number : {0.0, 1.5, -2.0, 0.01, 1.75, -3.0})
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  const std::string path = write(bytes, "log.toy");
  EXPECT_EQ(format_of_file(path, formats_), "toy");
  EXPECT_EQ(format_of_file(write("t,q1\n0,1\n"), formats_), "csv");

  const auto source = open_file_as(formats_, path, {}, 4096);
  ASSERT_TRUE(source.ok()) << source.error().message();
  const ColumnGroup& group = (*source)->groups().front();
  EXPECT_EQ(group.columns, (std::vector<std::string>{"t", "q1", "tau1"}));
  ASSERT_TRUE((*source)->select({{1, 2}}).ok());
  ColumnBlock block;
  const auto found = (*source)->next(block);
  ASSERT_TRUE(found.ok() && *found);
  ASSERT_EQ(block.num_rows, 2);
  EXPECT_EQ(block.columns[0][1], 1.75);
  EXPECT_EQ(block.columns[1][1], -3.0);
}

}  // namespace
}  // namespace heft
