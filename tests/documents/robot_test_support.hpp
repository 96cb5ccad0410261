// What tests of robot documents share: golden results, scratch files, and checks of an expected
// Error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <Eigen/Core>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden.hpp"

namespace heft::test {

/// Paths of golden/<folder>/*.urdf, sorted; none if the golden answers are absent.
inline std::vector<std::string> golden_urdfs(const std::string& folder) {
  std::vector<std::string> paths;
  const auto golden = oracle::golden_directory();
  if (!golden) return paths;
  for (const auto& entry : std::filesystem::directory_iterator(*golden / folder)) {
    if (entry.path().extension() == ".urdf") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Name of a test whose parameter is a path.
inline std::string stem(const testing::TestParamInfo<std::string>& path) {
  return std::filesystem::path(path.param).stem().string();
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// An empty folder that goes when the test does.
class ScratchFolder {
 public:
  ScratchFolder() {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("heft-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::vector<std::string> file_names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

/// The result must be an error that offers a remedy and whose message contains every fragment.
template <class T>
void expect_error(const Result<T>& result, std::initializer_list<std::string> fragments) {
  ASSERT_FALSE(result.ok());
  const std::string message = result.error().message();
  EXPECT_FALSE(result.error().remedy.empty()) << message;
  for (const std::string& fragment : fragments) {
    EXPECT_NE(message.find(fragment), std::string::npos)
        << "'" << fragment << "' is not in: " << message;
  }
}

/// max |a - b| <= tolerance * max |b|; false if anything is NaN.
inline bool close(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double tolerance) {
  if (a.size() != b.size()) return false;
  return oracle::largest_difference(a, b) <= tolerance * oracle::largest_entry(b);
}

/// Parameters of a random body in general position: mass 1 to 5 kg, J = A A' well inside the cone.
inline BodyParameters random_parameters(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const Eigen::Matrix4d A = Eigen::Matrix4d::NullaryExpr([&] { return uniform(random); });
  return body_parameters(A * A.transpose() + 0.1 * Eigen::Matrix4d::Identity());
}

}  // namespace heft::test
