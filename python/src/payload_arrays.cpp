// Payloads from arrays: many at once, or one during its motion. Motion and wrench are in the
// sensor's frame; of the options, only sign and known tool apply.
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <map>

#include "arrays.hpp"
#include "backend.hpp"
#include "base/parallel_for.hpp"
#include "errors.hpp"
#include "executor/backend_choice.hpp"
#include "heft/payload/follow.hpp"
#include "heft/payload/payload.hpp"
#include "long_call.hpp"
#include "payload.hpp"
#include "payload_config/payload_options.hpp"

namespace heft::python {

namespace {

Eigen::ArrayXXd array_of(const Matrix& array) {
  return matrix_of(array).array();
}

/// t, w, wd, u and the wrench of one payload; shapes were checked in Python.
using Arrays = std::tuple<Vector, Matrix, Matrix, Matrix, Matrix>;

Result<WrenchSamples> samples_of(const Arrays& arrays, const SensorOptions& sensor) {
  const auto& [t, w, wd, u, wrench] = arrays;
  HEFT_TRY(samples, make_wrench_samples(vector_of(t).array(), array_of(w), array_of(wd),
                                        array_of(u), sensor.sign * array_of(wrench)));
  return sensor.tool ? without_tool(std::move(samples), *sensor.tool) : std::move(samples);
}

/// One shape per name, shared by all objects with that name.
Result<std::map<std::string, PayloadShape>> shapes_of(const std::vector<std::string>& names,
                                                      const std::vector<double>& pose,
                                                      const PayloadOptions& options) {
  std::map<std::string, PayloadShape> shapes;
  for (const std::string& name : names) {
    if (shapes.count(name) > 0) continue;
    PayloadPriorOptions prior = options.prior;
    HEFT_CHECK((ShapePlace{name, pose}).put_into(prior));
    HEFT_TRY(shape, read_payload_shape(prior));
    shapes.emplace(name, std::move(shape));
  }
  return shapes;
}

struct Weighed {
  std::vector<PayloadAnswer> answers;
  std::vector<SolveCount> solves;
};

nb::dict dict_of(const Weighed& weighed) {
  const std::vector<PayloadAnswer>& answers = weighed.answers;
  const std::size_t count = answers.size();
  double *parameters = nullptr, *objective = nullptr, *gap = nullptr;
  NumpyArray parameters_array = new_array({count, core::kNumParameters}, parameters),
             objective_array = new_array({count}, objective), gap_array = new_array({count}, gap);
  nb::list certified, failures;
  for (std::size_t k = 0; k < count; ++k) {
    const PayloadAnswer& answer = answers[k];
    const bool is_there = answer.failure.empty();
    for (int i = 0; i < core::kNumParameters; ++i)
      parameters[core::kNumParameters * k + static_cast<std::size_t>(i)] =
          is_there ? answer.parameters[i] : std::nan("");
    objective[k] = is_there ? answer.objective.value_or(std::nan("")) : std::nan("");
    gap[k] = is_there && answer.certificate ? answer.certificate->gap : std::nan("");
    certified.append(is_there && answer.certificate && answer.certificate->certified);
    if (is_there)
      failures.append(nb::none());
    else
      failures.append(answer.failure);
  }
  nb::dict result;
  result["parameters"] = parameters_array;
  result["objective"] = objective_array;
  result["gap"] = gap_array;
  result["certified"] = certified;
  result["failure"] = failures;
  nb::list solves;
  for (const SolveCount& solve : weighed.solves) {
    nb::dict entry;
    entry["purpose"] = solve.purpose, entry["by"] = solve.by, entry["problems"] = solve.problems;
    solves.append(entry);
  }
  result["solves"] = solves;
  return result;
}

nb::dict batch(const std::vector<Arrays>& objects, const std::vector<std::string>& names,
               const std::vector<double>& pose, const std::string& config,
               const std::string& config_name, const std::string& backend, int threads,
               nb::object listener) {
  LongCall call(std::move(listener));
  const auto weighed = call.run([&](const Progress& progress) -> Result<Weighed> {
    HEFT_TRY(options, payload_options_from_yaml(config, config_name));
    HEFT_TRY(shapes, shapes_of(names, pose, options));
    std::vector<WrenchSamples> samples;
    std::vector<PayloadTask> tasks;
    samples.reserve(objects.size());
    for (std::size_t k = 0; k < objects.size(); ++k) {
      auto made = samples_of(objects[k], options.sensor);
      if (!made)
        return Error{"object " + std::to_string(k) + ": " + made.error().where, made.error().what,
                     made.error().remedy};
      samples.push_back(*std::move(made));
      tasks.push_back({&samples.back(), &shapes.at(names[k])});
    }
    HEFT_TRY(chosen,
             choose_executor({.kind = backend_kind(backend), .threads = threads_for(threads)},
                             {.problems = static_cast<double>(tasks.size()), .unknowns = 10}));
    HEFT_TRY(answers,
             weigh_batch(tasks, options, *chosen.executor, threads_for(threads), progress));
    return Weighed{std::move(answers), chosen.executor->solved()};
  });
  return dict_of(weighed);
}

/// A follower, and the tool and offset that are subtracted from samples.
struct PyFollower {
  SensorOptions sensor;
  PayloadFollower follower;

