// heft moments: add moments files, or keep only the sum.
#include <memory>

#include "heft/training/training_data.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/moments_input.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct MomentsFlags {
  std::vector<std::string> files;
  std::string out;
  bool compact = false;
};

int run_moments(const MomentsFlags& flags) {
  if (auto spared = refuse_overwriting_inputs({flags.out}, flags.files); !spared)
    return fail(spared.error());
  const auto data = read_and_add(flags.files);
  if (!data) return fail(data.error());
  const MomentsForm form = flags.compact ? MomentsForm::compact : MomentsForm::whole;
  if (auto written = write_moments_file(*data, flags.out, form); !written)
    return fail(written.error());
  for (const std::string& disagreement : data->disagreements)
    std::fprintf(stderr, "heft: %s\n", disagreement.c_str());
  std::printf("%s: the sum of %zu file%s, %s\n", flags.out.c_str(), flags.files.size(),
              flags.files.size() == 1 ? "" : "s",
              flags.compact || data->is_compact() ? "compact: heft solve gives no intervals from it"
                                                  : "whole");
  return kSuccess;
}

}  // namespace

Result<TrainingData> read_and_add(const std::vector<std::string>& files) {
  HEFT_TRY(data, read_moments_file(files.front()));
  for (std::size_t i = 1; i < files.size(); ++i) {
    HEFT_TRY(more, read_moments_file(files[i]));
    if (auto added = add(data, more); !added)
      return Error{files[i], added.error().what,
                   "add only moments of the same robot with the same columns"};
  }
  return std::move(data);
}

void add_moments(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("moments", "add moments files, or compact them");
  auto flags = std::make_shared<MomentsFlags>();
  command
      ->add_option("files", flags->files,
                   "files written by heft identify --moments or heft moments")
      ->required();
  command->add_option("--out", flags->out, "moments file to write (*.heft)")->required();
  command->add_flag(
      "--compact", flags->compact,
      "keep only the sum over all samples, packed: 35 kB instead of megabytes for an arm with seven joints. "
      "Without the sums of the stretches, heft solve gives no intervals and refuses --prior-weight auto");
  command->footer(
      "Examples:\n"
      "  heft identify --robot arm.urdf --log monday.csv --moments monday.heft --out monday\n"
      "  heft moments monday.heft tuesday.heft --out both.heft\n"
      "  heft moments monday.heft --compact --out monday_small.heft\n"
      "  heft info monday_small.heft\n"
      "  heft solve both.heft --out both\n"
      "Files can be added if joints, bodies and columns have the same names and the joint geometry agrees to "
      "1e-12,\n"
      "regardless of the machine or build that wrote them. Robot and options are those of the first file; "
      "options that differ in other files are listed.");
  command->callback([flags, &run] { run = [flags] { return run_moments(*flags); }; });
}

}  // namespace heft::tools
