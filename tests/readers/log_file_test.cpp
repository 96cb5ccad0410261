// The bytes of a log are hashed once each, in whatever order they are read; an unreadable log is an
// error.
#include "host/data/readers/log_file.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "host/data/readers/csv_reader.hpp"
#include "host/data/readers/npy_reader.hpp"
#include "tests/conditioning/log_test_support.hpp"
#include "tests/readers/npy_log.hpp"

namespace heft {
namespace {

using ::testing::HasSubstr;

class LogFileTest : public LogTest {
 protected:
  /// The error of a digest, asked for after all rows.
  static std::string refusal_of_digest(TableReader& reader, const std::string& path,
                                       std::uintmax_t bytes_left) {
    EXPECT_TRUE(reader.select_columns({0}).ok());
    for (double value = kNaN;;) {
      const auto found = reader.next_row(&value);
      EXPECT_TRUE(found) << found.error().message();
      if (!found || !*found) break;
    }
    std::filesystem::resize_file(path, bytes_left);
    const auto digest = reader.sha256();
    return digest ? "no error" : digest.error().message();
  }
};

TEST_F(LogFileTest, HashesEveryByteOnceInAnyOrderOfReading) {
  const std::string path = write("abc");  // its SHA-256 is published
  const std::string expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  for (const std::vector<int>& places :
       {std::vector<int>{}, {0}, {0, 1, 2, 3}, {2, 0, 1}, {1}, {0, 0, 3}}) {
    auto file = LogFile::open(path);
    ASSERT_TRUE(file) << file.error().message();
    EXPECT_EQ(file->size(), 3u);
    for (const int place : places) {
      char byte = '?';
      ASSERT_TRUE(file->seek(static_cast<std::uint64_t>(place)));
      const auto count = file->read(&byte, 1);
      ASSERT_TRUE(count);
      EXPECT_EQ(*count, place < 3 ? 1u : 0u);
      EXPECT_EQ(byte, place < 3 ? "abc"[place] : '?');
    }
    const auto digest = file->sha256();
    ASSERT_TRUE(digest) << digest.error().message();
    EXPECT_EQ(*digest, expected);
  }
}

TEST_F(LogFileTest, RefusesFoldersAndMissingFiles) {
  const auto folder = LogFile::open(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message(), HasSubstr("is a folder"));
  const auto missing = LogFile::open((folder_ / "none.csv").string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message(), HasSubstr("cannot be opened: No such file"));
}

TEST_F(LogFileTest, ADiskErrorIsNotTheEndOfTheFile) {
  const char* const unreadable = "/proc/self/mem";  // opens; nothing is mapped at its start
  auto file = LogFile::open(unreadable);
  if (!file) GTEST_SKIP() << "no " << unreadable << " here";
  char byte = '?';
  const auto count = file->read(&byte, 1);
  ASSERT_FALSE(count);
  EXPECT_THAT(count.error().message(), HasSubstr("cannot be read"));
  auto again = LogFile::open(unreadable);
  ASSERT_TRUE(again);
  const auto digest = again->sha256();
  ASSERT_FALSE(digest);
  EXPECT_THAT(digest.error().message(), HasSubstr("cannot be read"));
}

TEST_F(LogFileTest, AFileTruncatedWhileItIsReadHasNoDigest) {
  for (const char* by_columns : {"False", "True"}) {
    std::string bytes = npy_header(
        fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': (2, 1), }}", by_columns));
    for (const double value : {1.0, 2.0}) append_number(bytes, value);
    const std::size_t rows_end = bytes.size();
    const std::string path = write(bytes + "trailing", "log.npy");
    auto reader = NpyReader::open(path, {"a"});
    ASSERT_TRUE(reader) << reader.error().message();
    EXPECT_THAT(refusal_of_digest(*reader, path, rows_end + 3),
                HasSubstr("was truncated while it was read"))
        << by_columns;
  }
}

TEST_F(LogFileTest, ATableThatLosesItsEndWhileItIsReadHasNoDigest) {
  std::string text = "t,q\n";
  for (int k = 0; k < 300000; ++k) text += "1.5,2\n";  // more than is read ahead
  const std::string path = write(text);
  auto reader = CsvReader::open(path, "auto", 64);
  ASSERT_TRUE(reader) << reader.error().message();
  std::filesystem::resize_file(path, 4 + 250000 * 6);
  EXPECT_THAT(refusal_of_digest(*reader, path, 4 + 250000 * 6),
              HasSubstr("was truncated while it was read"));
}

}  // namespace
}  // namespace heft
