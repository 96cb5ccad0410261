// Files are read to their end, whatever their size and their declared size.
#include "files/whole_file.hpp"

#include <filesystem>

#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

class WholeFileTest : public LogTest {};

TEST_F(WholeFileTest, IsReadToItsEndForEverySize) {
  for (const std::size_t size : {0, 1, 15, 16, 65535, 65536, 65537, 131072, 140000, 1000001}) {
    std::string bytes(size, 'x');
    for (std::size_t k = 0; k < size; ++k) bytes[k] = static_cast<char>(k % 251);
    const auto found = read_file_whole(write(bytes));
    ASSERT_TRUE(found.ok()) << size;
    EXPECT_TRUE(*found == bytes) << size;
  }
}

TEST_F(WholeFileTest, ReadsSystemFilesWithoutASize) {
  const char* const path = "/proc/self/status";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "there is no /proc";
  const auto found = read_file_whole(path);
  ASSERT_TRUE(found.ok());
  EXPECT_TRUE(found->starts_with("Name:"));
  EXPECT_NE(found->find("\nThreads:"), std::string::npos);
}

TEST_F(WholeFileTest, LargerThanItMayBeIsRefused) {
  const std::string path = write(std::string(70000, 'x'));
  EXPECT_TRUE(read_file_whole(path, 70000).ok());
  EXPECT_FALSE(read_file_whole(path, 69999).ok());
}

}  // namespace
}  // namespace heft
