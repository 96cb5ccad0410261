// Bytes as a result.json next to the URDF of the small robot: compared with itself, and used for a
// prediction, as `heft report` and `heft predict` do.
#include <filesystem>
#include <fstream>

#include "heft/page/page.hpp"
#include "heft/predict/predict.hpp"
#include "tests/fuzz/small_robot.hpp"

namespace heft::fuzz {

namespace {

/// A folder for the life of the process.
class ResultFolder {
 public:
  ResultFolder() : path_((std::filesystem::temp_directory_path() / "heft-fuzz-XXXXXX").string()) {
    require(::mkdtemp(path_.data()) != nullptr, "a folder can be made");
    write("identified.urdf", kSmallRobot);
    std::string log = "t,q_swing,q_lift,tau_swing,tau_lift\n";
    for (int row = 0; row < 60; ++row)
      log += std::to_string(0.01 * row) + "," + std::to_string(0.001 * row * row) + ",0.1,1,2\n";
    write("log.csv", log);
  }
  ~ResultFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  void write(const char* name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  std::string path(const char* name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace

}  // namespace heft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heft;
  static const fuzz::ResultFolder folder;
  folder.write("result.json", {reinterpret_cast<const char*>(data), size});
  const std::string result = folder.path("result.json");
  (void)fuzz::is_value(compare_results(result, result, folder.path("comparison.html")));
  (void)fuzz::is_value(predict_log(result, folder.path("log.csv"), folder.path("predicted.csv")));
  return 0;
}