  static PyFollower make(const std::string& config, const std::string& config_name,
                         const std::string& shape, const std::vector<double>& pose, double rate) {
    PayloadOptions options = unwrap(payload_options_from_yaml(config, config_name));
    unwrap((ShapePlace{shape, pose}).put_into(options.prior));
    return {options.sensor, unwrap(PayloadFollower::make(
                                options, unwrap(read_payload_shape(options.prior)), rate))};
  }

  void add(const Vector& t, const Matrix& w, const Matrix& wd, const Matrix& u,
           const Matrix& wrench) {
    const nb::gil_scoped_release released;
    const WrenchSamples samples = unwrap(samples_of({t, w, wd, u, wrench}, sensor));
    const Eigen::MatrixXd turning = matrix_of(w);
    using S = WrenchSamples;
    for (Eigen::Index i = 0; i < samples.size(); ++i)
      unwrap(follower.add(samples.time[i], turning.row(i).transpose(),
                          samples.motion.row(i).segment<3>(S::kWdx).matrix().transpose(),
                          samples.motion.row(i).segment<3>(S::kUx).matrix().transpose(),
                          samples.wrench.row(i).matrix().transpose()));
  }

  nb::dict update() {
    const PayloadUpdate found = [&] {
      const nb::gil_scoped_release released;
      return unwrap(follower.update());
    }();
    nb::dict result;
    result["t"] = found.time;
    result["num_samples"] = found.num_samples;
    result["parameters"] = copy_of(Eigen::VectorXd(found.parameters));
    result["certified"] = found.certificate.certified;
    result["mass_interval"] = std::make_pair(found.mass.low, found.mass.high);
    Eigen::MatrixXd com(3, 2);
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const PayloadInterval& interval = found.com[static_cast<std::size_t>(axis)];
      com.row(axis) << interval.low, interval.high;
    }
    result["com_intervals"] = copy_of(com);
    return result;
  }
};

}  // namespace

void bind_payload_arrays(nb::module_& m) {
  m.def("payload_batch", &batch, nb::arg("objects"), nb::arg("shapes"), nb::arg("pose"),
        nb::arg("config"), nb::arg("config_name"), nb::arg("backend"), nb::arg("threads"),
        nb::arg("progress").none());
  nb::class_<PyFollower>(m, "PayloadFollower")
      .def_static("make", &PyFollower::make, nb::arg("config"), nb::arg("config_name"),
                  nb::arg("shape"), nb::arg("pose"), nb::arg("rate"))
      .def("add", &PyFollower::add, nb::arg("t").noconvert(), nb::arg("w").noconvert(),
           nb::arg("wd").noconvert(), nb::arg("u").noconvert(), nb::arg("wrench").noconvert())
      .def("update", &PyFollower::update);
}

}  // namespace heft::python
