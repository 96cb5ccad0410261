#include "stamp_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/median.hpp"

namespace heft {

namespace {

struct Unit {
  const char* name;
  double seconds;
};
constexpr std::array<Unit, 4> kTimeUnits = {{{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};

constexpr double kFirstEpoch = 946684800,
                 kLastEpoch = 4102444800;  ///< [s] since 1970: the years 2000 to 2100
constexpr double kShortestStep = 1e-5, kLongestStep = 0.5;  ///< [s] between rows of a log

// Suffixes of column names for seconds and nanoseconds.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kPairs = {
    {{"secs", "nsecs"},
     {"sec", "nanosec"},
     {"sec", "nsec"},
     {"seconds", "nanoseconds"},
     {"secs", "nanosecs"},
     {"sec", "nanoseconds"},
     {"_s", "_ns"}}};
constexpr std::string_view kMayBeTheSameTwice = "_s";  ///< one time in two units, unless declared
                                                       ///< to be two parts

int find(const std::vector<std::string>& columns, const std::string& name) {
  const auto found = std::find(columns.begin(), columns.end(), name);
  return found == columns.end() || name.empty() ? -1 : static_cast<int>(found - columns.begin());
}

/// The first column of every name; filled when it is needed, which most headers never do.
using ColumnIndex = std::unordered_map<std::string_view, int>;

/// Columns of nanoseconds that belong to one of seconds.
std::vector<int> nanoseconds_beside(const std::vector<std::string>& columns, ColumnIndex& index,
                                    const std::string& seconds, bool asked) {
  std::vector<int> found;
  for (const auto& [sec, nsec] : kPairs) {
    if (!seconds.ends_with(sec) || (sec == kMayBeTheSameTwice && !asked)) continue;
    if (index.empty())
      for (std::size_t k = 0; k < columns.size(); ++k)
        index.emplace(columns[k], static_cast<int>(k));
    const auto column =
        index.find(seconds.substr(0, seconds.size() - sec.size()) + std::string(nsec));
    if (column != index.end() &&
        std::find(found.begin(), found.end(), column->second) == found.end())
      found.push_back(column->second);
  }
  return found;
}

bool is_unit(const std::string& unit) {
  return unit == "auto" || unit == "iso" || unit == "sec_nsec" ||
         std::any_of(kTimeUnits.begin(), kTimeUnits.end(),
                     [&](const Unit& one) { return unit == one.name; });
}

/// The unit in which stamps are plausible times since 1970, milliseconds apart; otherwise seconds.
double certain_unit(const ColumnBlock::Column& stamps, std::int64_t num_rows) {
  std::vector<double> steps;
  for (std::int64_t row = 1; row < num_rows; ++row)
    if (stamps[row] > stamps[row - 1]) steps.push_back(stamps[row] - stamps[row - 1]);
  if (steps.empty()) return 1;
  const double step = median(std::move(steps));
  for (const auto& [name, seconds] : kTimeUnits) {
    const double first = stamps[0] * seconds;
    if (first > kFirstEpoch && first < kLastEpoch && step * seconds > kShortestStep &&
        step * seconds < kLongestStep)
      return seconds;
  }
  return 1;
}

class StampSource final : public SourceOver {
 public:
  StampSource(SourcePtr source, std::string unit)
      : SourceOver(std::move(source)), unit_(std::move(unit)) {
    nanoseconds_.assign(groups_.size(), -1);
    places_.resize(groups_.size());
  }

  Result<Done> find_clocks(const LogFormat& format);

  Result<Done> select(const std::vector<std::vector<int>>& columns) override;
  Result<bool> next(ColumnBlock& block) override;
  std::int64_t origin() const override {
    return source_->origin() + std::llround(origin_ * seconds_.value_or(0));
  }

 private:
  /// Places among the columns selected of a group; -1: not selected.
  struct Places {
    int clock = -1, nanoseconds = -1;
    bool hides_nanoseconds = false;
  };

  Result<Done> find_clock(ColumnGroup& group, int& nanoseconds, const LogFormat& format) const;
  void decide(const ColumnBlock& block, const Places& places);

  std::string unit_;
  std::vector<int> nanoseconds_;   ///< per group; -1: none
  std::vector<Places> places_;     ///< per group
  std::optional<double> seconds_;  ///< of a unit, once it is decided
  double origin_ = 0;              ///< in units of the stamps
  std::vector<double> stamps_;
};

Result<Done> StampSource::find_clocks(const LogFormat& format) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    HEFT_CHECK(find_clock(groups_[g], nanoseconds_[g], format));
  return Done{};
}

Result<Done> StampSource::find_clock(ColumnGroup& group, int& nanoseconds,
                                     const LogFormat& format) const {
  const bool asked = format.time_unit == "sec_nsec" || !format.time_nanoseconds.empty();
  if (!asked && format.time_unit != "auto") return Done{};
  if (!format.time_nanoseconds.empty()) {
    nanoseconds = find(group.columns, format.time_nanoseconds);
    if (nanoseconds >= 0 && nanoseconds != group.clock) return Done{};
    return Error{source_->where(),
                 fmt::format("no column '{}' for the nanoseconds of '{}'", format.time_nanoseconds,
                             format.time),
                 "name both columns: log: {time: [SECONDS, NANOSECONDS]}"};
  }
  const char* const kRemedy =
      "name both columns: log: {time_unit: sec_nsec, time: [SECONDS, NANOSECONDS]}";
  std::vector<std::pair<int, int>> pairs;
  ColumnIndex index;
  for (std::size_t k = 0; k < group.columns.size(); ++k)
    if (group.clock < 0 || group.clock == static_cast<int>(k))
      for (const int beside : nanoseconds_beside(group.columns, index, group.columns[k], asked))
        pairs.emplace_back(static_cast<int>(k), beside);
  if (pairs.size() == 1) {
    std::tie(group.clock, nanoseconds) = pairs.front();
    return Done{};
  }
  if (pairs.empty() && !asked) return Done{};
  if (pairs.empty())
    return Error{source_->where(), "has no pair of columns for seconds and nanoseconds", kRemedy};
  constexpr std::size_t kMaxPairsShown = 4;
  std::string shown;
  for (std::size_t p = 0; p < std::min(pairs.size(), kMaxPairsShown); ++p)
    shown += fmt::format("{}{} and {}", p > 0 ? ", " : "",
                         group.columns[static_cast<std::size_t>(pairs[p].first)],
                         group.columns[static_cast<std::size_t>(pairs[p].second)]);
  if (pairs.size() > kMaxPairsShown)
    shown += fmt::format(" and {} more", pairs.size() - kMaxPairsShown);
  return Error{source_->where(),
               "has several pairs of columns for seconds and nanoseconds: " + shown, kRemedy};
}

Result<Done> StampSource::select(const std::vector<std::vector<int>>& columns) {
  std::vector<std::vector<int>> selected = columns;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::vector<int>& wanted = selected[g];
    const auto has = [&](int column) {
      return std::binary_search(wanted.begin(), wanted.end(), column);
    };
    Places& places = places_[g];
    if (groups_[g].clock < 0 || !has(groups_[g].clock)) continue;
    places.hides_nanoseconds = nanoseconds_[g] >= 0 && !has(nanoseconds_[g]);
    if (places.hides_nanoseconds)
      wanted.insert(std::lower_bound(wanted.begin(), wanted.end(), nanoseconds_[g]),
                    nanoseconds_[g]);
    const auto place = [&](int column) {
      return static_cast<int>(std::lower_bound(wanted.begin(), wanted.end(), column) -
                              wanted.begin());
    };
    places.clock = place(groups_[g].clock);
    if (nanoseconds_[g] >= 0) places.nanoseconds = place(nanoseconds_[g]);
  }
  return source_->select(selected);
}

// Determines unit and origin of all stamps from the first block.
void StampSource::decide(const ColumnBlock& block, const Places& places) {
  const ColumnBlock::Column& stamps = block.columns[static_cast<std::size_t>(places.clock)];
  const auto named = std::find_if(kTimeUnits.begin(), kTimeUnits.end(),
                                  [&](const Unit& unit) { return unit_ == unit.name; });
  if (named != kTimeUnits.end()) {
    seconds_ = named->seconds;
  } else {
    seconds_ =
        places.nanoseconds >= 0 || unit_ != "auto" ? 1 : certain_unit(stamps, block.num_rows);
  }
  const double first = std::floor(stamps[0] * *seconds_);
  const bool loses_digits = *seconds_ != 1 || places.nanoseconds >= 0;
  if (loses_digits && first > kFirstEpoch && first < kLastEpoch)
    origin_ = std::round(first / *seconds_);
}

Result<bool> StampSource::next(ColumnBlock& block) {
  HEFT_TRY(found, source_->next(block));
  if (!found || block.num_rows == 0) return found;
  const Places& places = places_[static_cast<std::size_t>(block.group)];
  if (places.clock < 0) return true;
  if (!seconds_) decide(block, places);
  if (*seconds_ == 1 && places.nanoseconds < 0) return true;
  const ColumnBlock::Column clock = block.columns[static_cast<std::size_t>(places.clock)];
  stamps_.resize(static_cast<std::size_t>(block.num_rows));
  for (std::int64_t row = 0; row < block.num_rows; ++row) {
    double& stamp = stamps_[static_cast<std::size_t>(row)];
    stamp = (clock[row] - origin_) * *seconds_;
    if (places.nanoseconds >= 0)
      stamp += 1e-9 * block.columns[static_cast<std::size_t>(places.nanoseconds)][row];
  }
  replace_column(block, places.clock, stamps_);
  if (places.hides_nanoseconds) block.columns.erase(block.columns.begin() + places.nanoseconds);
  return true;
}

}  // namespace

