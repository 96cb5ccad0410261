// Inertias in the conventions of other programs and in charts, and distances between bodies.
#include <array>

#include "arrays.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/charts/chart.hpp"
#include "heft/charts/distance.hpp"
#include "long_call.hpp"

namespace heft::python {

namespace {

Convention convention_of(const char* argument, const std::string& name) {
  if (const auto convention = enum_value<Convention>(name)) return *convention;
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Convention>::kList) names.push_back(entry.name);
  throw Failure{{argument, "unknown convention '" + name + "'", name_hint(name, names, "one of:")}};
}

/// Numbers (nan if there are none), statuses, and Jacobians if requested.
nb::tuple convert_bodies(const Matrix& bodies, const std::string& from_name,
                         const std::string& to_name, const std::optional<Matrix>& priors,
                         bool with_jacobian) {
  const Convention from = convention_of("from_", from_name), to = convention_of("to", to_name);
  const Eigen::MatrixXd rows = matrix_of(bodies);
  const Eigen::MatrixXd of_prior = priors ? matrix_of(*priors) : Eigen::MatrixXd();
  const auto count = static_cast<std::size_t>(rows.rows());
  const auto width = static_cast<std::size_t>(num_numbers(to));
  double *numbers = nullptr, *jacobians = nullptr;
  NumpyArray converted = new_array({count, width}, numbers);
  NumpyArray derivatives = new_array({with_jacobian ? count : 0, 10, 10}, jacobians);
  nb::list status;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const Eigen::VectorXd body = rows.row(row);
    std::optional<BodyParameters> prior;
    if (priors) prior = of_prior.row(of_prior.rows() == 1 ? 0 : row);
    const auto one =
        convert(from, to, {body.data(), body.data() + body.size()}, prior, with_jacobian);
    if (!one)
      throw Failure{{"bodies[" + std::to_string(i) + "]", one.error().what, one.error().remedy}};
    for (std::size_t k = 0; k < width; ++k)
      numbers[i * width + k] = one->numbers.empty() ? std::nan("") : one->numbers[k];
    for (Eigen::Index r = 0; with_jacobian && r < 10; ++r)
      for (Eigen::Index c = 0; c < 10; ++c)
        *jacobians++ = one->jacobian.size() == 0 ? std::nan("") : one->jacobian(r, c);
    status.append(enum_name(one->status));
  }
  return nb::make_tuple(converted, status, derivatives);
}

/// Affine-invariant, entropic A of B, entropic B of A, pull-back: one row per pair.
NumpyArray distances_of(const Matrix& a, const Matrix& b) {
  constexpr Eigen::Index kShare = 1000;  // bodies between two looks at Ctrl-C
  LongCall call{nb::none()};
  return copy_of(call.run([&](const Progress& progress) -> Result<Eigen::MatrixXd> {
    const Eigen::MatrixXd A = matrix_of(a), B = matrix_of(b);
    Eigen::MatrixXd result(A.rows(), 4);
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (i % kShare == 0)
        HEFT_CHECK(report_progress(progress, "distances",
                                   static_cast<double>(i) / static_cast<double>(A.rows())));
      const BodyDistances pair = distances(A.row(i), B.row(B.rows() == 1 ? 0 : i));
      result.row(i) << pair.affine_invariant, pair.entropic_ab, pair.entropic_ba, pair.pullback;
    }
    return result;
  }));
}

std::vector<std::string> conventions() {
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Convention>::kList) names.push_back(entry.name);
  return names;
}

}  // namespace

void bind_charts(nb::module_& m) {
  m.def("convert", &convert_bodies, nb::arg("bodies").noconvert(), nb::arg("from_"), nb::arg("to"),
        nb::arg("prior").noconvert().none(), nb::arg("jacobian"));
  m.def("distance", &distances_of, nb::arg("a").noconvert(), nb::arg("b").noconvert());
  m.def("conventions", &conventions);
}

}  // namespace heft::python
