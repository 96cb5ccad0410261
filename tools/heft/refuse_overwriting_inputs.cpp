#include "tools/heft/refuse_overwriting_inputs.hpp"

#include <filesystem>

#include "heft/log/several_files.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft::tools {

namespace fs = std::filesystem;

Result<Done> refuse_overwriting_inputs(const std::vector<std::string>& outputs,
                                       const std::vector<std::string>& inputs) {
  for (const std::string& output : outputs)
    for (const std::string& input : inputs)
      for (const std::string& path : files_of_log(input)) {
        std::error_code ignored;
        if (!output.empty() && !path.empty() && fs::is_regular_file(output, ignored) &&
            fs::equivalent(output, path, ignored))
          return Error{output, "is an input of this command and would be overwritten",
                       "choose another output, or move the file first"};
      }
  return Done{};
}

std::vector<std::string> result_files(const std::string& directory) {
  std::vector<std::string> names = {"result.json", "report.html"};
  for (const std::string& name : identified_names()) names.push_back(name);
  names.emplace_back("chosen.yaml");
  std::vector<std::string> files;
  for (const std::string& name : names) files.push_back((fs::path(directory) / name).string());
  return files;
}

}  // namespace heft::tools
