#include "mechanics_columns.hpp"

#include <algorithm>
#include <cstdint>

#include "base/parallel_for.hpp"
#include "heft/core/regressor.hpp"
#include "heft/signal/smoother.hpp"
#include "linalg/factorizations.hpp"

namespace heft {

namespace {

constexpr Eigen::Index kStrip = 128;  ///< samples at a time, so that their rows stay in the cache

/// One sample in the form of core's rows and features.
struct SampleAt {
  const Samples& samples;
  Eigen::Index at;

  double position(int k) const { return samples.position(at, k); }
  double velocity(int k) const { return samples.velocity(at, k); }
  double acceleration(int k) const { return samples.acceleration(at, k); }
  double signal(int s) const { return samples.signal(at, s); }
};

/// Adds rows where they belong; those of bodies without parameters nowhere.
struct AddingSink {
  const std::vector<int>& first_parameter;
  Eigen::Index width;
  double factor;
  double* rows;

  void channel_row(int channel, int body, const double* row) const {
    if (first_parameter[body] < 0) return;
    double* const to = rows + channel * width + first_parameter[body];
    for (int k = 0; k < core::kNumParameters; ++k) to[k] += factor * row[k];
  }
  void body_row(int body, const double* row) const { channel_row(0, body, row); }
};

}  // namespace

MechanicsColumns::MechanicsColumns(const RegressorPlan& plan)
    : plan_(plan),
      tables_(plan),
      num_body_columns_(plan.num_structural_columns() - plan.layout.num_columns()),
      num_parameters_(core::kNumParameters * plan.layout.num_bodies()) {
  const Eigen::MatrixXd W =
      Eigen::MatrixXd(plan.regrouping).topLeftCorner(num_body_columns_, num_parameters_);
  to_columns_ = W.completeOrthogonalDecomposition().pseudoInverse();
}

void MechanicsColumns::evaluate(const Samples& samples, const std::vector<Part>& parts,
                                Eigen::Index from, Eigen::Index count, int rows_a_sample,
                                Rows& full) const {
  const core::MechanicsTree tree{plan_.view(), tables_.body_axes.data()};
  std::vector<double> memory(static_cast<std::size_t>(core::mechanics_workspace_size(tree.tree)));
  const auto workspace = [&memory](std::ptrdiff_t i) -> double& {
    return memory[static_cast<std::size_t>(i)];
  };
  const core::BodyState<double> base = standing_base(plan_.robot);
  full.setZero(count * rows_a_sample, num_parameters_);
  for (Eigen::Index i = 0; i < count; ++i) {
    const SampleAt in{samples, from + i};
    for (const Part& part : parts) {
      const AddingSink sink{tables_.first_parameter, num_parameters_, part.factor,
                            full.row(i * rows_a_sample).data()};
      core::put_mechanics_rows(tree, part.kind, base, in, workspace, sink);
    }
  }
}

void MechanicsColumns::put_channels(const Samples& samples, const std::vector<Part>& parts,
                                    int first_channel, int num_threads,
                                    std::vector<RowArray>& rows) const {
  const int num_channels = plan_.num_channels();
  std::vector<Eigen::MatrixXd> to_columns;  // of every channel, its own columns
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const std::vector<int>& columns = plan_.channel_columns[first_channel + c];
    const auto num_of_bodies =
        std::count_if(columns.begin(), columns.end(), [&](int k) { return k < num_body_columns_; });
    to_columns.push_back(to_columns_(
        Eigen::all, std::vector<int>(columns.begin(), columns.begin() + num_of_bodies)));
    rows[c].setZero(samples.size(), static_cast<Eigen::Index>(columns.size()));
  }
  std::vector<Rows> of_threads(static_cast<std::size_t>(num_threads));
  const Eigen::Index num_strips = (samples.size() + kStrip - 1) / kStrip;
  parallel_for(num_strips, num_threads, [&](std::int64_t strip, int thread) {
    Rows& full = of_threads[static_cast<std::size_t>(thread)];
    const Eigen::Index from = strip * kStrip, count = std::min(kStrip, samples.size() - from);
    evaluate(samples, parts, from, count, num_channels, full);
    for (std::size_t c = 0; c < rows.size(); ++c) {
      const Eigen::Map<const Rows, 0, Eigen::OuterStride<>> of_channel(
          full.row(first_channel + static_cast<Eigen::Index>(c)).data(), count, num_parameters_,
          Eigen::OuterStride<>(static_cast<Eigen::Index>(num_channels) * num_parameters_));
      rows[c].block(from, 0, count, to_columns[c].cols()) = (of_channel * to_columns[c]).array();
    }
  });
}

void MechanicsColumns::put_states(const Samples& samples, const std::vector<Part>& parts,
                                  RowArray& rows) const {
  rows.setZero(samples.size(), plan_.num_structural_columns());
  Rows full;
  for (Eigen::Index from = 0; from < samples.size(); from += kStrip) {
    const Eigen::Index count = std::min(kStrip, samples.size() - from);
    evaluate(samples, parts, from, count, 1, full);
    rows.block(from, 0, count, num_body_columns_) = (full * to_columns_).array();
  }
}

void differentiate_columns(double step, RowArray& rows) {
  Eigen::ArrayXd derivative;
  for (Eigen::Index k = 0; k < rows.cols(); ++k) {
    const Eigen::ArrayXd column = rows.col(k);
    differentiate(column, step, derivative);
    rows.col(k) = derivative;
  }
}

Eigen::ArrayXd feature_values(const core::FeatureEntry& feature, const Samples& samples) {
  Eigen::ArrayXd values(samples.size());
  for (Eigen::Index i = 0; i < samples.size(); ++i)
    values[i] = core::feature_value<double>(feature, SampleAt{samples, i});
  return values;
}

double step_of(const Samples& samples) {
  const Eigen::Index last = samples.size() - 1;
  return (samples.time[last] - samples.time[0]) / static_cast<double>(last);
}

}  // namespace heft
