#include "readers/foreign_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "readers/source_over.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr double kCloser = 0.5;  // distance of the neighbors from each other over that from the run
constexpr double kMostColumns = 0.6;  // share of the columns that change
constexpr int kFewestColumns = 2;     // that change
constexpr std::int64_t kFewestRuns = 3;
constexpr double kOddRuns = 0.5;   // share of the runs of equal rows
constexpr double kFar = 0.05;      // of a column's range
constexpr double kAllRows = 0.95;  // share of the rows: the rest would not be a motion
constexpr std::size_t kMaxCandidates = 1 << 12;  // kinds of rows that are remembered

std::uint64_t bits_of(double number) {
  return std::bit_cast<std::uint64_t>(std::isnan(number) ? std::nan("") : number + 0.0);
}

std::uint64_t hash_of(const Eigen::Ref<const Eigen::ArrayXd>& row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const double number : row) hash = std::rotl(hash ^ bits_of(number), 27) * 0x9fb21c651e98df25;
  return hash;
}

/// Most columns of a run are far from the rows before and after it, which are close to each other.
bool is_odd(const Eigen::ArrayXd& before, const Eigen::ArrayXd& run,
            const Eigen::Ref<const Eigen::ArrayXd>& after) {
  const double most_even = (1 - kMostColumns) * static_cast<double>(run.size()) + 0.5;
  int num_even = 0, num_odd = 0;  // of the columns that change
  for (Eigen::Index c = 0; c < run.size(); ++c) {
    const double between = std::abs(before[c] - after[c]),
                 apart = std::min(std::abs(run[c] - before[c]), std::abs(run[c] - after[c]));
    if (!(between + apart > 0)) continue;  // constant, or without a number
    if (between < kCloser * apart)
      ++num_odd;
    else if (++num_even > most_even)
      return false;
  }
  const int num_changing = num_even + num_odd;
  return num_changing >= kFewestColumns && num_odd >= kMostColumns * num_changing;
}

/// One of 64 bits, by the first number of a row.
std::uint64_t kind_of(const Eigen::ArrayXd& row) {
  return std::uint64_t{1} << (row.size() == 0 ? 0 : bits_of(row[0]) * 0x9fb21c651e98df25 >> 58);
}

}  // namespace

bool are_equal_rows(const Eigen::Ref<const Eigen::ArrayXd>& a,
                    const Eigen::Ref<const Eigen::ArrayXd>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

bool ForeignRows::contains(const Eigen::Ref<const Eigen::ArrayXd>& row) const {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Eigen::ArrayXd& kind) { return are_equal_rows(kind, row); });
}

void ForeignRowSearch::push(const Eigen::Ref<const Eigen::ArrayXd>& row, std::int64_t line) {
  if (num_rows_++ == 0) {
    lowest_.setConstant(row.size(), std::numeric_limits<double>::infinity());
    highest_ = -lowest_;
  }
  // for each of many rows: no branches, no temporary array
  const double* const number = row.data();
  double *const lowest = lowest_.data(), *const highest = highest_.data();
  for (Eigen::Index c = 0; c < row.size(); ++c) {
    lowest[c] = number[c] < lowest[c] ? number[c] : lowest[c];
    highest[c] = number[c] > highest[c] ? number[c] : highest[c];
  }
  if (rows_of_run_ > 0 && are_equal_rows(row, run_)) {
    ++rows_of_run_;
    return;
  }
  if (rows_of_run_ > 0) {
    close_run(row);
    std::swap(before_, run_);
    has_before_ = true;
  }
  run_ = row;
  rows_of_run_ = 1;
  line_of_run_ = line;
}

void ForeignRowSearch::close_run(const Eigen::Ref<const Eigen::ArrayXd>& after) {
  const bool is_first = !has_before_, odd = !is_first && is_odd(before_, run_, after);
  if (!odd && !is_first && (kinds_ & kind_of(run_)) == 0) return;  // no candidate
  const std::uint64_t hash = hash_of(run_);
  auto found = candidates_.find(hash);
  if (found == candidates_.end()) {
    if ((!odd && !is_first) || candidates_.size() == kMaxCandidates) return;
    kinds_ |= kind_of(run_);
    found = candidates_
                .emplace(hash, Candidate{.row = run_,
                                         .first_line = line_of_run_,
                                         .apart = Eigen::ArrayXd::Zero(run_.size())})
                .first;
  }
  Candidate& candidate = found->second;
  if (!are_equal_rows(candidate.row, run_)) return;
  candidate.num_rows += rows_of_run_;
  ++candidate.num_runs;
  if (!odd) return;
  ++candidate.num_odd;
  const Eigen::ArrayXd apart = (run_ - 0.5 * (before_ + after)).abs();
  candidate.apart += apart.isNaN().select(0.0, apart);
}

