#include "heft/select/select_model.hpp"

#include <filesystem>

#include "files/whole_file.hpp"
#include "identify/stage_timer.hpp"
#include "search.hpp"

namespace heft {

Result<Selection> select_model(const IdentifyRequest& request) {
  select::Search search(request);
  HEFT_CHECK(search.start());
  HEFT_CHECK(search.add_columns());
  const int num_steps = search.num_steps();
  HEFT_CHECK(search.filter_rows());
  HEFT_CHECK(search.move_cutoff());
  HEFT_CHECK(search.move_delay());
  // on other samples other columns may be worth it
  if (search.num_steps() > num_steps) HEFT_CHECK(search.add_columns());
  HEFT_CHECK(search.weigh_by_residuals());
  HEFT_CHECK(search.move_prior_weight());
  return search.finish();
}

Result<Identification> identify_selected(IdentifyRequest request) {
  if (request.configuration.selection.columns == ColumnChoice::given) return identify(request);
  std::map<std::string, double> timings_s;
  std::optional<Selection> selection;
  {
    StageTimer timer(timings_s, "choose the model");
    HEFT_TRY(found, select_model(request));
    selection = std::move(found);
  }
  request.configuration = selection->chosen;
  HEFT_TRY(identification, identify(request));
  identification.selection = std::move(selection);
  identification.timings_s.merge(timings_s);
  return std::move(identification);
}

namespace {

const std::string kHeading =
    "# Chosen by cross-validation on the training logs; gives the result beside it without the search.\n";

std::string chosen_path(const std::string& directory) {
  return (std::filesystem::path(directory) / "chosen.yaml").string();
}

}  // namespace

Result<std::string> write_chosen_configuration(const Selection& selection, const std::string& directory) {
  Configuration configuration = selection.chosen;
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
