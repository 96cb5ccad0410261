// Weighed payloads of some logs: their torques, which are known and subtracted.
#include <algorithm>
#include <cmath>

#include "heft/setup/setup.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "robot/link_place.hpp"
#include "setup/load.hpp"
#include "setup/payload.hpp"

namespace heft {

namespace {

const std::string kWhere = "payloads";

/// Returns the body's ten parameters in the frame of its link. Errors: impossible numbers.
Result<BodyParameters> parameters_of(const KnownPayload& payload) {
  const std::string whose = "the payload on '" + payload.link + "' ";
  if (!(payload.mass > 0) || !std::isfinite(payload.mass))
    return Error{kWhere, whose + "has no mass", "weigh it, and give mass in kg"};
  Eigen::Matrix3d inertia;
  const auto& I = payload.inertia;
  inertia << I[0], I[1], I[3], I[1], I[2], I[4], I[3], I[4], I[5];
  const BodyParameters parameters = parameters_about_origin(payload.mass, payload.com, inertia);
  if (!parameters.allFinite())
    return Error{kWhere, whose + "has a number that is not finite",
                 "give com in m, inertia in kg m^2"};
  const double least = SymmetricEigen<4>(pseudo_inertia(parameters)).eigenvalues()[0];
  if (!(least >= -1e-9 * pseudo_inertia(parameters).norm()))
    return Error{kWhere, whose + "has an inertia that no real body has",
                 "give Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the center of mass, or omit inertia"};
  return parameters;
}

/// Returns ten numbers for every body of the layout, zero except those of the payload.
Result<std::vector<double>> inertia_of(const KnownPayload& payload, const Robot& robot) {
  HEFT_TRY(place, find_link(robot, payload.link, kWhere + ": link '" + payload.link + "'"));
  HEFT_TRY(parameters, parameters_of(payload));
  const std::vector<int> bodies = make_parameter_layout(robot, {}).body_index;
  const auto body = std::find(bodies.begin(), bodies.end(), place.body);
  if (body == bodies.end())
    return Error{kWhere, "link '" + payload.link + "' is a part of a joint without a body",
                 "name the link that it moves"};
  std::vector<double> inertia(bodies.size() * core::kNumParameters, 0.0);
  const BodyParameters on_body = transformed(place.X_body_link, parameters);
  std::copy(on_body.begin(), on_body.end(),
            inertia.begin() + (body - bodies.begin()) * core::kNumParameters);
  return inertia;
}

TorqueFunction sum(const TorqueFunction& a, const TorqueFunction& b) {
  if (!a) return b;
  return [a, b](const Samples& block) -> Result<Eigen::ArrayXXd> {
    HEFT_TRY(first, a(block));
    HEFT_TRY(second, b(block));
    return (first + second).eval();
  };
}

}  // namespace

Result<std::vector<PayloadTorque>> make_payloads(const Robot& robot,
                                                 const std::vector<Channel>& channels,
                                                 const std::vector<KnownPayload>& payloads) {
  std::vector<PayloadTorque> torques;
  for (const KnownPayload& payload : payloads) {
    if (payload.logs.empty())
      return Error{kWhere, "the payload on '" + payload.link + "' names no logs",
                   "list its training or held-out logs: logs: [loaded.csv]"};
    HEFT_TRY(inertia, inertia_of(payload, robot));
    HEFT_TRY(torque, make_load(robot, channels, inertia));
    torques.push_back({payload.logs, std::move(torque)});
  }
  return torques;
}

bool is_name_of_log(const std::string& name, const std::string& log) {
  if (log == name) return true;
  // a file of options names logs from its own folder
  std::string_view last = name;
  while (last.starts_with("./") || last.starts_with("../")) last.remove_prefix(last.find('/') + 1);
  return !last.empty() && (log == last || log.ends_with("/" + std::string(last)));
}

DerivedSignals Model::derived_of(const std::string& log) const {
  DerivedSignals of_log = derived;
  for (const PayloadTorque& payload : payloads)
    if (std::ranges::any_of(payload.logs,
                            [&](const std::string& name) { return is_name_of_log(name, log); }))
      of_log.payload = sum(of_log.payload, payload.torque);
  if (of_log.payload && of_log.load) of_log.load = sum(of_log.load, of_log.payload);
  return of_log;
}

}  // namespace heft
