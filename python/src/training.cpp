// Moments: sums over logs that can be added, saved and solved again.
#include "training.hpp"

#include "arrays.hpp"
#include "config/log_weight_support.hpp"
#include "errors.hpp"
#include "heft/app/identify_files.hpp"
#include "heft/config/module_options.hpp"
#include "heft/training/training_data.hpp"
#include "log.hpp"
#include "long_call.hpp"
#include "model/same_layout.hpp"
#include "robot.hpp"
#include "training/option_differences.hpp"

namespace heft::python {

namespace {

using MutablePtr = std::shared_ptr<TrainingData>;

MutablePtr gather(const PyRobot& robot, const std::vector<PyLog>& logs,
                  const Configuration& configuration, nb::object listener) {
  std::vector<Log> all;
  for (const PyLog& log : logs) all.push_back(log.log);
  LongCall call(std::move(listener));
  return std::make_shared<TrainingData>(
      call.run([&](const Progress& progress) -> Result<TrainingData> {
        HEFT_TRY(configured, robot_as_configured(robot, configuration));
        std::vector<std::string> names;
        for (const Log& log : all) names.push_back(log.name());
        HEFT_CHECK(config::check_log_weights(configuration, names));
        if (!configuration.supply_voltage.empty())
          return Error{
              "log.supply_voltage", "is not supported by heft.moments",
              "use heft.identify, or multiply the torque columns by voltage / nominal voltage beforehand"};
        if (has_gain(model_options(configuration)))
          return Error{"columns: gain", "a gain needs several passes over the logs, and these moments are of one",
                       "use heft.identify, then set log.torque_scale to 1 / (1 + gain) and remove gain from columns"};
        if (configuration.load.inertia.empty() &&
            has_imu_unknowns(configured, model_options(configuration)))
          return Error{"base",
                       "bias and rotation need several passes over the logs, and these moments are of one",
                       "use heft.identify, or give load.inertia"};
        HEFT_TRY(setup, make_setup(std::move(configured), setup_options(configuration), progress));
        GatherOptions options = gather_options(configuration, setup.model);
        // moments of several logs are the sum of those of each
        if (configuration.estimation.log_weights == LogWeights::automatic &&
            options.weighting.log_weights != LogWeights::equal) {
          Configuration alike = configuration;
          alike.estimation.log_weights = LogWeights::equal;
          options = gather_options(alike, setup.model);
        }
        return gather_training_data(setup, all, options, estimation_options(configuration),
                                    configuration.backend, progress);
      }));
}

MutablePtr sum(const TrainingData& a, const TrainingData& b) {
  const nb::gil_scoped_release released;
  auto total = std::make_shared<TrainingData>(a);
  unwrap(add(*total, b));
  return total;
}

void save(const TrainingData& data, const std::string& path, bool compact) {
  const nb::gil_scoped_release released;
  unwrap(write_moments_file(data, path, compact ? MomentsForm::compact : MomentsForm::whole));
}

MutablePtr load(const std::string& path) {
  const nb::gil_scoped_release released;
  return std::make_shared<TrainingData>(unwrap(read_moments_file(path)));
}

/// For pickles: converts to the bytes that save() writes, and back.
nb::bytes to_bytes(const TrainingData& data) {
  std::string bytes;
  {
    const nb::gil_scoped_release released;
    bytes = unwrap(moments_bytes(data, "moments",
                                 data.is_compact() ? MomentsForm::compact : MomentsForm::whole));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

MutablePtr from_bytes(const nb::bytes& given) {
  const std::string bytes(given.c_str(), given.size());
  const nb::gil_scoped_release released;
  return std::make_shared<TrainingData>(unwrap(moments_from_bytes(bytes, "moments")));
}

/// Explains why the moments belong to another robot; empty if they may belong to this one.
std::string difference_from(const TrainingData& data, const PyRobot& robot) {
  const PlanPtr plan = data.plan->whitened_from ? data.plan->whitened_from : data.plan;
  const auto other = make_regressor_plan(robot.robot, plan->channels, plan->layout.columns);
  return other ? layout_difference(*plan, **other) : other.error().what;
}

nb::tuple equations_of(const TrainingData& data, const std::optional<Vector>& weights) {
  const Eigen::VectorXd w =
      weights ? vector_of(*weights) : Eigen::VectorXd::Ones(data.plan->num_channels()).eval();
  const NormalEquations equations = normal_equations(data.moments, w);
  return nb::make_tuple(copy_of(equations.G), copy_of(equations.b), equations.tau2,
                        equations.num_rows);
}

std::vector<std::string> parameter_names(const TrainingData& data, bool units) {
  const ParameterLayout& layout = data.plan->layout;
  std::vector<std::string> texts;
  for (int k = 0; k < layout.num_parameters(); ++k)
    texts.push_back(units ? layout.unit(k) : layout.name(k));
  return texts;
}

std::vector<std::string> channel_names(const TrainingData& data) {
  std::vector<std::string> names;
  for (const Channel& channel : data.plan->channels) names.push_back(channel.name);
  return names;
}

std::int64_t num_samples(const TrainingData& data) {
  std::int64_t count = 0;
  for (const LogSummary& log : data.logs) count += log.num_samples;
  return count;
}

std::vector<std::string> settled_options(const Configuration& settled,
                                         const Configuration& wanted) {
  std::vector<std::string> texts;
  for (const OptionDifference& difference : option_differences(to_json(settled), to_json(wanted)))
    texts.push_back(difference.theirs + " has no effect here; the moments were made with " +
                    difference.ours);
  return texts;
}

}  // namespace

void bind_training(nb::module_& m) {
  nb::class_<TrainingData>(m, "Moments")
      .def_static("load", &load, nb::arg("path"))
      .def("save", &save, nb::arg("path"), nb::arg("compact"))
      .def("to_bytes", &to_bytes)
      .def_static("from_bytes", &from_bytes, nb::arg("content"))
      .def("sum", &sum, nb::arg("other"))
      .def("difference_from", &difference_from, nb::arg("robot"))
      .def("normal_equations", &equations_of, nb::arg("weights").noconvert().none())
      .def("parameter_texts", &parameter_names, nb::arg("units"))
      .def_prop_ro("channels", &channel_names)
      .def_prop_ro("bodies", [](const TrainingData& data) { return data.plan->layout.bodies; })
      .def_prop_ro("robot", [](const TrainingData& data) { return data.plan->robot.name; })
      .def_prop_ro("num_samples", &num_samples)
      .def_prop_ro("is_compact", [](const TrainingData& data) { return data.is_compact(); })
      .def_prop_ro("disagreements", [](const TrainingData& data) { return data.disagreements; })
      .def_prop_ro("configuration", [](const TrainingData& data) {
        return unwrap(configuration_of(data, "moments"));
      });
  m.def("moments", &gather, nb::arg("robot"), nb::arg("logs"), nb::arg("configuration"),
        nb::arg("progress").none());
  m.def("settled_options", &settled_options, nb::arg("settled"), nb::arg("wanted"));
}

}  // namespace heft::python
