// Information of many motions, given by coefficients, about a robot's parameters.
#include "heft/moments/moments.hpp"

#include "arrays.hpp"
#include "backend.hpp"
#include "errors.hpp"
#include "long_call.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

/// (n, rows, joints) coefficients, in C order.
using Coefficients = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

Eigen::MatrixXd slice(const Coefficients& all, std::size_t motion) {
  const auto rows = static_cast<Eigen::Index>(all.shape(1)),
             joints = static_cast<Eigen::Index>(all.shape(2));
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(all.data() + static_cast<Eigen::Index>(motion) * rows * joints,
                                    rows, joints);
}

struct Call {
  std::vector<double> weights;  ///< of channels; none: ones
  bool is_single = false;
  std::string backend;
  int threads = 0;
};

NumpyArray information_of(const PyRobot& robot, const std::vector<GeneratedMotion>& motions,
                          const Call& how, nb::object listener) {
  const BackendOptions backend{.kind = backend_kind(how.backend), .threads = how.threads};
  InformationOptions options;
  options.channel_weights = Eigen::Map<const Eigen::VectorXd>(
      how.weights.data(), static_cast<Eigen::Index>(how.weights.size()));
  if (how.is_single) options.precision = core::Precision::fp32;
  LongCall call(std::move(listener));
  const auto found =
      call.run([&](const Progress& progress) -> Result<std::vector<Eigen::MatrixXd>> {
        HEFT_TRY(executor, make_backend(backend));
        HEFT_TRY(plan, make_regressor_plan(robot.robot, default_channels(robot.robot), {}));
        return information(*executor, plan, motions, options, progress);
      });
  const std::size_t size = found.empty() ? 0 : static_cast<std::size_t>(found.front().rows());
  double* first = nullptr;
  auto result = new_array({found.size(), size, size}, first);
  for (const Eigen::MatrixXd& G : found)
    first = std::copy(G.data(), G.data() + G.size(), first);  // symmetric
  return result;
}

NumpyArray of_splines(const PyRobot& robot, const Coefficients& control, double interval, double dt,
                      std::int64_t samples, const Call& how, nb::object listener) {
  std::vector<GeneratedMotion> motions;
  for (std::size_t i = 0; i < control.shape(0); ++i)
    motions.push_back(SplineMotion{
        .interval = interval, .step = dt, .num_samples = samples, .control = slice(control, i)});
  return information_of(robot, motions, how, std::move(listener));
}

NumpyArray of_series(const PyRobot& robot, const Coefficients& center, const Coefficients& sine,
                     const Coefficients& cosine, double frequency, double dt, std::int64_t samples,
                     const Call& how, nb::object listener) {
  std::vector<GeneratedMotion> motions;
  for (std::size_t i = 0; i < sine.shape(0); ++i)
    motions.push_back(FourierMotion{.frequency = frequency,
                                    .step = dt,
                                    .num_samples = samples,
                                    .center = slice(center, i).transpose(),
                                    .sine = slice(sine, i),
                                    .cosine = slice(cosine, i)});
  return information_of(robot, motions, how, std::move(listener));
}

}  // namespace

void bind_information(nb::module_& m) {
  nb::class_<Call>(m, "InformationCall")
      .def("__init__", [](Call* call, std::vector<double> weights, bool is_single,
                          std::string backend, int threads) {
        new (call) Call{std::move(weights), is_single, std::move(backend), threads};
      });
  m.def("information_of_splines", &of_splines, nb::arg("robot"), nb::arg("control"),
        nb::arg("interval"), nb::arg("dt"), nb::arg("samples"), nb::arg("how"),
        nb::arg("listener").none());
  m.def("information_of_series", &of_series, nb::arg("robot"), nb::arg("centre"), nb::arg("sine"),
        nb::arg("cosine"), nb::arg("frequency"), nb::arg("dt"), nb::arg("samples"), nb::arg("how"),
        nb::arg("listener").none());
}

}  // namespace heft::python
