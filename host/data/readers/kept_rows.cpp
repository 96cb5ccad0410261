#include "readers/kept_rows.hpp"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr double kOpenFile = 5e5;  ///< bytes of a source that stays open beside its rows

/// All fields; a new one does not compile until it is listed.
bool are_equal(const LogFormat& one, const LogFormat& other) {
  const auto fields = [](const LogFormat& format) {
    const auto& [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w] = format;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w);
  };
  return fields(one) == fields(other);
}

/// The rows of one pass from the first on.
struct KeptPass {
  struct Block {
    int group = 0;
    std::int64_t num_rows = 0;
    std::vector<double> numbers;  // column by column
    std::vector<std::int64_t> lines;
  };
  LogFormat format;
  std::vector<std::vector<int>> columns;  // as selected
  std::vector<Block> blocks;
  bool is_complete = false;
  SourcePtr source;    // that was read: it knows the places of rows
  std::string sha256;  // once it was asked for
};

/// The pass of a log, once there is one. Threads: safe to share.
class PassOfLog {
 public:
  std::shared_ptr<KeptPass> with(const LogFormat& format) const {
    const std::lock_guard lock(mutex_);
    return pass_ && are_equal(pass_->format, format) ? pass_ : nullptr;
  }
  /// Keeps the first pass only: others may be reading its rows.
  void keep(std::shared_ptr<KeptPass> pass) {
    const std::lock_guard lock(mutex_);
    if (!pass_) pass_ = std::move(pass);
  }
  std::mutex& mutex() const { return mutex_; }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<KeptPass> pass_;
};

/// Reads a log and keeps its rows.
class KeepingSource : public SourceOver {
 public:
  KeepingSource(SourcePtr source, const LogFormat& format, std::shared_ptr<PassOfLog> pass_of_log,
                std::shared_ptr<RowMemory> memory)
      : SourceOver(std::move(source)),
        pass_(std::make_shared<KeptPass>()),
        pass_of_log_(std::move(pass_of_log)),
        memory_(std::move(memory)) {
    pass_->format = format;
  }
  ~KeepingSource() override {
    if (has_failed_ || pass_->blocks.empty()) return;
    pass_->source = std::move(source_);
    pass_of_log_->keep(std::move(pass_));
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    pass_->columns = columns;
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    auto found = source_->next(block);
    has_failed_ = has_failed_ || !found;
    if (!found) return found;
    if (!*found) pass_->is_complete = has_room_;
    if (*found && has_room_) keep(block);
    return found;
  }

  Result<std::string> sha256() override {
    auto digest = source_->sha256();
    if (digest) pass_->sha256 = *digest;
    has_failed_ = has_failed_ || !digest;
    return digest;
  }

 private:
  void keep(const ColumnBlock& block) {
    const double bytes = sizeof(double) * static_cast<double>(block.num_rows) *
                             static_cast<double>(block.columns.size() + 1) +
                         (pass_->blocks.empty() ? kOpenFile : 0);
    bytes_ += bytes;
    has_room_ = bytes_ <= memory_->bytes_of_log() && memory_->take(bytes);
    if (!has_room_) return;
    KeptPass::Block& kept = pass_->blocks.emplace_back();
    kept.group = block.group;
    kept.num_rows = block.num_rows;
    kept.lines = block.lines;
    kept.numbers.resize(static_cast<std::size_t>(block.num_rows) * block.columns.size());
    double* to = kept.numbers.data();
    for (const ColumnBlock::Column& column : block.columns)
      for (std::int64_t row = 0; row < block.num_rows; ++row) *to++ = column[row];
  }

  std::shared_ptr<KeptPass> pass_;
  std::shared_ptr<PassOfLog> pass_of_log_;
  std::shared_ptr<RowMemory> memory_;
  double bytes_ = 0;  // of its rows
  bool has_room_ = true, has_failed_ = false;
};

/// Hands on the rows of a pass, and those after them from the log.
class KeptSource : public Source {
  /// Another thread may be reading to the end of the pass's source for its digest.
  template <class Get>
  auto of_source(const Get& get) const {
    if (opened_) return get(*opened_);
    const std::lock_guard lock(pass_of_log_->mutex());
    return get(*pass_->source);
  }