// Columns in the block's memory move with it.
void replace_column(ColumnBlock& block, int place, const std::vector<double>& numbers) {
  const double* const before = block.numbers.data();
  const std::size_t size = block.numbers.size();
  block.numbers.insert(block.numbers.end(), numbers.begin(), numbers.end());
  for (ColumnBlock::Column& column : block.columns)
    if (size > 0 && !std::less<>()(column.first, before) &&
        std::less<>()(column.first, before + size))
      column.first = block.numbers.data() + (column.first - before);
  block.columns[static_cast<std::size_t>(place)] = {block.numbers.data() + size, 1};
}

namespace {

/// A table without a column of time, whose rows are counted: one more column has the time of each
/// at a rate.
class CountedSource : public SourceInSeconds {
 public:
  CountedSource(SourcePtr source, const LogFormat& format)
      : SourceInSeconds(std::move(source)), step_(1 / (format.rate_hz * format.time_scale)) {
    ColumnGroup& group = groups_.front();
    group.clock = static_cast<int>(group.columns.size());
    group.columns.push_back(format.time);
  }

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    std::vector<std::vector<int>> others = columns;
    std::vector<int>& of_group = others.front();
    wants_time_ = !of_group.empty() && of_group.back() == groups_.front().clock;
    if (wants_time_) of_group.pop_back();
    wants_time_alone_ = wants_time_ && of_group.empty();
    if (wants_time_alone_) of_group = {0};  // rows are counted by some column
    return source_->select(others);
  }

