#include "readers/first_rows.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "stamp_source.hpp"

namespace heft {

namespace {

/// The rows of one pass.
struct RowsOfPass {
  struct Block {
    int group = 0;
    std::int64_t num_rows = 0;
    std::vector<double> numbers;  // column by column
    std::vector<std::int64_t> lines;
  };
  std::vector<std::vector<int>> columns;  // as selected
  std::vector<Block> blocks;
};

/// The last complete pass; thread-safe.
class LastPass {
 public:
  /// Null if it selected other columns.
  std::shared_ptr<const RowsOfPass> with(const std::vector<std::vector<int>>& columns) const {
    const std::lock_guard lock(mutex_);
    return pass_ && pass_->columns == columns ? pass_ : nullptr;
  }
  void keep(std::shared_ptr<const RowsOfPass> pass) {
    const std::lock_guard lock(mutex_);
    pass_ = std::move(pass);
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const RowsOfPass> pass_;
};

class FirstRows : public SourceInSeconds {
 public:
  FirstRows(SourcePtr whole, std::int64_t most_rows, std::shared_ptr<LastPass> last)
      : SourceInSeconds(std::move(whole)), num_left_(most_rows), last_(std::move(last)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    replayed_ = last_->with(columns);
    if (replayed_) return Done{};
    read_ = std::make_shared<RowsOfPass>();
    read_->columns = columns;
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    if (replayed_) return replay(block);
    if (num_left_ > 0) {
      HEFT_TRY(has_rows, source_->next(block));
      if (has_rows) {
        take(block);
        return true;
      }
    }
    if (read_) last_->keep(std::move(read_));
    return false;
  }

  double fraction_read() const override {
    if (!replayed_ || replayed_->blocks.empty()) return source_->fraction_read();
    return static_cast<double>(num_replayed_) / static_cast<double>(replayed_->blocks.size());
  }

  /// Empty: the digest of the whole needs all of its bytes.
  Result<std::string> sha256() override { return std::string(); }

 private:
  void take(ColumnBlock& block) {
    block.num_rows = std::min(block.num_rows, num_left_);
    if (std::ssize(block.lines) > block.num_rows)
      block.lines.resize(static_cast<std::size_t>(block.num_rows));
    num_left_ -= block.num_rows;
    if (!read_) return;
    RowsOfPass::Block& taken = read_->blocks.emplace_back();
    taken.group = block.group;
    taken.num_rows = block.num_rows;
    taken.lines = block.lines;
    for (const ColumnBlock::Column& column : block.columns)
      for (std::int64_t row = 0; row < block.num_rows; ++row) taken.numbers.push_back(column[row]);
  }

  bool replay(ColumnBlock& block) {
    if (num_replayed_ == replayed_->blocks.size()) return false;
    const RowsOfPass::Block& taken = replayed_->blocks[num_replayed_++];
    block.group = taken.group;
    block.num_rows = taken.num_rows;
    block.lines = taken.lines;
    block.numbers = taken.numbers;
    block.columns.clear();
    const std::size_t num_columns =
        replayed_->columns[static_cast<std::size_t>(taken.group)].size();
    for (std::size_t c = 0; c < num_columns; ++c)
      block.columns.push_back(
          {block.numbers.data() + static_cast<std::int64_t>(c) * taken.num_rows, 1});
    return true;
  }

  std::int64_t num_left_;
  std::shared_ptr<LastPass> last_;
  std::shared_ptr<RowsOfPass> read_;            // by this source
  std::shared_ptr<const RowsOfPass> replayed_;  // instead of reading
  std::size_t num_replayed_ = 0;                // blocks
};

}  // namespace

Log first_rows(const Log& log, std::int64_t most_rows) {
  const auto last = std::make_shared<LastPass>();
  const auto open = [log, most_rows, last](const LogFormat& format) -> Result<SourcePtr> {
    HEFT_TRY(whole, log.open(format));
    HEFT_TRY(in_time, in_seconds(std::move(whole), format));
    return SourcePtr(new FirstRows(std::move(in_time), most_rows, last));
  };
  return {log.name(), open, log.part()};
}

}  // namespace heft
