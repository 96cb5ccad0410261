#include <filesystem>

#include "heft/report.hpp"
#include "host/files/whole_file.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

/// The parameters of the answer for every body of the robot, bodies without parameters at their (zero) prior.
std::vector<BodyParameters> parameters_by_body(const Identification& identification) {
  const RegressorPlan& plan = *identification.plan;
  std::vector<BodyParameters> parameters;
  for (const Body& body : plan.robot.bodies) parameters.push_back(body.prior);
  for (int i = 0; i < plan.layout.num_bodies(); ++i)
    parameters[plan.layout.body_index[i]] =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
  return parameters;
}

}  // namespace

Result<WrittenFiles> write_result(const Identification& identification, const IdentifyRequest& request,
                                  const std::string& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (std::error_code ignored; !fs::is_directory(directory, ignored))
    return Error{directory, "cannot be made: " + failure.message(),
                 "choose an output directory that you may write to"};

  WrittenFiles files;
  files.result = (fs::path(directory) / "result.json").string();
  const std::string urdf = (fs::path(directory) / "identified.urdf").string();
  HEFT_TRY(json, result_json(identification, request));
  const std::vector<int>& impossible = identification.answer().impossible_bodies;
  if (impossible.empty()) {
    HEFT_CHECK(write_urdf(identification.plan->robot, parameters_by_body(identification), urdf));
    files.urdf = urdf;
  } else {
    fs::remove(urdf, failure);  // a URDF of an earlier answer must not stand beside this one
    files.no_urdf = std::to_string(impossible.size()) + " bodies are physically impossible";
  }
  // rotors are not part of a URDF: their description goes along, so that the directory stands by itself
  if (const std::string& rotors = request.configuration.robot.rotors_path; !rotors.empty()) {
    HEFT_TRY(text, read_file_whole(rotors));
    HEFT_CHECK(write_file_whole((fs::path(directory) / "rotors.yaml").string(), text));
  }
  if (auto written = write_file_whole(files.result, json); !written) {
    fs::remove(urdf, failure);  // no URDF without the result that vouches for it
    return written.error();
  }
  return files;
}

}  // namespace heft
