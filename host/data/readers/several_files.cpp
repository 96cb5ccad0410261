#include "heft/log/several_files.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "base/number_text.hpp"
#include "files/sha256.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr char kBetweenFiles = '+';

/// One group of columns per file.
class FilesSource final : public Source {
 public:
  FilesSource(std::string name, std::vector<SourcePtr> files) {
    name_ = std::move(name);
    for (SourcePtr& source : files) {
      groups_.push_back(source->groups().front());
      groups_.back().name = source->name();
      files_.push_back({.source = std::move(source)});
    }
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  std::string where(int group, std::int64_t line) const override {
    return files_[static_cast<std::size_t>(group)].source->where(0, line);
  }
  double fraction_read() const override;
  double disk_seconds() const override;
  std::vector<std::string> losses() const override;
  Result<std::string> sha256() override;

 private:
  struct File {
    SourcePtr source;
    int clock = -1;  ///< its place among the columns selected
    bool has_more = false, has_begun = false;
    double first = 0, last = -std::numeric_limits<double>::infinity();  ///< stamps handed out
  };

  void keep_time(std::size_t index, ColumnBlock& block);
  Result<Done> end(File& file);

  std::vector<File> files_;
  std::vector<double> stamps_;
};

Result<Done> FilesSource::select(const std::vector<std::vector<int>>& columns) {
  for (std::size_t g = 0; g < files_.size(); ++g) {
    const std::vector<int>& wanted = columns[g];
    files_[g].has_more = !wanted.empty();
    const auto clock = std::lower_bound(wanted.begin(), wanted.end(), groups_[g].clock);
    if (clock != wanted.end() && *clock == groups_[g].clock)
      files_[g].clock = static_cast<int>(clock - wanted.begin());
    if (files_[g].has_more) HEFT_CHECK(files_[g].source->select({wanted}));
  }
  return Done{};
}

// Reads the file that lags behind the others, so that rows of similar times arrive together.
Result<bool> FilesSource::next(ColumnBlock& block) {
  for (;;) {
    const auto behind =
        std::min_element(files_.begin(), files_.end(), [](const File& a, const File& b) {
          return a.has_more != b.has_more ? a.has_more : a.last < b.last;
        });
    if (!behind->has_more) return false;
    HEFT_TRY(found, behind->source->next(block));
    if (!found) {
      HEFT_CHECK(end(*behind));
      continue;
    }
    block.group = static_cast<int>(behind - files_.begin());
    keep_time(static_cast<std::size_t>(block.group), block);
    return true;
  }
}

// Stamps that are texts count from the first of their own file: here from that of the first.
void FilesSource::keep_time(std::size_t index, ColumnBlock& block) {
  File& file = files_[index];
  if (file.clock < 0 || block.num_rows == 0) return;
  const auto behind = static_cast<double>(file.source->origin() - files_.front().source->origin());
  if (behind != 0) {
    const ColumnBlock::Column clock = block.columns[static_cast<std::size_t>(file.clock)];
    stamps_.resize(static_cast<std::size_t>(block.num_rows));
    for (std::int64_t row = 0; row < block.num_rows; ++row)
      stamps_[static_cast<std::size_t>(row)] = clock[row] + behind;
    replace_column(block, file.clock, stamps_);
  }
  const ColumnBlock::Column clock = block.columns[static_cast<std::size_t>(file.clock)];
  if (!file.has_begun) file.first = clock[0], file.has_begun = true;
  if (const double last = clock[block.num_rows - 1]; last > file.last) file.last = last;
}

// All other files have started: each lagged behind at least once.
Result<Done> FilesSource::end(File& file) {
  file.has_more = false;
  for (const File& other : files_)
    if (file.clock >= 0 && other.has_begun && other.first > file.last)
      return Error{file.source->name(),
                   "ends at " + number_text(file.last, 12) + ", before " + other.source->name() +
                       " begins, at " + number_text(other.first, 12) +
                       ": the files of one log must overlap in time",
                   "record the files at the same time with one clock (same unit, same zero)"};
  return Done{};
}

double FilesSource::fraction_read() const {
  double sum = 0;
  for (const File& file : files_) sum += file.source->fraction_read();
  return sum / static_cast<double>(files_.size());
}

double FilesSource::disk_seconds() const {
  double sum = 0;
  for (const File& file : files_) sum += file.source->disk_seconds();
  return sum;
}

std::vector<std::string> FilesSource::losses() const {
  std::vector<std::string> all;
  for (const File& file : files_)
    for (const std::string& loss : file.source->losses()) all.push_back(loss);
  return all;
}

// Digest of the digests of the files in order.
Result<std::string> FilesSource::sha256() {
  Sha256 hash;
  for (File& file : files_) {
    HEFT_TRY(digest, file.source->sha256());
    hash.update(digest.data(), digest.size());
  }
  return hash.hex_digest();
}

}  // namespace

std::vector<std::string> files_of_log(const std::string& words) {
  std::error_code ignored;
  if (words.find(kBetweenFiles) == std::string::npos || std::filesystem::exists(words, ignored))
    return {words};
  std::vector<std::string> paths;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find(kBetweenFiles, begin), words.size());
    paths.push_back(words.substr(begin, end - begin));
    begin = end + 1;
  }
  return paths;
}

Log log_of_files(const std::string& words) {
  const std::vector<std::string> paths = files_of_log(words);
  if (paths.size() == 1) return Log(words);
  return {words, [words, paths](const LogFormat& format) -> Result<SourcePtr> {
            std::vector<SourcePtr> files;
            for (const std::string& path : paths) {
              if (path.empty())
                return Error{words, "has an empty file name",
                             std::string("write FILE") + kBetweenFiles + "FILE, without spaces"};
              HEFT_TRY(source, open_file(path, format));
              files.push_back(std::move(source));
            }
            return SourcePtr(std::make_unique<FilesSource>(words, std::move(files)));
          }};
}

}  // namespace heft
