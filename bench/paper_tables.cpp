// Reproduces the identifiability tables of [Wensing, Niemeyer, Slotine 2024] for PUMA 560, SCARA
// and the leg of Cheetah 3: dimensions of V, K and T per joint, numbers of base parameters, and
// what can be seen of each parameter.
//
//   paper_tables [directory]      with golden/rpna below the directory; default $HEFT_GOLDEN, then
//                                 the
//   configured one
//
// Every number stands beside the published one. Exit status: 0 if all agree, 1 if one does not, 2
// if files are missing.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <exception>

#include "heft/observe/observe.hpp"
#include "tests/oracle/golden_rpna.hpp"

namespace {

using heft::BaseMotion;
using heft::JointDimensions;
using heft::Observability;
using heft::ObserveOptions;

struct Situation {
  const char* name;    ///< for people
  const char* suffix;  ///< of the published numbers' keys
  bool gravity;
  BaseMotion base;

  ObserveOptions options() const {
    ObserveOptions options;
    options.gravity = gravity;
    options.base = base;
    options.channels = false;
    return options;
  }
};

constexpr std::array<Situation, 3> kSituations{{
    {"without gravity", "nogravity", false, BaseMotion::as_modeled},
    {"with gravity", "gravity", true, BaseMotion::as_modeled},
    {"moving base", "free", true, BaseMotion::uncounted},
}};

class Comparison {
 public:
  explicit Comparison(const nlohmann::json& paper) : paper_(paper) {}

  /// Prints our value and, where the paper has one under `key`, the published one.
  template <class Value>
  void print(const std::string& label, const Value& ours, const std::string& key) {
    const nlohmann::json mine = ours;
    fmt::print("  {:32} {:22}", label, text(mine));
    if (paper_.contains(key)) {
      const bool agrees = paper_.at(key) == mine;
      all_agree_ = all_agree_ && agrees;
      fmt::print(" paper {:22}{}", text(paper_.at(key)), agrees ? "" : "  DIFFERS");
    }
    fmt::print("\n");
  }

  bool all_agree() const { return all_agree_; }

 private:
  static std::string text(const nlohmann::json& value) {
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const nlohmann::json& entry : value) text += fmt::format("{:>3}", entry.dump());
    return text;
  }

  const nlohmann::json& paper_;
  bool all_agree_ = true;
};

Observability observed(const heft::Robot& robot, const Situation& situation) {
  heft::Result<Observability> result = heft::observe(robot, situation.options());
  if (!result) throw std::runtime_error(result.error().message());
  return *std::move(result);
}

std::vector<int> per_joint(const Observability& observability, int JointDimensions::*dimension) {
  std::vector<int> values;
  for (const JointDimensions& joint : observability.joints) values.push_back(joint.*dimension);
  return values;
}

bool print_robot(const nlohmann::json& file) {
  const nlohmann::json& paper = file.at("paper_comparison").at("paper");
  fmt::print("{} ({})\n\n", file.at("robot").get<std::string>(),
             paper.at("table").get<std::string>());
  const heft::Robot links = heft::oracle::rpna_robot(file, false);
  const heft::Robot links_and_rotors = heft::oracle::rpna_robot(file, true);

  Comparison comparison(paper);
  for (const Situation& situation : kSituations) {
    const Observability seen = observed(links, situation);
    const std::string name = situation.name, suffix = situation.suffix;
    comparison.print("dim V " + name, per_joint(seen, &JointDimensions::dim_V), "dim_V_" + suffix);
    comparison.print("dim K " + name, per_joint(seen, &JointDimensions::dim_K), "dim_K_" + suffix);
    comparison.print("dim T " + name, per_joint(seen, &JointDimensions::dim_T), "dim_T_" + suffix);
    const std::string key = suffix == "gravity" ? "n_base" : "n_base_" + suffix;
    comparison.print("base parameters " + name, seen.num_base, key);
    comparison.print("  with rotors", observed(links_and_rotors, situation).num_base,
                     key + "_motors");
  }
  fmt::print("\n{}\n", heft::format_observability(observed(links, kSituations[1])));
  return comparison.all_agree();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::optional<std::filesystem::path> golden = heft::oracle::golden_directory();
    if (argc > 1) golden = argv[1];
    if (!golden) {
      fmt::print(stderr, "{}\n", heft::oracle::kNoGolden);
      return 2;
    }
    bool all_agree = true;
    for (const char* name : {"rpna_puma560", "rpna_scara", "rpna_cheetah3_leg"})
      all_agree &=
          print_robot(heft::oracle::read_json(*golden / "rpna" / (std::string(name) + ".json")));
    fmt::print("{}\n", all_agree ? "All published numbers reproduced."
                                 : "Some numbers differ from the paper's.");
    return all_agree ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
