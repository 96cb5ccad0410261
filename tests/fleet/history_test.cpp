// The days of a robot: each has the estimate and the intervals of its own logs, as if there were no
// others.
#include "history.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "heft/config/module_options.hpp"
#include "heft/solve/least_squares.hpp"
#include "identify/gathering.hpp"
#include "tests/fleet/stored_leaves.hpp"

namespace heft {
namespace {

class Days : public StoredLeaves {
 protected:
  /// Puts logs of different length in the order c, b, a.
  Days() {
    add_log("c", 2.9, 1100);
    for (auto* list : {&keys_, &sha256_}) std::swap(list->front(), list->back());
    std::swap(rows_.front(), rows_.back());
    rows_[0].recorded = rows_[2].recorded = "2026-11-02";
    rows_[1].recorded = "2026-11-03";
    stored();
  }

  std::vector<RecordedDay> days() {
    const auto found =
        days_of({.training = rows_, .leaf_keys = keys_}, *robot_, *data_of({}), *store_, {});
    EXPECT_TRUE(found) << found.error().message();
    return *found;
  }

  /// The uncertainty by these logs alone.
  Uncertainty by(const std::vector<std::size_t>& places) {
    std::vector<FleetRow> rows;
    std::vector<std::string> keys;
    for (const std::size_t k : places) rows.push_back(rows_[k]), keys.push_back(keys_[k]);
    const TrainingData data = *training_data_of(rows, keys, {}, *robot_, *store_, {});
    const EstimationOptions options = estimation_options(robot_->configuration);
    const auto& setup = robot_->setup;
    const auto x = *point_estimate(data.moments, setup, options);
    const auto fit = *fit_weighted(data.moments, options.weighting_passes, options.rank_cut);
    return *quantify_uncertainty(data, fit.channel_weights, setup.prior, setup.constraints,
                                 {**make_executor(), options.solve}, options.rank_cut, x,
                                 {.bootstrap = 0});
  }

  /// Checks values and widths of one kind; returns the number of widths.
  int expect_numbers(const std::map<std::string, double>& values,
                     const std::map<std::string, double>& widths, const std::string& suffix,
                     const Uncertainty& expected) {
    const ParameterLayout& layout = robot_->setup.plan().layout;
    int num_widths = 0;
    for (int k = 0; k < layout.num_parameters(); ++k) {
      const auto found = std::find_if(values.begin(), values.end(), [&](const auto& entry) {
        return entry.first + suffix == layout.name(k);
      });
      if (found == values.end()) continue;
      EXPECT_NEAR(found->second, expected.estimate[k], 1e-9) << layout.name(k);
      const auto& interval = expected.intervals[static_cast<std::size_t>(k)];
      const auto width = widths.find(found->first);
      EXPECT_EQ(width != widths.end(), interval.has_value()) << layout.name(k);
      if (width == widths.end() || !interval) continue;
      ++num_widths;
      EXPECT_NEAR(width->second, interval->upper - expected.estimate[k], 1e-7 * width->second)
          << layout.name(k);
    }
    return num_widths;
  }

  void expect_day(const RecordedDay& day, const Uncertainty& expected) {
    EXPECT_EQ(day.masses.size(), 2u);
    EXPECT_GT(expect_numbers(day.masses, day.mass_widths, ".m", expected) +
                  expect_numbers(day.columns, day.column_widths, "", expected),
              2)
        << day.date;
  }
};

TEST_F(Days, HaveTheIntervalsOfTheirOwnLogs) {
  const std::vector<RecordedDay> found = days();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].date, "2026-11-02");
  expect_day(found[0], by({0, 2}));
  expect_day(found[1], by({1}));
}

TEST_F(Days, AreNoneWithOneDate) {
  for (FleetRow& row : rows_) row.recorded = "2026-11-02";
  EXPECT_TRUE(days().empty());
}

}  // namespace
}  // namespace heft
