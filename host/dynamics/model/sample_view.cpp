#include "model/sample_view.hpp"

#include "heft/core/inertia.hpp"

namespace heft {

core::SampleView sample_view(const RegressorPlan& plan, const Samples& samples) {
  core::SampleView view{};
  const auto place = [&view](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    view.*array.view = numbers.size() > 0 ? numbers.data() : nullptr;
  };
  for_each_array(samples, place, kEvaluatedArrays);
  view.stride = samples.size();
  for (int i = 0; i < 3; ++i) view.base_constant[6 + i] = -plan.robot.gravity[i];
  return view;
}

ChannelCoefficients channel_coefficients(const RegressorPlan& plan,
                                         const Eigen::VectorXd& parameters) {
  const Eigen::VectorXd structural = plan.regrouping * parameters;
  ChannelCoefficients coefficients;
  for (const std::vector<int>& columns : plan.channel_columns) {
    std::vector<double>& channel = coefficients.emplace_back();
    channel.reserve(columns.size());
    for (int column : columns) channel.push_back(structural[column]);
  }
  return coefficients;
}

namespace {

/// Entries of a body's pseudo-inertia that stand as columns in a row: all of KernelEntry's order
/// but for forces, prismatic joints and what turns about its own axis alone, whose Sxx and Syy are
/// one column.
void take_entries(const core::RowEntry& row, const double* columns,
                  double (&entries)[core::kNumKernelEntries]) {
  const int count = static_cast<int>(row.columns);
  const bool feels_force =
      row.kind == core::ScrewKind::force || row.columns == core::ColumnSet::prismatic;
  constexpr int kOfForce[] = {core::kHx, core::kHy, core::kHz, core::kM},
                kOfFirst[] = {core::kHx, core::kHy, core::kSxx};
  for (int k = 0; k < count; ++k)
    entries[feels_force                             ? kOfForce[k]
            : row.columns == core::ColumnSet::first ? kOfFirst[k]
                                                    : k] = columns[k];
}

}  // namespace

std::vector<double> kept_bodies(const RegressorPlan& plan,
                                const ChannelCoefficients& coefficients) {
  std::vector<double> bodies;
  for (const core::BodyEntry& body : plan.bodies) {
    double J[core::kNumKernelEntries] = {};
    if (body.columns != core::ColumnSet::none)
      for (int i = body.first_row; i < body.first_row + body.num_rows; ++i) {
        const core::RowEntry& row = plan.rows[static_cast<std::size_t>(i)];
        take_entries(row, coefficients[static_cast<std::size_t>(row.channel)].data() + row.column,
                     J);
      }
    double parameters[core::kNumParameters];
    parameters[core::kMass] = J[core::kM];
    parameters[core::kMcx] = J[core::kHx], parameters[core::kMcy] = J[core::kHy],
    parameters[core::kMcz] = J[core::kHz];
    parameters[core::kIxx] = J[core::kSyy] + J[core::kSzz];
    parameters[core::kIyy] = J[core::kSxx] + J[core::kSzz];
    parameters[core::kIzz] = J[core::kSxx] + J[core::kSyy];
    parameters[core::kIxy] = -J[core::kSxy], parameters[core::kIxz] = -J[core::kSxz];
    parameters[core::kIyz] = -J[core::kSyz];
    bodies.insert(bodies.end(), std::begin(parameters), std::end(parameters));
  }
  return bodies;
}

}  // namespace heft
