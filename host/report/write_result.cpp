#include <filesystem>

#include "heft/report.hpp"
#include "host/files/whole_file.hpp"

namespace heft {

namespace {

namespace fs = std::filesystem;

/// The parameters of the answer for every body of the robot, bodies without parameters at their (zero) prior.
std::vector<BodyParameters> parameters_by_body(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  std::vector<BodyParameters> parameters;
  for (const Body& body : plan.robot.bodies) parameters.push_back(body.prior);
  for (int i = 0; i < plan.layout.num_bodies(); ++i)
    parameters[plan.layout.body_index[i]] =
        identification.answer().parameters.segment<core::kNumParameters>(core::kNumParameters * i);
  return parameters;
}

}  // namespace

Result<WrittenFiles> write_result(const Identification& identification, const std::string& directory) {
  std::error_code failure;
  fs::create_directories(directory, failure);
  if (std::error_code ignored; !fs::is_directory(directory, ignored))
    return Error{directory, "cannot be made: " + failure.message(),
                 "choose an output directory that you may write to"};

  const auto path = [&](const char* name) { return (fs::path(directory) / name).string(); };
  const Robot& robot = identification.plan().robot;
  WrittenFiles files{.result = path("result.json")};
  std::vector<FileText> texts = {{files.result, result_json(identification)}};
  const std::vector<int>& impossible = identification.answer().impossible_bodies;
  if (impossible.empty()) {
    HEFT_TRY(urdf, urdf_text(robot, parameters_by_body(identification)));
    files.urdf = path("identified.urdf");
    texts.push_back({files.urdf, urdf});
  } else {
    files.no_urdf = std::to_string(impossible.size()) + " bodies are physically impossible";
  }
  // rotors are not part of a URDF: their description goes along, so that the directory stands by itself
  if (!robot.rotors_text.empty()) texts.push_back({path("rotors.yaml"), robot.rotors_text});
  HEFT_CHECK(write_files_whole(texts));
  // a URDF of an earlier answer must not stand beside this one
  if (files.urdf.empty()) fs::remove(path("identified.urdf"), failure);
  return files;
}

}  // namespace heft
