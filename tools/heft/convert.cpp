#include <fmt/format.h>

#include <array>
#include <memory>

#include "files/json_text.hpp"
#include "files/name_hint.hpp"
#include "files/whole_file.hpp"
#include "heft/charts/chart.hpp"
#include "tools/heft/bodies_file.hpp"
#include "tools/heft/command.hpp"
#include "tools/heft/refuse_overwriting_inputs.hpp"

namespace heft::tools {

namespace {

using Json = nlohmann::ordered_json;

struct ConvertFlags {
  std::string from, to, in, out, prior;
  bool jacobian = false;
};

Result<Convention> convention_of(const std::string& flag, const std::string& name) {
  if (const auto convention = enum_value<Convention>(name)) return *convention;
  std::vector<std::string> names;
  for (const auto& entry : EnumNames<Convention>::kList) names.push_back(entry.name);
  return Error{flag, fmt::format("unknown convention '{}'", name),
               name_hint(name, names, "one of:")};
}

Json jacobian_json(const Eigen::MatrixXd& jacobian) {
  if (jacobian.size() == 0 || !jacobian.allFinite()) return nullptr;
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < jacobian.rows(); ++i) {
    const Eigen::VectorXd row = jacobian.row(i);
    rows.push_back(std::vector<double>(row.begin(), row.end()));
  }
  return rows;
}

Json numbers_json(const std::vector<double>& numbers) {
  if (numbers.empty()) return nullptr;
  Json list = Json::array();
  for (const double number : numbers) list.push_back(number_or_null(number));
  return list;
}

/// The priors of the bodies; empty without a file.
Result<std::vector<BodyParameters>> read_priors(const std::string& path, std::size_t num_bodies) {
  if (path.empty()) return std::vector<BodyParameters>();
  HEFT_TRY(priors, read_bodies(path));
  if (priors.size() != 1 && priors.size() != num_bodies)
    return Error{path,
                 fmt::format("has {} bodies, but the input has {}", priors.size(), num_bodies),
                 "give one prior for all bodies, or one for each"};
  for (std::size_t i = 0; i < priors.size(); ++i)
    if (auto chart = BodyChart::make(ChartKind::exponential_at_prior, priors[i]); !chart)
      return Error{place_of_body(path, i), chart.error().what, chart.error().remedy};
  return priors;
}

Result<std::array<int, 3>> convert_file(const ConvertFlags& flags) {
  HEFT_TRY(from, convention_of("--from", flags.from));
  HEFT_TRY(to, convention_of("--to", flags.to));
  for (const Convention convention : {from, to})
    if (convention == Convention::exponential_at_prior && flags.prior.empty())
      return Error{"--prior", "is missing: exponential_at_prior is a chart about a prior",
                   "name a file with one body in Heft's convention, {\"bodies\": [[..]]}"};
  HEFT_TRY(bodies, read_body_numbers(flags.in, from));
  HEFT_TRY(priors, read_priors(flags.prior, bodies.size()));

  Json converted = Json::array(), jacobians = Json::array(), status = Json::array();
  std::array<int, 3> counts{};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    std::optional<BodyParameters> prior;
    if (!priors.empty()) prior = priors[priors.size() == 1 ? 0 : i];
    const auto body = convert(from, to, bodies[i], prior, flags.jacobian);
    if (!body) return Error{place_of_body(flags.in, i), body.error().what, body.error().remedy};
    converted.push_back(numbers_json(body->numbers));
    if (flags.jacobian) jacobians.push_back(jacobian_json(body->jacobian));
    status.push_back(enum_name(body->status));
    ++counts[static_cast<std::size_t>(body->status)];
  }
  Json json{{"schema", "heft-bodies-1"}, {"convention", flags.to}, {"bodies", converted}};
  if (flags.jacobian) json["jacobians"] = jacobians;
  json["status"] = status;
  HEFT_CHECK(write_file_whole(flags.out, json.dump(1) + "\n"));
  return counts;
}

int run_convert(const ConvertFlags& flags) {
  if (auto spared = refuse_overwriting_inputs({flags.out}, {flags.in, flags.prior}); !spared)
    return fail(spared.error());
  const auto counts = convert_file(flags);
  if (!counts) return fail(counts.error());
  const auto [ok, boundary, impossible] = *counts;
  std::printf("%s: %s to %s: %d ok, %d on the boundary, %d impossible\n", flags.out.c_str(),
              flags.from.c_str(), flags.to.c_str(), ok, boundary, impossible);
  return kSuccess;
}

}  // namespace

void add_convert(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand(
      "convert", "convert inertias between the conventions of programs and charts, with Jacobians");
  auto flags = std::make_shared<ConvertFlags>();
  std::string names;
  for (const auto& entry : EnumNames<Convention>::kList)
    names += std::string(names.empty() ? "" : ", ") + entry.name;
  command->add_option("--from", flags->from, "convention of the input: " + names)->required();
  command->add_option("--to", flags->to, "convention of the output, one of the same list")
      ->required();
  command
      ->add_option("in", flags->in,
                   "JSON, {\"bodies\": [[numbers of a body], ..]}, or a result.json")
      ->required();
  command
      ->add_option(
          "--out", flags->out,
          "JSON to write: bodies, status (ok, boundary, impossible) and jacobians; null where one does not "
          "exist")
      ->required();
  command->add_option(
      "--prior", flags->prior,
      "JSON with the prior of exponential_at_prior in Heft's convention: one body for all, or one for each");
  command->add_flag(
      "--jacobian", flags->jacobian,
      "also write the derivatives of the output with respect to the input: 10 x 10 per body, one row per "
      "output; for the manifold with respect to (m, c, turn, L)");
  command->footer(
      "Examples:\n"
      "  heft convert --from urdf --to pinocchio links.json --out links_pinocchio.json\n"
      "  heft convert --from log_cholesky --to heft points.json --out bodies.json --jacobian\n"
      "docs/charts.md lists the order of the numbers in every convention.");
  command->callback([flags, &run] { run = [flags] { return run_convert(*flags); }; });
}

}  // namespace heft::tools