  Result<bool> next(ColumnBlock& block) override {
    HEFT_TRY(has_rows, source_->next(block));
    if (!has_rows || !wants_time_) return has_rows;
    std::vector<double> time(static_cast<std::size_t>(block.num_rows));
    for (double& t : time) t = step_ * static_cast<double>(num_rows_++);
    if (!wants_time_alone_) block.columns.emplace_back();
    replace_column(block, static_cast<int>(block.columns.size()) - 1, time);
    return true;
  }

 private:
  double step_;  ///< in units of the time column
  bool wants_time_ = false, wants_time_alone_ = false;
  std::int64_t num_rows_ = 0;
};

bool lacks_time(const Source& source, const LogFormat& format) {
  const ColumnGroup& group = source.groups().front();
  return format.rate_hz > 0 && source.groups().size() == 1 && group.clock < 0 &&
         !group.columns.empty() &&
         std::find(group.columns.begin(), group.columns.end(), format.time) == group.columns.end();
}

}  // namespace

Result<SourcePtr> in_seconds(SourcePtr source, const LogFormat& format) {
  if (dynamic_cast<const SourceInSeconds*>(source.get()) != nullptr) return source;
  if (lacks_time(*source, format)) return SourcePtr(new CountedSource(std::move(source), format));
  if (!is_unit(format.time_unit))
    return Error{"log.time_unit", "'" + format.time_unit + "' is unknown",
                 "give s, ms, us, ns, iso, sec_nsec or auto"};
  if (!format.time_nanoseconds.empty() && format.time_unit != "auto" &&
      format.time_unit != "sec_nsec")
    return Error{"log.time",
                 fmt::format("names two columns, '{}' and '{}', for a time in {}", format.time,
                             format.time_nanoseconds, format.time_unit),
                 "name one; or set log.time_unit: sec_nsec, if the second contains nanoseconds"};
  if (format.time_scale != 1) {
    if (format.time_unit == "auto" && format.time_nanoseconds.empty()) return source;
    return Error{"log.time_unit",
                 fmt::format("conflicts with log.time_scale ({:g}): both set the unit of stamps",
                             format.time_scale),
                 "remove one of them"};
  }
  if (format.time_unit == "s" || format.time_unit == "iso") return source;
  auto stamps = std::make_unique<StampSource>(std::move(source), format.time_unit);
  HEFT_CHECK(stamps->find_clocks(format));
  return SourcePtr(std::move(stamps));
}

}  // namespace heft
