#include <filesystem>

#include "files/whole_file.hpp"
#include "heft/app/identify_files.hpp"

namespace heft {

namespace {

const std::string kHeading =
    "# Chosen by cross-validation on the training logs; reproduces the result next to it without "
    "the search.\n";

std::string chosen_path(const std::string& directory) {
  return (std::filesystem::path(directory) / "chosen.yaml").string();
}

}  // namespace

Result<std::string> write_chosen_configuration(const Configuration& searched,
                                               const ModelChoice& choice,
                                               const std::string& directory) {
  Configuration configuration = with_choice(searched, choice);
  // a result's directory has the rotors beside it
  if (!configuration.robot.rotors_path.empty()) configuration.robot.rotors_path = "rotors.yaml";
  for (std::string& folder : configuration.estimation.package_folders)
    folder = std::filesystem::absolute(folder).string();
  const std::string path = chosen_path(directory);
  HEFT_CHECK(write_file_whole(path, kHeading + to_yaml(configuration)));
  return path;
}

void remove_chosen_configuration(const std::string& directory) {
  const std::string path = chosen_path(directory);
  const auto text = read_file_whole(path, kLargestConfiguration);
  std::error_code ignored;
  if (text && text->starts_with(kHeading)) std::filesystem::remove(path, ignored);
}

}  // namespace heft
