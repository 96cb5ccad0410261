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

/// The groups of columns of all files. Without maps, all clocks have a common zero.
class FilesSource final : public Source {
 public:
  FilesSource(std::string name, std::vector<SourcePtr> files, std::vector<ClockMap> clocks,
              double time_scale)
      : clocks_(std::move(clocks)), time_scale_(time_scale) {
    name_ = std::move(name);
    for (SourcePtr& source : files) {
      const std::size_t first = groups_.size();
      for (const ColumnGroup& group : source->groups()) {
        groups_.push_back(group);
        if (group.name.empty()) groups_.back().name = source->name();
        file_of_group_.push_back(files_.size());
      }
      files_.push_back({.first_group = first, .source = std::move(source)});
    }
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  std::string where(int group, std::int64_t line) const override {
    const File& file = files_[file_of_group_[static_cast<std::size_t>(group)]];
    return file.source->where(group - static_cast<int>(file.first_group), line);
  }
  double fraction_read() const override;
  double disk_seconds() const override;
  std::vector<std::string> losses() const override;
  Result<std::string> sha256() override;

 private:
  struct File {
    std::size_t first_group = 0;
    SourcePtr source;
    std::vector<int> clocks;  ///< places among the columns selected, by group; -1: not selected
    bool has_more = false, has_begun = false;
    double first = 0, last = -std::numeric_limits<double>::infinity();  ///< stamps handed out
  };

  void keep_time(std::size_t index, ColumnBlock& block);
  Result<Done> end(File& file);

  std::vector<ClockMap> clocks_;  ///< by file; empty: a common zero
  double time_scale_;
  std::vector<File> files_;
  std::vector<std::size_t> file_of_group_;
  std::vector<double> stamps_;
};

Result<Done> FilesSource::select(const std::vector<std::vector<int>>& columns) {
  for (File& file : files_) {
    const auto first = columns.begin() + static_cast<std::ptrdiff_t>(file.first_group);
    const std::vector<std::vector<int>> wanted(first, first + std::ssize(file.source->groups()));
    file.clocks = clock_places(file.source->groups(), wanted);
    file.has_more = std::any_of(wanted.begin(), wanted.end(),
                                [](const std::vector<int>& group) { return !group.empty(); });
    if (file.has_more) HEFT_CHECK(file.source->select(wanted));
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
    keep_time(static_cast<std::size_t>(behind - files_.begin()), block);
    block.group += static_cast<int>(behind->first_group);
    return true;
  }
}

// Converts stamps to the clock of the first file, by its map. Without maps, only stamps since 1970
// and texts are converted, which count from the first of their own file.
void FilesSource::keep_time(std::size_t index, ColumnBlock& block) {
  File& file = files_[index];
  const int place = file.clocks[static_cast<std::size_t>(block.group)];
  if (place < 0 || block.num_rows == 0) return;
  const ClockMap map = clocks_.empty() ? ClockMap{} : clocks_[index];
  const double behind =
      clocks_.empty() ? static_cast<double>(file.source->origin() - files_.front().source->origin())
                      : -map.offset_s / time_scale_;
  const ColumnBlock::Column logged = block.columns[static_cast<std::size_t>(place)];
  if (behind != 0 || map.rate != 0) {
    stamps_.resize(static_cast<std::size_t>(block.num_rows));
    for (std::int64_t row = 0; row < block.num_rows; ++row)
      stamps_[static_cast<std::size_t>(row)] = (logged[row] + behind) / (1 + map.rate);
    replace_column(block, place, stamps_);
  }
  const ColumnBlock::Column clock = block.columns[static_cast<std::size_t>(place)];
  if (!file.has_begun) file.first = clock[0], file.has_begun = true;
  if (const double last = clock[block.num_rows - 1]; last > file.last) file.last = last;
}

// All other files have started: each lagged behind at least once.
Result<Done> FilesSource::end(File& file) {
  file.has_more = false;
  for (const File& other : files_)
    if (file.has_begun && other.has_begun && other.first > file.last)
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

class FilesInSeconds final : public SourceInSeconds {
 public:
  using SourceInSeconds::SourceInSeconds;
  Result<bool> next(ColumnBlock& block) override { return source_->next(block); }
};

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

namespace {

Result<SourcePtr> open_files(const std::string& words, const std::vector<std::string>& paths,
                             const LogFormat& format, const std::vector<ClockMap>& clocks) {
  std::vector<SourcePtr> files;
  for (const std::string& path : paths) {
    if (path.empty())
      return Error{words, "has an empty file name",
                   std::string("write FILE") + kBetweenFiles + "FILE, without spaces"};
    HEFT_TRY(opened, open_file(path, format));
    if (!clocks.empty()) {  // units may differ
      HEFT_TRY(seconds, in_seconds(std::move(opened), format));
      opened = std::move(seconds);
    }
    files.push_back(std::move(opened));
  }
  auto source = std::make_unique<FilesSource>(words, std::move(files), clocks, format.time_scale);
  if (clocks.empty()) return SourcePtr(std::move(source));
  return SourcePtr(std::make_unique<FilesInSeconds>(std::move(source)));
}

}  // namespace

Result<SourcePtr> open_log(const std::string& words, const LogFormat& format) {
  const std::vector<std::string> paths = files_of_log(words);
  return paths.size() == 1 ? open_file(words, format) : open_files(words, paths, format, {});
}

Log log_of_files(const std::string& words) {
  return Log(words);
}

Log log_of_files(const std::string& words, const std::vector<ClockMap>& clocks) {
  return {words, [words, paths = files_of_log(words), clocks](const LogFormat& format) {
            return open_files(words, paths, format, clocks);
          }};
}

}  // namespace heft
