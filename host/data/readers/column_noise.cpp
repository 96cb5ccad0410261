#include "readers/column_noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/random_stream.hpp"
#include "stamp_source.hpp"

namespace heft {

namespace {

constexpr std::uint64_t kSeed = 57;

/// Calls visit(place among the selected columns, name) for the selected columns of a group.
template <class Visit>
void for_selected(const ColumnGroup& group, const std::vector<int>& selected, const Visit& visit) {
  for (std::size_t k = 0; k < selected.size(); ++k)
    visit(static_cast<int>(k), group.columns[static_cast<std::size_t>(selected[k])]);
}

/// The rows of another source with noise in some columns.
class NoisySource : public SourceInSeconds {
 public:
  NoisySource(SourcePtr source, std::map<std::string, double> deviations)
      : SourceInSeconds(std::move(source)), deviations_(std::move(deviations)), random_(kSeed) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    noisy_.assign(groups_.size(), {});
    for (std::size_t g = 0; g < std::min(groups_.size(), columns.size()); ++g)
      for_selected(groups_[g], columns[g], [&](int place, const std::string& name) {
        if (const auto found = deviations_.find(name); found != deviations_.end())
          noisy_[g].push_back({place, found->second});
      });
    return source_->select(columns);
  }

  Result<bool> next(ColumnBlock& block) override {
    HEFT_TRY(has_rows, source_->next(block));
    if (!has_rows) return false;
    for (const auto& [place, deviation] : noisy_[static_cast<std::size_t>(block.group)]) {
      const ColumnBlock::Column& column = block.columns[static_cast<std::size_t>(place)];
      std::vector<double> numbers;
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        numbers.push_back(column[row] + deviation * random_.normal());
      replace_column(block, place, numbers);
    }
    return true;
  }

  /// Empty: the rows are not those of the log.
  Result<std::string> sha256() override { return std::string(); }

 private:
  std::map<std::string, double> deviations_;
  RandomStream random_;
  std::vector<std::vector<std::pair<int, double>>> noisy_;  // of each group: place, deviation
};

}  // namespace

double white_noise(const std::vector<double>& signal) {
  constexpr std::array<double, 7> kDifference = {1, -6, 15, -20, 15, -6, 1};
  constexpr double kSquares = 924;      // of the coefficients
  constexpr double kPercentile = 0.59;  // of white noise of variance 1
  constexpr std::size_t kWindow = 50, kFewestWindows = 10;
  std::vector<double> squares;  // mean square of each window
  double sum = 0;
  for (std::size_t i = 0; i + kDifference.size() <= signal.size(); ++i) {
    double difference = 0;
    for (std::size_t k = 0; k < kDifference.size(); ++k)
      difference += kDifference[k] * signal[i + k];
    sum += difference * difference / kSquares;
    if ((i + 1) % kWindow != 0) continue;
    if (std::isfinite(sum)) squares.push_back(sum / kWindow);
    sum = 0;
  }
  if (squares.size() < kFewestWindows) return 0;
  const auto tenth = squares.begin() + std::ssize(squares) / 10;
  std::nth_element(squares.begin(), tenth, squares.end());
  return std::sqrt(*tenth / kPercentile);
}

Result<std::map<std::string, double>> noise_of_columns(const Log& log, const LogFormat& format,
                                                       const std::vector<std::string>& columns,
                                                       std::int64_t most_rows) {
  HEFT_TRY(source, log.open(format));
  std::vector<std::vector<int>> selected;
  std::vector<std::vector<std::vector<double>>> signals;  // of each group and selected column
  for (const ColumnGroup& group : source->groups()) {
    std::vector<int>& of_group = selected.emplace_back();
    for (std::size_t c = 0; c < group.columns.size(); ++c)
      if (std::ranges::find(columns, group.columns[c]) != columns.end())
        of_group.push_back(static_cast<int>(c));
    signals.emplace_back(of_group.size());
  }
  HEFT_CHECK(source->select(selected));
  ColumnBlock block;
  for (std::int64_t num_read = 0; num_read < most_rows;) {
    HEFT_TRY(has_rows, source->next(block));
    if (!has_rows) break;
    auto& of_group = signals[static_cast<std::size_t>(block.group)];
    for (std::size_t k = 0; k < of_group.size(); ++k)
      for (std::int64_t row = 0; row < block.num_rows; ++row)
        of_group[k].push_back(block.columns[k][row]);
    num_read += block.num_rows;
  }
  std::map<std::string, double> noise;
  for (std::size_t g = 0; g < selected.size(); ++g)
    for_selected(source->groups()[g], selected[g], [&](int place, const std::string& name) {
      noise[name] = white_noise(signals[g][static_cast<std::size_t>(place)]);
    });
  return noise;
}

Log with_noise(const Log& log, const std::map<std::string, double>& deviations, double factor) {
  std::map<std::string, double> scaled = deviations;
  for (auto& [name, deviation] : scaled) deviation *= factor;
  const auto open = [log, scaled](const LogFormat& format) -> Result<SourcePtr> {
    HEFT_TRY(source, log.open(format));
    HEFT_TRY(in_time, in_seconds(std::move(source), format));
    return SourcePtr(new NoisySource(std::move(in_time), scaled));
  };
  return {log.name(), open, log.part()};
}

}  // namespace heft
