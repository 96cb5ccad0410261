#include "sample_rows.hpp"

#include "heft/core/regressor.hpp"

namespace heft::watch {

namespace {

struct Input {
  const double *q, *qd, *qdd, *tau;
  double base[9];

  double position(int k) const { return q[k]; }
  double velocity(int k) const { return qd[k]; }
  double acceleration(int k) const { return qdd[k]; }
  double base_motion(int i) const { return base[i]; }
  double weight(int) const { return 1; }
  double torque(int c) const { return tau[c]; }
  double signal(int) const { return 0; }
};

struct Sink {
  double* rows;
  const int* begin;

  struct Row {
    double* first;
    void put(int k, double value) const { first[k] = value; }
  };
  Row row(const core::RowEntry& entry) const {
    return {rows + begin[entry.channel] + entry.column};
  }
  void put_feature(const core::FeatureEntry& entry, double value) const {
    rows[begin[entry.channel] + entry.column] = value;
  }
  void put_torque(int channel, double value) const { rows[begin[channel + 1] - 1] = value; }
};

struct Workspace {
  double* numbers;
  double& operator()(std::ptrdiff_t i) { return numbers[i]; }
};

}  // namespace

SampleRows::SampleRows(PlanPtr plan) : plan_(std::move(plan)), tree_(plan_->view()), begin_{0} {
  for (const std::vector<int>& columns : plan_->channel_columns)
    begin_.push_back(begin_.back() + static_cast<int>(columns.size()) + 1);
  rows_.assign(static_cast<std::size_t>(begin_.back()), 0.0);
  workspace_.assign(static_cast<std::size_t>(core::workspace_size(tree_)), 0.0);
}

void SampleRows::evaluate(const double* position, const double* velocity,
                          const double* acceleration, const double* torque, const double* gravity) {
  Input input{position, velocity, acceleration, torque, {}};
  for (int i = 0; i < 3; ++i) input.base[6 + i] = gravity ? -gravity[i] : -plan_->robot.gravity[i];
  Sink sink{rows_.data(), begin_.data()};
  Workspace workspace{workspace_.data()};
  core::put_regressor_rows<double>(tree_, input, workspace, sink);
}

double SampleRows::product(int channel,
                           const std::vector<std::vector<double>>& coefficients) const {
  const std::vector<double>& factors = coefficients[static_cast<std::size_t>(channel)];
  const double* const numbers = row(channel);
  double sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) sum += numbers[i] * factors[i];
  return sum;
}

}  // namespace heft::watch
