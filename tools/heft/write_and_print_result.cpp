#include "tools/heft/write_and_print_result.hpp"

#include "heft/config/edge.hpp"
#include "heft/page/page.hpp"
#include "heft/report/report.hpp"
#include "report/verdict.hpp"
#include "tools/heft/command.hpp"

namespace heft::tools {

int write_and_print_result(const Identification& identification, const std::string& directory, bool quiet,
                           const std::vector<std::string>& package_folders) {
  const auto written = write_result(identification, directory, package_folders);
  if (!written) return fail(written.error());
  if (!identification.selection) remove_chosen_configuration(directory);
  if (!quiet) {
    std::fputs(summary_text(identification).c_str(), stdout);
    for (const Doubt& doubt : verdict(identification).doubts)
      if (doubt.serious) std::printf("doubt:  %s\n", doubt.text.c_str());
  }
  if (identification.second_opinion)
    std::printf("chart:  %s\n", identification.second_opinion->verdict.c_str());
  std::printf("result: %s\n", written->result.c_str());
  std::printf("page:   %s\n", written->page.c_str());
  if (written->robot.empty())
    std::printf("no URDF: %s\n", written->no_robot.c_str());
  else
    std::printf("robot:  %s\n", written->robot.c_str());
  if (!identification.certificate || identification.certificate->certified) return kSuccess;
  std::fprintf(stderr, "heft: the answer has no certificate: %s\n",
               identification.certificate->verdict.c_str());
  return kNotCertified;
}

}  // namespace heft::tools
