// heft report: two results side by side.
#include "heft/page/page.hpp"

#include <filesystem>
#include <memory>

#include "predict/common_rows.hpp"
#include "report/result_document.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/exit_code.hpp"
#include "tools/heft/progress.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

struct ReportFlags {
  std::string a, b, page;
};

/// The page from which torques and bodies are taken.
std::string page_beside(const std::string& result) {
  return (std::filesystem::path(result_path_of(result)).parent_path() / "report.html").string();
}

/// Predicts both again if they were evaluated on different rows; empty if that is not possible.
Result<std::vector<CommonRows>> common_rows_of(const ReportFlags& flags) {
  HEFT_TRY(differ, are_judged_on_different_rows(flags.a, flags.b));
  if (!differ) return std::vector<CommonRows>{};
  TerminalProgress progress;
  auto rows = predict_common_rows(flags.a, flags.b, std::ref(progress));
  if (rows || rows.error().is_stop) return rows;
  return std::vector<CommonRows>{};
}

int run_report(const ReportFlags& flags) {
  if (auto spared =
          refuse_overwriting_inputs({flags.page}, {result_path_of(flags.a), page_beside(flags.a),
                                                   result_path_of(flags.b), page_beside(flags.b)});
      !spared)
    return fail(spared.error());
  const auto common = common_rows_of(flags);
  if (!common) return fail(common.error());
  const auto text = compare_results(flags.a, flags.b, flags.page, *common);
  if (!text) return fail(text.error());
  std::fputs(printable(*text).c_str(), stdout);
  int exit_code = kSuccess;
  for (const auto& [name, path] : {std::pair("A", flags.a), std::pair("B", flags.b)})
    if (const auto document = read_result_document(path)) {
      for (const std::string& doubt : open_doubts(*document))
        std::printf("doubt:  %s: %s\n", name, printable(doubt).c_str());
      // a missing certificate takes precedence over a doubt
      const int code = exit_code_of(*document);
      if (code != kSuccess && exit_code != kNotCertified) exit_code = code;
    }
  if (!flags.page.empty()) std::printf("page: %s\n", flags.page.c_str());
  return exit_code;
}

}  // namespace

void add_report(CLI::App& app, Command& run) {
  CLI::App* command =
      app.add_subcommand("report", "compare two results: errors, parameters, intervals");
  auto flags = std::make_shared<ReportFlags>();
  command
      ->add_option("A", flags->a,
                   "output directory of heft identify or heft solve, or its result.json")
      ->required();
  command->add_option("B", flags->b, "the other result")->required();
  command->add_option("--page", flags->page, "also write the comparison as an HTML page (*.html)");
  command->footer(
      "Exit code 4: one of the two has an open serious doubt, as in heft identify.\n"
      "Example:\n"
      "  heft report monday/ tuesday/ --page comparison.html");
  command->callback([flags, &run] { run = [flags] { return run_report(*flags); }; });
}

}  // namespace heft::tools
