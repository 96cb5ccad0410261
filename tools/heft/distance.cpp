#include "heft/charts/distance.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "files/json_text.hpp"
#include "files/whole_file.hpp"
#include "tools/heft/bodies_file.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

struct DistanceFlags {
  std::string a, b, json;
};

Result<std::vector<BodyDistances>> measure(const DistanceFlags& flags) {
  HEFT_TRY(a, read_bodies(flags.a));
  HEFT_TRY(b, read_bodies(flags.b));
  if (a.size() != b.size() && b.size() != 1)
    return Error{flags.b, fmt::format("has {} bodies, but {} has {}", b.size(), flags.a, a.size()),
                 "give the same number in the same order, or one for all"};
  std::vector<BodyDistances> list;
  for (std::size_t i = 0; i < a.size(); ++i)
    list.push_back(distances(a[i], b[b.size() == 1 ? 0 : i]));
  return list;
}

std::string text_of(double number) {
  return std::isfinite(number) ? fmt::format("{:.6g}", number)
         : std::isnan(number)  ? "-"
                               : "infinite";
}

int run_distance(const DistanceFlags& flags) {
  if (auto spared = refuse_overwriting_inputs({flags.json}, {flags.a, flags.b}); !spared)
    return fail(spared.error());
  const auto list = measure(flags);
  if (!list) return fail(list.error());
  constexpr const char* kNames[] = {"affine_invariant", "entropic_ab", "entropic_ba", "pullback"};
  constexpr double BodyDistances::* kMembers[] = {
      &BodyDistances::affine_invariant, &BodyDistances::entropic_ab, &BodyDistances::entropic_ba,
      &BodyDistances::pullback};
  if (!flags.json.empty()) {
    Json json{{"schema", "heft-distance-1"}};
    for (int k = 0; k < 4; ++k) {
      Json numbers = Json::array();
      for (const BodyDistances& pair : *list) numbers.push_back(number_or_null(pair.*kMembers[k]));
      json[kNames[k]] = numbers;
    }
    if (auto written = write_file_whole(flags.json, json.dump(1) + "\n"); !written)
      return fail(written.error());
  }
  std::printf("%5s  %16s  %16s  %16s  %16s\n", "body", kNames[0], kNames[1], kNames[2], kNames[3]);
  for (std::size_t i = 0; i < list->size(); ++i) {
    std::printf("%5zu", i + 1);
    for (const auto member : kMembers) std::printf("  %16s", text_of((*list)[i].*member).c_str());
    std::printf("\n");
  }
  if (!flags.json.empty()) std::printf("json: %s\n", flags.json.c_str());
  return kSuccess;
}

}  // namespace

void add_distance(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "distance", "measure distances between bodies, independent of frame and units");
  auto flags = std::make_shared<DistanceFlags>();
  command
      ->add_option("a", flags->a,
                   "bodies A: JSON, {\"bodies\": [[ten numbers], ..]}, or a result.json")
      ->required();
  command
      ->add_option("b", flags->b, "bodies B, the reference: the same number as A, or one for all")
      ->required();
  command->add_option(
      "--json", flags->json,
      "also write the lists affine_invariant, entropic_ab, entropic_ba and pullback; null if A is on the "
      "boundary and the distance infinite, if A is impossible, or if B is not strictly possible");
  command->footer(
      "Example:\n"
      "  heft distance result/result.json cad.json --json distance.json\n"
      "Distances have no unit: a body with the same mass distribution as another but twice the mass has the "
      "affine_invariant distance sqrt(2) log 2 = 0.98.\n"
      "Use heft convert for bodies that are not in Heft's order.");
  command->callback([flags, &run] { run = [flags] { return run_distance(*flags); }; });
}

}  // namespace heft::tools