ForeignRows ForeignRowSearch::found() const {
  ForeignRows foreign;
  const Eigen::ArrayXd range = highest_ - lowest_;
  for (const auto& [hash, candidate] : candidates_) {
    if (candidate.num_odd < kFewestRuns ||
        static_cast<double>(candidate.num_odd) < kOddRuns * static_cast<double>(candidate.num_runs))
      continue;
    const auto asked = range > 0 && !candidate.row.isNaN();
    const auto far = candidate.apart > kFar * static_cast<double>(candidate.num_odd) * range;
    if (2 * (asked && far).count() < asked.count()) continue;
    foreign.rows.push_back(candidate.row);
    foreign.count += candidate.num_rows;
    if (rows_of_run_ > 0 && are_equal_rows(candidate.row, run_)) foreign.count += rows_of_run_;
    if (foreign.first_line == 0 || candidate.first_line < foreign.first_line)
      foreign.first_line = candidate.first_line;
  }
  if (static_cast<double>(foreign.count) > kAllRows * static_cast<double>(num_rows_)) return {};
  return foreign;
}

namespace {

/// Calls `use(row)` for every row of a block, without the clock.
template <class Use>
void for_each_row(const ColumnBlock& block, int clock, const Use& use) {
  Eigen::ArrayXd row(std::ssize(block.columns) - (clock < 0 ? 0 : 1));
  for (std::int64_t k = 0; k < block.num_rows; ++k) {
    Eigen::Index at = 0;
    for (std::size_t c = 0; c < block.columns.size(); ++c)
      if (static_cast<int>(c) != clock) row[at++] = block.columns[c][k];
    use(row, k);
  }
}

/// Keeps the rows of these indices in place.
void keep_rows(ColumnBlock& block, const std::vector<std::int64_t>& kept) {
  std::vector<double> numbers;
  numbers.reserve(kept.size() * block.columns.size());
  for (const ColumnBlock::Column& column : block.columns)
    for (const std::int64_t row : kept) numbers.push_back(column[row]);
  if (!block.lines.empty()) {
    std::vector<std::int64_t> lines;
    for (const std::int64_t row : kept) lines.push_back(block.lines[static_cast<std::size_t>(row)]);
    block.lines = std::move(lines);
  }
  block.numbers = std::move(numbers);
  for (std::size_t c = 0; c < block.columns.size(); ++c)
    block.columns[c] = {block.numbers.data() + c * kept.size(), 1};
  block.num_rows = std::ssize(kept);
}

class SourceWithoutForeignRows : public SourceInSeconds {
 public:
  SourceWithoutForeignRows(Log log, LogFormat format, SourcePtr whole)
      : SourceInSeconds(std::move(whole)), log_(std::move(log)), format_(std::move(format)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    clocks_ = clock_places(groups_, columns);
    HEFT_TRY(foreign, find_foreign_rows(log_, format_, columns));
    foreign_ = std::move(foreign);
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    for (;;) {
      HEFT_TRY(has_rows, source_->next(block));
      if (!has_rows) return false;
      drop_rows(block);
      if (block.num_rows > 0) return true;
    }
  }

 private:
  void drop_rows(ColumnBlock& block) {
    const auto group = static_cast<std::size_t>(block.group);
    if (foreign_[group].rows.empty()) return;
    std::vector<std::int64_t> kept;
    for_each_row(block, clocks_[group], [&](const Eigen::ArrayXd& row, std::int64_t k) {
      if (!foreign_[group].contains(row)) kept.push_back(k);
    });
    if (std::ssize(kept) < block.num_rows) keep_rows(block, kept);
  }

  Log log_;
  LogFormat format_;
  std::vector<int> clocks_;  // of every group, in the columns selected
  std::vector<ForeignRows> foreign_;
};

}  // namespace

Result<std::vector<ForeignRows>> find_foreign_rows(const Log& log, const LogFormat& format,
                                                   const std::vector<std::vector<int>>& columns) {
  HEFT_TRY(opened, log.open(format));
  HEFT_TRY(source, in_seconds(std::move(opened), format));
  HEFT_CHECK(source->select(columns));
  const std::vector<int> clocks = clock_places(source->groups(), columns);
  std::vector<ForeignRowSearch> searches(source->groups().size());
  for (ColumnBlock block;;) {
    HEFT_TRY(has_rows, source->next(block));
    if (!has_rows) break;
    const auto group = static_cast<std::size_t>(block.group);
    for_each_row(block, clocks[group], [&](const Eigen::ArrayXd& row, std::int64_t k) {
      searches[group].push(row, block.lines.empty() ? k : block.lines[static_cast<std::size_t>(k)]);
    });
  }
  std::vector<ForeignRows> found;
  for (const ForeignRowSearch& search : searches) found.push_back(search.found());
  return found;
}

SourcePtr without_foreign_rows(const Log& log, const LogFormat& format, SourcePtr source) {
  return std::make_unique<SourceWithoutForeignRows>(log, format, std::move(source));
}

}  // namespace heft
