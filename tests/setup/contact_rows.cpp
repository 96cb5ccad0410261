// Prints what Heft computes for contacts of a robot, for comparison with other programs.
//
// Usage: contact_rows ROBOT.urdf FRAME:TYPE.. < STATES
// A state is a line of numbers: positions, velocities and accelerations of all joints; w, wd, a - g
// of the base; noise of every channel. Output: a header with the names of coordinates and bodies;
// per state lines "rows", "jacobian" and "projected" with numbers by row: channels x parameters,
// channels x components, channels x parameters.
#include <fmt/format.h>

#include <iostream>
#include <sstream>

#include "heft/executor/executor.hpp"
#include "heft/robot/robot_document.hpp"
#include "heft/setup/setup.hpp"
#include "rows/projected_rows.hpp"

namespace heft {
namespace {

ContactSpec contact_of(const std::string& word) {
  const std::size_t colon = word.find(':');
  const auto type = enum_value<ContactType>(word.substr(colon + 1));
  return {.frame = word.substr(0, colon), .type = type.value_or(ContactType::point)};
}

void print(const char* name, const Eigen::MatrixXd& values) {
  fmt::print("{}", name);
  for (Eigen::Index i = 0; i < values.rows(); ++i)
    for (Eigen::Index k = 0; k < values.cols(); ++k) fmt::print(" {:.17g}", values(i, k));
  fmt::print("\n");
}

Samples read_state(const std::string& line, const Model& model, Eigen::VectorXd& noise) {
  std::istringstream numbers(line);
  const Eigen::Index n = model.plan->robot.num_coordinates();
  const auto next = [&](Eigen::Index count) {
    Eigen::ArrayXXd row(1, count);
    for (Eigen::Index k = 0; k < count; ++k) numbers >> row(0, k);
    return row;
  };
  Samples state;
  state.time.setZero(1);
  state.position = next(n), state.velocity = next(n), state.acceleration = next(n);
  state.base_motion = next(9);
  noise = next(model.plan->num_channels()).transpose().matrix();
  state.signal.setZero(1, std::ssize(model.derived.signals));
  for (const BlockFunction& function : model.derived.functions) {
    const Eigen::ArrayXXd logged = Eigen::ArrayXXd::Zero(1, 3), orientation;
    if (!function.apply({logged, orientation}, state)) std::exit(1);
  }
  return state;
}

/// Dense rows in the parameters of the layout.
Eigen::MatrixXd rows_of(const Model& model, Backend& backend, const Samples& state) {
  std::vector<RowArray> rows;
  if (!backend.evaluate_rows(*model.plan, state, rows)) std::exit(1);
  Eigen::MatrixXd dense =
      Eigen::MatrixXd::Zero(model.plan->num_channels(), model.plan->num_structural_columns());
  for (std::size_t c = 0; c < rows.size(); ++c)
    dense.row(static_cast<Eigen::Index>(c))(model.plan->channel_columns[c]) =
        rows[c].row(0).matrix();
  return dense * model.plan->regrouping;
}

Eigen::MatrixXd jacobian_of(const UnknownWrenches& wrenches, const Samples& state) {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(wrenches.noise.size(), std::ssize(wrenches.directions));
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const UnknownDirection& direction = wrenches.directions[static_cast<std::size_t>(k)];
    for (std::size_t c = 0; c < direction.channels.size(); ++c)
      J(direction.channels[c], k) = state.signal(0, direction.first_signal + static_cast<int>(c));
  }
  return J;
}

int run(int argc, char** argv) {
  ModelOptions options;
  options.columns.clear();
  for (int k = 2; k < argc; ++k) options.contacts.push_back(contact_of(argv[k]));
  const auto robot = read_robot(argv[1], {.floating_base = true});
  if (!robot) return std::cerr << robot.error().what << "\n", 1;
  const auto model = make_model(*robot, options);
  if (!model) return std::cerr << model.error().what << "\n", 1;
  const auto backend = make_backend({.kind = BackendKind::cpu, .threads = 1});
  fmt::print("coordinates");
  for (const Coordinate& coordinate : robot->coordinates) fmt::print(" {}", coordinate.name);
  fmt::print("\nbodies");
  for (const std::string& body : model->plan->layout.bodies) fmt::print(" {}", body);
  fmt::print("\n");
  for (std::string line; std::getline(std::cin, line);) {
    UnknownWrenches wrenches = *model->derived.unknown_wrenches;
    const Samples state = read_state(line, *model, wrenches.noise);
    const Eigen::MatrixXd rows = rows_of(*model, **backend, state);
    print("rows", rows);
    print("jacobian", jacobian_of(wrenches, state));
    NullSpace null_space(wrenches, {});
    RowArray projected = rows(null_space.channels(), Eigen::all);
    null_space.set(state, 0);
    null_space.apply(projected);
    Eigen::MatrixXd all = rows;
    all(null_space.channels(), Eigen::all) = projected.matrix();
    print("projected", all);
  }
  return 0;
}

}  // namespace
}  // namespace heft

int main(int argc, char** argv) {
  return heft::run(argc, argv);
}
