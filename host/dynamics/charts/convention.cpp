#include "heft/charts/chart.hpp"

#include <array>
#include <cmath>

#include "base/number_text.hpp"
#include "heft/core/manifold_chart.hpp"
#include "linalg/factorizations.hpp"
#include "moment_blur.hpp"

namespace heft {

namespace {

using core::kIxx, core::kIxy, core::kIxz, core::kIyy, core::kIyz, core::kIzz, core::kMass,
    core::kMcx;

/// A program's convention for the parameters of a body.
struct NumberForm {
  bool center;        ///< the center of mass where others have the first moments
  bool about_center;  ///< the tensor about the center of mass instead of the frame's origin
  bool per_mass;      ///< the tensor divided by the mass
  /// Meaning of each number: m, components of the vector, components of the tensor.
  std::array<core::Parameter, 10> order;
};

using core::kMcy, core::kMcz;
constexpr std::array<core::Parameter, 10> kHeftOrder = {kMass, kMcx, kMcy, kMcz, kIxx,
                                                        kIxy,  kIyy, kIxz, kIyz, kIzz};
constexpr std::array<core::Parameter, 10> kRowOrder = {kMass, kMcx, kMcy, kMcz, kIxx,
                                                       kIxy,  kIxz, kIyy, kIyz, kIzz};
constexpr std::array<core::Parameter, 10> kKhalilOrder = {kIxx, kIxy, kIxz, kIyy, kIyz,
                                                          kIzz, kMcx, kMcy, kMcz, kMass};
constexpr std::array<core::Parameter, 10> kDiagonalOrder = {kMass, kMcx, kMcy, kMcz, kIxx,
                                                            kIyy,  kIzz, kIxy, kIxz, kIyz};
constexpr std::array<core::Parameter, 10> kReversedOrder = {kMass, kMcx, kMcy, kMcz, kIxx,
                                                            kIyy,  kIzz, kIyz, kIxz, kIxy};

NumberForm form_of(Convention convention) {
  switch (convention) {
    case Convention::idyntree:
      return {false, false, false, kRowOrder};
    case Convention::khalil:
      return {false, false, false, kKhalilOrder};
    case Convention::wensing:
      return {false, false, false, kReversedOrder};
    case Convention::mujoco:
      return {true, true, false, kDiagonalOrder};
    case Convention::drake:
      return {true, false, true, kDiagonalOrder};
    case Convention::urdf:
    case Convention::sdf:
      return {true, true, false, kRowOrder};
    case Convention::matlab:
      return {true, false, false, kReversedOrder};
    case Convention::heft:
    case Convention::pinocchio:
    case Convention::log_cholesky:  // of charts: what stands on their other side
    case Convention::exponential:
    case Convention::exponential_at_prior:
    case Convention::manifold:
      break;
  }
  return {false, false, false, kHeftOrder};
}

/// |c|^2 1 - c c' as six numbers of a tensor in the order of core::Parameter: the tensor of a unit
/// mass at c; and its derivative by c_k.
Eigen::Matrix<double, 6, 1> point_tensor(const Eigen::Vector3d& c) {
  const double x = c.x(), y = c.y(), z = c.z();
  Eigen::Matrix<double, 6, 1> tensor;
  tensor << y * y + z * z, -x * y, x * x + z * z, -x * z, -y * z, x * x + y * y;
  return tensor;
}
Eigen::Matrix<double, 6, 1> point_tensor_slope(const Eigen::Vector3d& c, int k) {
  // quadratic: a central difference over +-1 is exact
  const Eigen::Vector3d e = Eigen::Vector3d::Unit(k);
  return 0.5 * (point_tensor(c + e) - point_tensor(c - e));
}

BodyParameters parameters_of(const NumberForm& form, const BodyParameters& numbers) {
  BodyParameters x;  // m, h or c, tensor, each in Heft's order
  for (int k = 0; k < 10; ++k) x[form.order[k]] = numbers[k];
  const double m = x[kMass];
  const Eigen::Vector3d c = x.segment<3>(kMcx);
  if (form.center) x.segment<3>(kMcx) *= m;
  if (form.per_mass) x.tail<6>() *= m;
  if (form.about_center) x.tail<6>() += m * point_tensor(c);
  return x;
}

/// d pi / d numbers.
ChartJacobian jacobian_of(const NumberForm& form, const BodyParameters& numbers) {
  BodyParameters x;
  for (int k = 0; k < 10; ++k) x[form.order[k]] = numbers[k];
  const double m = x[kMass];
  const Eigen::Vector3d c = x.segment<3>(kMcx);
  ChartJacobian J = ChartJacobian::Identity();
  if (form.center) J.block<3, 3>(kMcx, kMcx) *= m, J.block<3, 1>(kMcx, kMass) = c;
  if (form.per_mass) J.block<6, 6>(kIxx, kIxx) *= m, J.block<6, 1>(kIxx, kMass) = x.tail<6>();
  if (form.about_center) {
    J.block<6, 1>(kIxx, kMass) = point_tensor(c);
    for (int k = 0; k < 3; ++k) J.block<6, 1>(kIxx, kMcx + k) = m * point_tensor_slope(c, k);
  }
  ChartJacobian in_order;
  for (int k = 0; k < 10; ++k) in_order.col(k) = J.col(form.order[k]);
  return in_order;
}

/// Inverse of parameters_of; nothing where a mass of zero leaves the numbers open.
std::optional<BodyParameters> numbers_of(const NumberForm& form, const BodyParameters& parameters) {
  BodyParameters x = parameters;
  const double m = x[kMass];
  if (m == 0 &&
      ((form.center && !x.segment<3>(kMcx).isZero(0)) || (form.per_mass && !x.tail<6>().isZero(0))))
    return {};
  if (form.center && m != 0) x.segment<3>(kMcx) /= m;
  const Eigen::Vector3d c = x.segment<3>(kMcx);
  if (form.about_center) x.tail<6>() -= m * point_tensor(c);
  if (form.per_mass && m != 0) x.tail<6>() /= m;
  if (!x.allFinite()) return {};  // the mass is so small that a division by it overflows
  BodyParameters numbers;
  for (int k = 0; k < 10; ++k) numbers[k] = x[form.order[k]];
  return numbers;
}

Result<Done> check_numbers(Convention from, const std::vector<double>& numbers) {
  const int wanted = num_numbers(from);
  if (static_cast<int>(numbers.size()) != wanted)
    return Error{"",
                 "has " + std::to_string(numbers.size()) + " numbers, but the " + enum_name(from) +
                     " convention needs " + std::to_string(wanted),
                 "see the table of conventions in docs/charts.md"};
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!std::isfinite(numbers[k]))
      return Error{"", "number " + std::to_string(k + 1) + " is not finite",
                   "give numbers in SI units"};
  if (from == Convention::manifold) {
    const double norm = Eigen::Map<const Eigen::Vector4d>(numbers.data() + 4).norm();
    if (!(std::abs(norm - 1) <= 1e-6))
      return Error{"",
                   "its quaternion, numbers 5 to 8, has the length " + number_text(norm, 7) +
                       " instead of 1",
                   "divide it by its length; the order is w x y z"};
  }
  return Done{};
}

/// Whether two second moments of a manifold's point are equal within rounding, so that their axes
/// are arbitrary.
bool has_equal_axes(const Eigen::VectorXd& point, double blur) {
  const Eigen::Vector3d L = point.tail<3>();
  return std::abs(L[0] - L[1]) <= blur || std::abs(L[1] - L[2]) <= blur ||
         std::abs(L[2] - L[0]) <= blur;
}

/// The inverse of a Jacobian if it is regular beyond rounding, independent of the units of rows and
/// columns.
std::optional<ChartJacobian> inverse_of(const ChartJacobian& J) {
  const Eigen::Array<double, 10, 1> rows = J.rowwise().norm();
  if (!(rows > 0).all() || !rows.isFinite().all()) return {};
  ChartJacobian scaled = rows.inverse().matrix().asDiagonal() * J;
  const Eigen::Array<double, 10, 1> columns = scaled.colwise().norm();
  if (!(columns > 0).all()) return {};
  scaled = scaled * columns.inverse().matrix().asDiagonal();
  const Eigen::FullPivLU<ChartJacobian> lu(scaled);
  if (!lu.isInvertible()) return {};
  return columns.inverse().matrix().asDiagonal() * ChartJacobian(lu.inverse()) *
         rows.inverse().matrix().asDiagonal();
}

}  // namespace

