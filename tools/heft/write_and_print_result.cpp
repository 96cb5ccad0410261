#include "tools/heft/write_and_print_result.hpp"

#include "heft/app/identify_files.hpp"
#include "heft/page/page.hpp"
#include "heft/report/report.hpp"
#include "report/verdict.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/print.hpp"

namespace heft::tools {

namespace {

void print_open_doubts(const std::vector<Doubt>& doubts) {
  for (const Doubt& doubt : doubts) {
    if (!doubt.is_open()) continue;
    const std::string remedy = doubt.remedy.empty() ? "" : " " + doubt.remedy;
    std::printf("doubt:  %s%s\n", printable(doubt.words).c_str(), printable(remedy).c_str());
  }
}

}  // namespace

int write_and_print_result(const Identification& identification, const std::string& directory,
                           bool quiet, const std::vector<std::string>& package_folders) {
  const auto written = write_result(identification, directory, package_folders);
  if (!written) return fail(written.error());
  if (!identification.choices.columns) remove_chosen_configuration(directory);
  const Verdict judged = verdict(identification);
  if (!quiet) {
    print(summary_text(identification));
  }
  print_open_doubts(judged.doubts);
  if (identification.optimum && identification.optimum->second_opinion)
    std::printf("chart:  %s\n", identification.optimum->second_opinion->verdict.c_str());
  std::printf("result: %s\n", written->result.c_str());
  std::printf("page:   %s\n", written->page.c_str());
  if (written->robot.empty())
    print("no URDF: " + written->no_robot + "\n");
  else
    std::printf("robot:  %s\n", written->robot.c_str());
  if (!identification.optimum) return kSuccess;  // least squares, which has no certificate
  if (judged.level == VerdictLevel::amber) return kDoubtful;
  if (judged.level == VerdictLevel::green) return kSuccess;
  std::fprintf(stderr, "heft: the result has no certificate: %s\n",
               identification.optimum->certificate.verdict.c_str());
  return kNotCertified;
}

}  // namespace heft::tools