 public:
  KeptSource(Log log, std::shared_ptr<KeptPass> pass, std::shared_ptr<PassOfLog> pass_of_log)
      : log_(std::move(log)), pass_(std::move(pass)), pass_of_log_(std::move(pass_of_log)) {
    name_ = pass_->source->name();
    groups_ = pass_->source->groups();
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    columns_ = columns;
    return columns == pass_->columns ? Result<Done>(Done{}) : open();
  }

  Result<bool> next(ColumnBlock& block) override {
    if (opened_) return opened_->next(block);
    if (num_handed_on_ < pass_->blocks.size()) {
      hand_on(pass_->blocks[num_handed_on_++], block);
      return true;
    }
    if (pass_->is_complete) return false;
    HEFT_CHECK(open());
    for (std::size_t k = 0; k <= num_handed_on_; ++k) {
      HEFT_TRY(found, opened_->next(block));
      if (!found) return false;
    }
    return true;
  }

  std::string where(int group, std::int64_t line) const override {
    return of_source([&](const Source& source) { return source.where(group, line); });
  }
  std::string where() const override {
    return of_source([](const Source& source) { return source.where(); });
  }
  double fraction_read() const override {
    if (opened_) return opened_->fraction_read();
    if (!pass_->is_complete) return 0;
    return static_cast<double>(num_handed_on_) / static_cast<double>(pass_->blocks.size());
  }
  double disk_seconds() const override { return opened_ ? opened_->disk_seconds() : 0; }
  std::vector<std::string> losses() const override {
    return of_source([](const Source& source) { return source.losses(); });
  }
  std::int64_t origin() const override {
    return of_source([](const Source& source) { return source.origin(); });
  }

  Result<std::string> sha256() override {
    if (opened_) return opened_->sha256();
    const std::lock_guard lock(pass_of_log_->mutex());
    if (!pass_->sha256.empty()) return pass_->sha256;
    HEFT_TRY(digest, pass_->source->sha256());
    return pass_->sha256 = digest;
  }

 private:
  Result<Done> open() {
    HEFT_TRY(opened, log_.open(pass_->format));
    opened_ = std::move(opened);
    return opened_->select(columns_);
  }

  static void hand_on(const KeptPass::Block& kept, ColumnBlock& block) {
    block.group = kept.group;
    block.num_rows = kept.num_rows;
    block.lines = kept.lines;
    block.numbers = kept.numbers;
    block.columns.clear();
    const auto num_columns =
        static_cast<std::int64_t>(kept.numbers.size()) / std::max<std::int64_t>(1, kept.num_rows);
    for (std::int64_t c = 0; c < num_columns; ++c)
      block.columns.push_back({block.numbers.data() + c * kept.num_rows, 1});
  }

  Log log_;
  std::shared_ptr<KeptPass> pass_;
  std::shared_ptr<PassOfLog> pass_of_log_;
  std::vector<std::vector<int>> columns_;
  std::size_t num_handed_on_ = 0;  // blocks
  SourcePtr opened_;               // instead of the rows that were kept
};

}  // namespace

bool RowMemory::take(double bytes) {
  double left = left_.load();
  while (left >= bytes)
    if (left_.compare_exchange_weak(left, left - bytes)) return true;
  return false;
}

Log with_kept_rows(const Log& log, std::shared_ptr<RowMemory> memory) {
  const auto pass_of_log = std::make_shared<PassOfLog>();
  const auto open = [log, memory, pass_of_log](const LogFormat& format) -> Result<SourcePtr> {
    if (auto pass = pass_of_log->with(format))
      return SourcePtr(new KeptSource(log, std::move(pass), pass_of_log));
    HEFT_TRY(opened, log.open(format));
    // its class says that its stamps are converted
    if (dynamic_cast<const SourceInSeconds*>(opened.get())) return std::move(opened);
    return SourcePtr(new KeepingSource(std::move(opened), format, pass_of_log, memory));
  };
  return {log.name(), open, log.part()};
}

}  // namespace heft
