// Identification and its results: documents, files, torques.
#include "heft/identify/identify.hpp"

#include <algorithm>
#include <cmath>

#include "app/log_parts.hpp"
#include "arrays.hpp"
#include "errors.hpp"
#include "heft/app/identify_files.hpp"
#include "heft/config/module_options.hpp"
#include "heft/page/page.hpp"
#include "heft/predict/predict.hpp"
#include "heft/report/report.hpp"
#include "log.hpp"
#include "long_call.hpp"
#include "predict/predicted_blocks.hpp"
#include "report/result_document.hpp"
#include "robot.hpp"

namespace heft::python {

namespace {

/// A result with its options, which `save` writes as chosen.yaml if the data determined them.
struct PyIdentification {
  Identification answer;
  Configuration configuration;
};

using Pointer = std::shared_ptr<PyIdentification>;

std::vector<Log> logs_of(const std::vector<PyLog>& logs) {
  std::vector<Log> all;
  for (const PyLog& log : logs) all.push_back(log.log);
  return all;
}

Pointer identify_robot(const PyRobot& robot, const std::vector<PyLog>& training,
                       const std::vector<PyLog>& validation, const Configuration& configuration,
                       double start_s, double end_s, const std::string& held_out,
                       nb::object listener) {
  LogParts parts{.start_s = start_s, .end_s = end_s};
  if (!held_out.empty()) {
    const auto share = unwrap(app::held_out_share(held_out));
    if (!share)
      throw Failure{{"validate", "'" + held_out + "' is not a share",
                     "give a share such as '40%', or a log"}};
    parts.held_out_share = *share;
  }
  LongCall call(std::move(listener));
  Identification answer = call.run([&](const Progress& progress) -> Result<Identification> {
    HEFT_TRY(configured, robot_as_configured(robot, configuration));
    return identify_logs(std::move(configured), logs_of(training), logs_of(validation),
                         configuration, progress, parts);
  });
  return std::make_shared<PyIdentification>(PyIdentification{std::move(answer), configuration});
}

Pointer solve_moments(const TrainingData& data, const Configuration& wanted, nb::object listener) {
  LongCall call(std::move(listener));
  const Configuration settled = unwrap(configuration_of(data, "moments"));
  const Configuration configuration = with_estimation_of(settled, wanted);
  Identification answer = call.run([&](const Progress& progress) {
    return estimate_again(data, settled, configuration, progress);
  });
  return std::make_shared<PyIdentification>(PyIdentification{std::move(answer), configuration});
}

/// Paths of the files; that of the robot is empty if the result is physically impossible.
nb::dict save(const PyIdentification& identification, const std::string& directory) {
  WrittenFiles files;
  std::string chosen;
  {
    const nb::gil_scoped_release released;
    const Configuration& configuration = identification.configuration;
    files = unwrap(
        write_result(identification.answer, directory, configuration.estimation.package_folders));
    if (identification.answer.choices.columns)
      chosen = unwrap(write_chosen_configuration(
          configuration, identification.answer.choices.columns->chosen, directory));
    else
      remove_chosen_configuration(directory);
  }
  nb::dict paths;
  for (const auto& [name, path] : {std::pair{"result", files.result},
                                   {"page", files.page},
                                   {"robot", files.robot},
                                   {"chosen", chosen}})
    if (!path.empty()) paths[name] = path;
  return paths;
}

struct Prediction {
  std::vector<double> time;
  std::vector<double> measured, predicted;  // row by row
};

Result<Prediction> predict(const PyIdentification& identification, const Log& log,
                           const Progress& progress) {
  const Identification& answer = identification.answer;
  HEFT_TRY(configuration, configuration_from_json(answer.options, "result"));
  configuration.conditioning.need_torque = false;
  HEFT_TRY(model, make_model(answer.plan().robot, model_options(configuration)));
  const RegressorPlan& plan = *model.plan;
  Prediction result;
  bool is_measured = false;  // without columns of torque all of it is zero
  const auto append = [&](const Samples& block, const Eigen::ArrayXXd& predicted) -> Result<Done> {
    const bool has_known = block.known_torque.size() > 0;
    is_measured = is_measured || (block.torque != 0).any();
    for (Eigen::Index i = 0; i < block.size(); ++i) {
      result.time.push_back(block.time[i]);
      for (int c = 0; c < plan.num_channels(); ++c) {
        const double known = has_known ? block.known_torque(i, c) : 0;
        const bool used = block.weight.size() == 0 || block.weight(i, c) != 0;
        result.measured.push_back(used ? block.torque(i, c) + known : std::nan(""));
        result.predicted.push_back(predicted(i, c) + known);
      }
    }
    return Done{};
  };
  HEFT_CHECK(
      predict_blocks(model, configuration, answer.answer().parameters, log, append, progress));
  if (!is_measured) std::fill(result.measured.begin(), result.measured.end(), std::nan(""));
  return result;
}

/// `observer`: mode of the observer of external torques; empty: none.
void predict_file(const std::string& model, const PyLog& log, const std::string& out,
                  const std::string& observer, double observer_hz, double threshold,
                  nb::object listener) {
  ExternalTorqueOptions options{.lowpass_hz = observer_hz, .threshold = threshold};
  if (!observer.empty()) {
    const auto mode = enum_value<ObserverMode>(observer);
    if (!mode)
      throw Failure{
          {"external_torque", "unknown observer '" + observer + "'", "use causal or zero_phase"}};
    options.mode = *mode;
  }
  LongCall call(std::move(listener));
  call.run([&](const Progress& progress) {
    return observer.empty() ? predict_log(model, log.log, out, progress)
                            : predict_log(model, log.log, out, options, progress);
  });
}

nb::tuple predicted_torques(const PyIdentification& identification, const PyLog& log,
                            nb::object listener) {
  LongCall call(std::move(listener));
  const Prediction prediction = call.run(
      [&](const Progress& progress) { return predict(identification, log.log, progress); });
  const auto rows = static_cast<Eigen::Index>(prediction.time.size());
  using Rows =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const auto matrix = [&](const std::vector<double>& numbers) {
    return copy_of(
        Eigen::MatrixXd(Rows(numbers.data(), rows, identification.answer.plan().num_channels())));
  };
  return nb::make_tuple(
      copy_of(Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(prediction.time.data(), rows))),
      matrix(prediction.measured), matrix(prediction.predicted));
}

}  // namespace

