// The command line. every_command.cpp lists its commands; first_steps.cpp lists those of the
// program of ./quickstart.
#include <new>
#include <system_error>

#include "heft/version.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/output_lines.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

/// Keeps freed memory for reuse: thousands of blocks of 50 kB to 30 MB are allocated and freed, and
/// the system would clear each returned page again.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kLargest = 32 << 20, kKept = 64 << 20;  // bytes; larger blocks go back at once
  mallopt(M_MMAP_THRESHOLD, kLargest);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
}

}  // namespace

int main(int argc, char** argv) {
  using namespace heft::tools;
  keep_freed_memory();
  CLI::App app{
      "Heft identifies the inertial parameters of robots from logs of joint positions and torques:\n"
      "mass, center of mass and inertia of every body, and friction. Results are physically consistent and "
      "certified."};
  app.formatter(help_formatter());
  app.require_subcommand(0, 1);
  app.failure_message(complaint);
  app.set_version_flag("--version", std::string("heft ") + heft::kVersion);
  app.footer(
      "First steps:\n"
      "  heft simulate --robot arm.urdf --out demo            simulate logs with known truth\n"
      "  heft identify --robot arm.urdf --log demo/train.csv --validate demo/held_out.csv --out result\n"
      "  heft predict --model result --log demo/held_out.csv --out predicted.csv\n"
      "Exit codes: 0 success, 1 bad input, 3 result without certificate, 4 certified result with an open\n"
      "serious doubt, 5 stopped by a signal or a budget, 100 and above wrong command line.");
  Command run;
  add_commands(app, run, argc > 1 ? argv[1] : "");
  CLI11_PARSE(app, argc, argv);
  if (!run) {  // no command
    std::fputs(app.help().c_str(), stdout);
    return kSuccess;
  }
  try {
    const int exit_code = run();
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return fail(unwritten_output());
    return exit_code;
  } catch (const std::bad_alloc&) {
    return fail({"", "not enough memory",
                 "shorten or decimate the logs, or identify fewer of them at once"});
  } catch (const std::system_error& e) {
    return fail(
        {"", std::string("the system limit on threads, processes or files is reached: ") + e.what(),
         "end other programs, raise the limits (ulimit -a), or use --threads 1"});
  } catch (const std::exception& e) {
    return fail({"", std::string("internal error: ") + e.what(),
                 "report this error together with the command line"});
  }
}
