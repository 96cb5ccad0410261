#include "shape_parts.hpp"

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"

namespace heft::payload {

namespace {

/// Initial density [kg/m^3]: the middle of its limits, or that of the parts with known densities.
double guessed_density(const PayloadPriorOptions::Part& part, double of_others) {
  if (std::isfinite(part.largest_density)) return (part.least_density + part.largest_density) / 2;
  return std::max(part.least_density, of_others);
}

}  // namespace

Result<PayloadShape> of_parts(const std::vector<PayloadShape>& parts,
                              const PayloadPriorOptions& options) {
  if (parts.empty())
    return Error{
        "payload.prior.parts", "does not name a mesh",
        "write 'mesh: density' in kg/m^3 for every part, where density is a number, limits such "
        "as '600 to 800', or auto"};
  const bool all_known =
      std::all_of(options.parts.begin(), options.parts.end(),
                  [](const PayloadPriorOptions::Part& part) { return part.is_known(); });
  double sum = 0, count = 0;
  for (const PayloadPriorOptions::Part& part : options.parts)
    if (std::isfinite(part.largest_density)) sum += guessed_density(part, 0), ++count;
  const double of_others = count > 0 ? sum / count : 1;
  PayloadShape whole{.kind = PayloadShape::Kind::mesh};
  double mass = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const PayloadShape& part = parts[k];
    const PayloadPriorOptions::Part& given = options.parts[k];
    const double of_part = part.volume * guessed_density(given, of_others);
    whole.unit += of_part * part.unit, mass += of_part;
    whole.volume += part.volume;
    whole.doubts.insert(whole.doubts.end(), part.doubts.begin(), part.doubts.end());
    if (!all_known)
      whole.parts.push_back(
          {part.unit, part.volume * given.least_density, part.volume * given.largest_density});
    const Eigen::Index corners = whole.corners.cols(), points = whole.points.cols();
    whole.corners.conservativeResize(3, corners + part.corners.cols());
    whole.corners.rightCols(part.corners.cols()) = part.corners;
    whole.points.conservativeResize(3, points + part.points.cols());
    whole.points.rightCols(part.points.cols()) = part.points;
    whole.volumes.conservativeResize(points + part.points.cols());
    whole.volumes.tail(part.points.cols()) = part.volumes;
  }
  whole.unit /= mass;
  HEFT_TRY(bounds, enclosing_ellipsoid(whole.corners));
  whole.bounds = bounds;
  whole.words = std::to_string(parts.size()) + " parts of " + number_text(1000 * whole.volume, 4) +
                " liters in total, " +
                (all_known ? "with known densities" : "with masses from the log");
  return whole;
}

PayloadShape with_matched_parts(const PayloadShape& shape, const WeightedSums& sums) {
  constexpr int kRounds = 5000;
  constexpr double kSettled = 1e-13;
  const auto size = static_cast<Eigen::Index>(shape.parts.size());
  Eigen::Matrix<double, 10, Eigen::Dynamic> U(10, size);
  Eigen::VectorXd masses(size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const PayloadShape::Part& part = shape.parts[static_cast<std::size_t>(k)];
    U.col(k) = part.unit, masses[k] = part.least_mass;
  }
  const Eigen::MatrixXd H = U.transpose() * sums.G * U;
  const Eigen::VectorXd right = U.transpose() * sums.b;
  // bounded least squares by coordinate descent
  for (int round = 0; round < kRounds; ++round) {
    double change = 0;
    for (Eigen::Index k = 0; k < size; ++k) {
      if (!(H(k, k) > 0)) continue;
      const PayloadShape::Part& part = shape.parts[static_cast<std::size_t>(k)];
      const double better = std::clamp(masses[k] + (right[k] - H.row(k).dot(masses)) / H(k, k),
                                       part.least_mass, part.largest_mass);
      change = std::max(change, std::abs(better - masses[k]));
      masses[k] = better;
    }
    if (change <= kSettled * masses.maxCoeff()) break;
  }
  if (!(masses.sum() > 0)) return shape;
  PayloadShape matched = shape;
  matched.unit = U * masses / masses.sum();
  return matched;
}

}  // namespace heft::payload