std::optional<ChartKind> chart_of(Convention convention) {
  switch (convention) {
    case Convention::log_cholesky:
      return ChartKind::log_cholesky;
    case Convention::exponential:
      return ChartKind::exponential;
    case Convention::exponential_at_prior:
      return ChartKind::exponential_at_prior;
    case Convention::manifold:
      return ChartKind::manifold;
    default:
      return {};
  }
}

int num_numbers(Convention convention) {
  return convention == Convention::manifold ? core::kManifoldNumbers : core::kNumParameters;
}

Result<ConvertedBody> convert(Convention from, Convention to, const std::vector<double>& numbers,
                              const std::optional<BodyParameters>& prior, bool with_jacobian) {
  HEFT_CHECK(check_numbers(from, numbers));
  ConvertedBody body;
  BodyParameters pi;
  ChartJacobian jacobian;  // d pi / d in
  if (const auto kind = chart_of(from)) {
    HEFT_TRY(chart, BodyChart::make(*kind, prior));
    Eigen::VectorXd point = Eigen::Map<const Eigen::VectorXd>(numbers.data(), numbers.size());
    if (*kind == ChartKind::manifold) point.segment<4>(4).normalize();
    pi = chart.parameters(point);
    if (!pi.allFinite())
      return Error{
          "", std::string("is so large in ") + enum_name(from) + " that its parameters overflow",
          "check for numbers above a few hundred: coordinates are logarithms"};
    if (with_jacobian) jacobian = chart.jacobian(point);
  } else {
    const NumberForm form = form_of(from);
    const BodyParameters in = Eigen::Map<const BodyParameters>(numbers.data());
    pi = parameters_of(form, in);
    if (!pi.allFinite())
      return Error{"", "has parameters that overflow", "give numbers in SI units"};
    if (with_jacobian) jacobian = jacobian_of(form, in);
  }

  body.status = status_of(pi);
  ChartJacobian back;  // d pi / d out
  if (const auto kind = chart_of(to)) {
    HEFT_TRY(chart, BodyChart::make(*kind, prior));
    const ChartPoint point = chart.point(pi);
    body.status = point.status;
    body.numbers.assign(point.numbers.begin(), point.numbers.end());
    if (body.status != BodyStatus::ok || !with_jacobian) return body;
    if (*kind == ChartKind::manifold && has_equal_axes(point.numbers, moment_blur(pi))) return body;
    back = chart.jacobian(point.numbers);
  } else {
    const NumberForm form = form_of(to);
    const auto out = numbers_of(form, pi);
    if (!out) return body;
    body.numbers.assign(out->begin(), out->end());
    if (!with_jacobian) return body;
    back = jacobian_of(form, *out);
  }
  if (const auto inverse = inverse_of(back)) body.jacobian = *inverse * jacobian;
  return body;
}

}  // namespace heft
