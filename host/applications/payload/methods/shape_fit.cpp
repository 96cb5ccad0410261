#include "shape_fit.hpp"

#include "shape/shape_parts.hpp"

namespace heft::payload {

namespace {

constexpr double kFirmSpread = 6000;  // 1.3 %, about the tensor of a real shape at its fitted
                                      // center of mass
constexpr double kLoosen = 3;
constexpr double kChance = 60;

/// Transfers the shape's tensor to the mass and center of mass of `x`.
BodyParameters carried(const PayloadShape& shape, const BodyParameters& x) {
  const Eigen::Vector3d from = shape.unit.segment<3>(core::kMcx),
                        to = x.segment<3>(core::kMcx) / x[core::kMass];
  return x[core::kMass] *
         transformed(Eigen::Isometry3d(Eigen::Translation3d(to - from)), shape.unit);
}

bool is_firm(const PayloadShape& shape) {
  return shape.kind == PayloadShape::Kind::mesh || shape.kind == PayloadShape::Kind::points;
}

bool is_nothing(const PayloadShape& shape) {
  return shape.kind == PayloadShape::Kind::nothing;
}

}  // namespace

ShapeFit::ShapeFit(const DataForPrior& data, const PayloadOptions& options,
                   const PayloadShape& shape)
    : data_(data), given_(&shape), weight_(options.metric_weight) {
  if (!shape.parts.empty()) matched_ = with_matched_parts(shape, data.sums);
  reference_ = reference_of(this->shape(), data.mass, data.com);
}

Result<ShapeFit> ShapeFit::make(const DataForPrior& data, const PayloadOptions& options,
                                const PayloadShape& shape) {
  HEFT_TRY(constraints, constraints_of(options, shape));
  ShapeFit fit(data, options, shape);
  const bool is_last = is_nothing(fit.shape());
  fit.problem_ = {.weight = is_last ? options.metric_weight.value_or(kFirstWeight) : kFirstWeight,
                  .constraints = std::move(constraints),
                  .certifies = is_last};
  return fit;
}

bool ShapeFit::is_by_chance(double autocorrelation) const {
  return data_.sums.num_rows * (found_.answer.residual_cost - loose_cost_) <
         kChance * autocorrelation;
}

void ShapeFit::take(ConvexAnswer answer, const std::function<double()>& autocorrelation) {
  found_ = {std::move(answer), problem_.weight};
  if (is_nothing(shape())) {
    is_done_ = true;
  } else if (!is_carried_) {
    is_carried_ = true;
    loose_cost_ = found_.answer.residual_cost;
    reference_ = carried(shape(), found_.answer.x);
    problem_.certifies = true;
    problem_.weight = weight_.value_or((is_firm(shape()) ? kFirmSpread : kSpread) / data_.thinning /
                                       data_.sums.num_rows);
  } else {
    is_done_ = weight_ || problem_.weight / kLoosen < kFirstWeight ||
               is_by_chance(data_.least_autocorrelation);
    if (!is_done_ && !autocorrelation_) autocorrelation_ = autocorrelation();
    is_done_ = is_done_ || is_by_chance(*autocorrelation_);
    // reduce the weight of a shape whose cost exceeds chance
    if (!is_done_) problem_.weight /= kLoosen;
  }
}

}  // namespace heft::payload
