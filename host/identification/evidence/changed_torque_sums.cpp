#include "changed_torque_sums.hpp"

#include <algorithm>
#include <vector>

#include "evidence/excerpt.hpp"
#include "solve/wide_product.hpp"

namespace heft {

namespace {

/// Adds Z'Z to a packed triangle.
void add_products(const RowMajorMatrix& Z, double* triangle) {
  constexpr Eigen::Index kPanel = 16;
  const Eigen::MatrixXd columns = Z;
  const auto width = static_cast<int>(Z.cols());
  for (Eigen::Index first = 0; first < width; first += kPanel) {
    const Eigen::Index count = std::min<Eigen::Index>(kPanel, width - first);
    const Eigen::MatrixXd products =
        wide_product(Z.leftCols(first + count), columns.middleCols(first, count));
    for (Eigen::Index j = 0; j < count; ++j)
      for (Eigen::Index i = 0; i <= first + j; ++i)
        triangle[core::packed_index(width, static_cast<int>(i), static_cast<int>(first + j))] +=
            products(i, j);
  }
}

}  // namespace

bool ChangedTorqueSums::suits(const HypothesisInput& input, const Fault& fault) {
  return fault.changes_torque_alone() && !fault.divided_torque(0) &&
         std::none_of(input.training.stretches.begin(), input.training.stretches.end(),
                      [](const Samples& stretch) { return stretch.unfiltered != nullptr; });
}

bool ChangedTorqueSums::Channel::has(const std::vector<ChannelRows>& rows) const {
  return std::equal(weights.begin(), weights.end(), rows.begin(), rows.end(),
                    [](const Eigen::ArrayXd& weight, const ChannelRows& of) {
                      return (weight == of.weight).all();
                    });
}

Result<Done> ChangedTorqueSums::sum(int channel, double lowpass_s,
                                    const std::vector<ChannelRows>& undone, Channel& sums) const {
  HEFT_TRY(rows, profile_.rows_as_they_are());
  sums = {};
  for (std::size_t i = 0; i < undone.size(); ++i) {
    const auto& [torque, weight] = undone[i];
    Eigen::ArrayXXd columns = (*rows)[i][static_cast<std::size_t>(channel)];
    low_pass(columns, lowpass_s, period_of(profile_.input().training.stretches[i]));
    RowMajorMatrix Z(columns.rows(), columns.cols() + 1);
    Z.leftCols(columns.cols()) = (columns.colwise() * weight).matrix();
    Z.rightCols(1) = (torque * weight).matrix();
    sums.triangle.resize(
        static_cast<std::size_t>(core::packed_triangle(static_cast<int>(Z.cols()))));
    add_products(Z, sums.triangle.data());
    sums.num_rows += static_cast<double>((weight != 0).count());
    sums.weights.push_back(weight);
  }
  return Done{};
}

Result<Done> ChangedTorqueSums::sum_torque(int channel, const std::vector<ChannelRows>& undone,
                                           Channel& sums) const {
  HEFT_TRY(rows, profile_.rows_as_they_are());
  const auto c = static_cast<std::size_t>(channel);
  const auto width = static_cast<int>((*rows)[0][c].cols()) + 1;
  Eigen::VectorXd products = Eigen::VectorXd::Zero(width);
  for (std::size_t i = 0; i < undone.size(); ++i) {
    const auto& [torque, weight] = undone[i];
    const Eigen::VectorXd weighted = torque * weight.square();
    products.head(width - 1) += wide_product((*rows)[i][c].matrix(), weighted);
    products[width - 1] += (torque * weight).square().sum();
  }
  for (int k = 0; k < width; ++k)
    sums.triangle[static_cast<std::size_t>(core::packed_index(width, k, width - 1))] = products[k];
  return Done{};
}

Result<Moments> ChangedTorqueSums::at(double size) {
  HEFT_TRY(as_it_is, profile_.moments_as_it_is());
  const std::vector<Samples>& stretches = profile_.input().training.stretches;
  Moments moments = *as_it_is;
  const int first = std::max(0, fault_.channel()),
            end = fault_.channel() < 0 ? moments.plan->num_channels() : first + 1;
  for (int c = first; c < end; ++c) {
    std::vector<ChannelRows> undone;
    for (const Samples& stretch : stretches)
      undone.push_back(fault_.undone_rows(stretch, c, size, 1));
    Channel passed;
    const double lowpass_s = fault_.lowpass_time_constant_s(c, size);
    Channel& sums = lowpass_s > 0 ? passed : without_lowpass_[c];
    if (sums.has(undone)) {
      HEFT_CHECK(sum_torque(c, undone, sums));
    } else {
      HEFT_CHECK(sum(c, lowpass_s, undone, sums));
    }
    const core::ChannelEntry& entry = moments.plan->channel_entries[static_cast<std::size_t>(c)];
    std::copy(sums.triangle.begin(), sums.triangle.end(),
              moments.packed.begin() + entry.packed_offset);
    moments.num_rows[static_cast<std::size_t>(c)] = sums.num_rows;
  }
  return moments;
}

}  // namespace heft
