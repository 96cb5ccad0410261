#include "heft/predict/predict.hpp"

#include <cmath>
#include <filesystem>
#include <memory>

#include "report/result_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct PredictFlags {
  std::string model, log, out = "predicted.csv";
};

int run_predict(const PredictFlags& flags) {
  namespace fs = std::filesystem;
  const fs::path result = result_path_of(flags.model);
  const std::vector<std::string> inputs = {flags.log, result, result.parent_path() / "identified.urdf",
                                           result.parent_path() / "rotors.yaml"};
  if (auto spared = refuse_overwriting_inputs({flags.out}, inputs); !spared) return fail(spared.error());
  const auto summary = [&] {
    TerminalProgress progress;
    return predict_log(flags.model, flags.log, flags.out, std::ref(progress));
  }();
  if (!summary) return fail(summary.error());
  if (const auto document = read_result_document(flags.model))
    for (const std::string& doubt : open_doubts(*document))
      std::printf("doubt:  %s\n", printable(doubt).c_str());
  if (std::isfinite(summary->overall_relative))
    std::printf("%s: %lld rows, error %.2f %% of the torque over the used rows\n", flags.out.c_str(),
                summary->num_rows, 100 * summary->overall_relative);
  else
    std::printf("%s: %lld rows, none with a torque to compare with\n", flags.out.c_str(), summary->num_rows);
  return kSuccess;
}

}  // namespace

void add_predict(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("predict", "torque that an identified model predicts on a log");
  auto flags = std::make_shared<PredictFlags>();
  command
      ->add_option("--model", flags->model,
                   "output directory of heft identify or heft solve, or its result.json")
      ->required();
  command->add_option("--log", flags->log, "log to predict (CSV, NPY or HDF5)")->required();
  command
      ->add_option("--out", flags->out, "CSV to write: t, measured_<joint>, predicted_<joint>, used_<joint>")
      ->capture_default_str();
  command->footer("Example:\n  heft predict --model result --log held_out.csv --out predicted.csv");
  command->callback([flags, &run] { run = [flags] { return run_predict(*flags); }; });
}

}  // namespace heft::tools