void bind_identification(nb::module_& m) {
  nb::class_<PyIdentification>(m, "Identification")
      .def_prop_ro("json", [](const PyIdentification& i) { return result_json(i.answer); })
      .def_prop_ro("summary", [](const PyIdentification& i) { return summary_text(i.answer); })
      .def_prop_ro(
          "parameters",
          [](nb::handle_t<PyIdentification> self) {
            return view_in(nb::cast<const PyIdentification&>(self).answer.answer().parameters,
                           self);
          },
          nb::rv_policy::automatic)
      .def_prop_ro(
          "joints",
          [](const PyIdentification& i) { return names_of(i.answer.plan().robot.coordinates); })
      .def_prop_ro(
          "moments",
          [](const Pointer& i) { return std::shared_ptr<TrainingData>(i, &i->answer.data); })
      .def("save", &save, nb::arg("directory"))
      .def("predict", &predicted_torques, nb::arg("log"), nb::arg("progress").none());
  m.def("identify", &identify_robot, nb::arg("robot"), nb::arg("training"), nb::arg("validation"),
        nb::arg("configuration"), nb::arg("start_s"), nb::arg("end_s"), nb::arg("held_out"),
        nb::arg("progress").none());
  m.def("solve", &solve_moments, nb::arg("moments"), nb::arg("configuration"),
        nb::arg("progress").none());
  m.def("predict_file", &predict_file, nb::arg("model"), nb::arg("log"), nb::arg("out"),
        nb::arg("observer"), nb::arg("observer_hz"), nb::arg("threshold"),
        nb::arg("progress").none());
  m.def(
      "read_result_json",
      [](const std::string& path) { return unwrap(read_result_document(path)).dump(); },
      nb::arg("path"));
}

}  // namespace heft::python
