#include "conditioning/supply_voltage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "conditioning/log_columns.hpp"
#include "files/name_hint.hpp"
#include "readers/source_over.hpp"

namespace heft {

namespace {

/// Reads the voltage in addition to the selected columns and scales the torques among them.
class ScaledSource final : public SourceOver {
 public:
  ScaledSource(SourcePtr source, int voltage, double nominal, std::vector<int> torques)
      : SourceOver(std::move(source)),
        voltage_(voltage),
        nominal_(nominal),
        torques_(std::move(torques)) {}

  Result<Done> select(const std::vector<std::vector<int>>& columns) override {
    std::vector<std::vector<int>> selected = columns;
    scaled_.clear();
    place_ = -1;
    if (!selected.empty()) {
      std::vector<int>& first = selected.front();
      for (std::size_t k = 0; k < first.size(); ++k)
        if (std::ranges::find(torques_, first[k]) != torques_.end()) scaled_.push_back(k);
      const auto found = std::ranges::lower_bound(first, voltage_);
      is_added_ = !scaled_.empty() && (found == first.end() || *found != voltage_);
      place_ = found - first.begin();
      if (is_added_) {
        first.insert(found, voltage_);
        for (std::size_t& k : scaled_)
          if (static_cast<std::ptrdiff_t>(k) >= place_) ++k;
      }
    }
    return source_->select(selected);
  }

  Result<bool> next(ColumnBlock& block) override {
    HEFT_TRY(has_rows, source_->next(block));
    if (!has_rows || block.group != 0 || scaled_.empty()) return has_rows;
    const auto num_rows = static_cast<std::size_t>(block.num_rows);
    // the block owns its numbers: a thread may read it while this source reads on
    std::vector<double> numbers(num_rows * block.columns.size());
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      for (std::size_t row = 0; row < num_rows; ++row)
        numbers[k * num_rows + row] = block.columns[k][static_cast<std::int64_t>(row)];
    const double* const voltage = numbers.data() + static_cast<std::size_t>(place_) * num_rows;
    for (const std::size_t k : scaled_)
      for (std::size_t row = 0; row < num_rows; ++row)
        numbers[k * num_rows + row] *=
            voltage[row] > 0 ? voltage[row] / nominal_ : std::numeric_limits<double>::quiet_NaN();
    block.numbers = std::move(numbers);
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      block.columns[k] = {block.numbers.data() + k * num_rows, 1};
    if (is_added_) block.columns.erase(block.columns.begin() + place_);
    return true;
  }

 private:
  int voltage_;
  double nominal_;
  std::vector<int> torques_;         // columns of the first group
  std::vector<std::size_t> scaled_;  // their places among the columns that the source delivers
  std::ptrdiff_t place_ = -1;        // of the voltage among these
  bool is_added_ = false;            // the voltage itself was not selected
};

Result<SourcePtr> scaled(SourcePtr source, const SupplyVoltage& supply, const Robot& robot,
                         const std::vector<Channel>& channels, const LogFormat& format,
                         const ConditioningOptions& options) {
  constexpr const char* kOption = "log.supply_voltage";
  const ColumnGroup& table = source->groups().front();
  const auto found = std::ranges::find(table.columns, supply.column);
  if (found == table.columns.end())
    return Error{source->where(), fmt::format("no column '{}' ({})", supply.column, kOption),
                 name_hint(supply.column, table.columns, "the header has")};
  HEFT_TRY(columns, find_log_columns(table, robot, channels, format, options, {}, source->where()));
  std::vector<int> torques;
  for (std::size_t c = 0; c < channels.size(); ++c)
    if (const int value = columns.torque[c]; value >= 0 && channels[c].coordinate >= 0)
      torques.push_back(columns.values[static_cast<std::size_t>(value)].column);
  const auto voltage = static_cast<int>(found - table.columns.begin());
  return SourcePtr(new ScaledSource(std::move(source), voltage, supply.nominal, torques));
}

}  // namespace

Log with_supply_voltage(const Log& log, const SupplyVoltage& supply, const Robot& robot,
                        const std::vector<Channel>& channels, const ConditioningOptions& options) {
  if (!supply.is_given()) return log;
  const auto of = std::make_shared<const std::pair<Robot, std::vector<Channel>>>(robot, channels);
  return {log.name(),
          [log, supply, of, options](const LogFormat& format) -> Result<SourcePtr> {
            HEFT_TRY(source, log.open(format));
            return scaled(std::move(source), supply, of->first, of->second, format, options);
          },
          log.part()};
}

}  // namespace heft
