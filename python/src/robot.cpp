// Robots from URDF files or texts, and their rows at given states.
#include "robot.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <thread>

#include "arrays.hpp"
#include "base/parallel_for.hpp"
#include "errors.hpp"
#include "files/name_hint.hpp"
#include "heft/config/edge.hpp"
#include "long_call.hpp"

namespace heft::python {

namespace {

constexpr std::int64_t kStatesOfTask = 64, kTasksBetweenSignals = 256;

Result<PyRobot> with_mechanics(RobotOptions options, Robot robot) {
  HEFT_TRY(mechanics, Mechanics::make(robot));
  return PyRobot{std::move(options), std::move(robot), std::move(mechanics)};
}

RobotOptions options_of(bool floating_base, const std::optional<std::vector<double>>& gravity,
                        const std::string& rotors) {
  RobotOptions options{.floating_base = floating_base, .rotors_path = rotors};
  if (gravity) options.gravity = Eigen::Map<const Eigen::Vector3d>(gravity->data());
  return options;
}

RobotPtr from_urdf(const std::string& path, bool floating_base,
                   const std::optional<std::vector<double>>& gravity, const std::string& rotors) {
  const RobotOptions options = options_of(floating_base, gravity, rotors);
  const nb::gil_scoped_release released;
  return std::make_shared<PyRobot>(unwrap(with_mechanics(options, unwrap(read_robot(path, options)))));
}

RobotPtr from_text(const std::string& name, const nb::bytes& text_bytes, const nb::bytes& rotors_bytes,
                   bool floating_base, const std::optional<std::vector<double>>& gravity,
                   const std::string& rotors) {
  const RobotOptions options = options_of(floating_base, gravity, rotors);
  const std::string text(text_bytes.c_str(), text_bytes.size());
  const std::string rotors_text(rotors_bytes.c_str(), rotors_bytes.size());
  const nb::gil_scoped_release released;
  Robot robot = unwrap(read_robot_text(name, text, rotors_text, options));
  return std::make_shared<PyRobot>(unwrap(with_mechanics(options, std::move(robot))));
}

/// Copies row i of an array to `to`; returns where the next numbers go.
double* copy_row(const ArrayView& array, std::int64_t i, double* to) {
  for (std::int64_t k = 0; k < array.num_columns; ++k)
    *to++ = array.data[i * array.row_stride + k * array.column_stride];
  return to;
}

/// New memory for many rows, in large pages where the system gives them: first touches of small ones cost more than the rows.
NumpyArray new_rows(std::initializer_list<std::size_t> shape, double*& first) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  std::size_t size = sizeof(double);
  for (const std::size_t n : shape) size *= n;
  if (size < 2 * kLargePage) return new_array(shape, first);
  size = (size + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = std::aligned_alloc(kLargePage, size);
  if (!memory) throw std::bad_alloc();
  madvise(memory, size, MADV_HUGEPAGE);  // a wish: without it the same memory in small pages
  first = static_cast<double*>(memory);
  nb::capsule owner(memory, [](void* rows) noexcept { std::free(rows); });
  return NumpyArray(first, shape.size(), shape.begin(), owner);
}

/// Rows at all states, states x rows x parameters. Shapes were checked in Python.
NumpyArray rows_at(const PyRobot& robot, const std::string& kind_name, const Matrix& q, const Matrix& qd,
                   const Matrix& qdd, int threads) {
  const auto kind = enum_value<MechanicsRow>(kind_name);
  if (!kind) {
    std::vector<std::string> names;
    for (const auto& entry : EnumNames<MechanicsRow>::kList) names.push_back(entry.name);
    throw Failure{
        {"kind", "there are no rows '" + kind_name + "'", name_hint(kind_name, names, "there are ")}};
  }
  const Mechanics& mechanics = robot.mechanics;
  const ArrayView views[] = {view_of(q), view_of(qd), view_of(qdd)};
  const std::int64_t num_states = views[0].num_rows;
  const std::int64_t size_of_state = mechanics.num_rows(*kind) * mechanics.num_parameters();
  const std::size_t size = static_cast<std::size_t>(mechanics.num_state_numbers());
  double* first = nullptr;
  NumpyArray result =
      new_rows({static_cast<std::size_t>(num_states), static_cast<std::size_t>(mechanics.num_rows(*kind)),
                static_cast<std::size_t>(mechanics.num_parameters())},
               first);
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));

  LongCall call{nb::none()};
  const std::int64_t num_tasks = (num_states + kStatesOfTask - 1) / kStatesOfTask;
  std::vector<Result<Done>> outcomes(static_cast<std::size_t>(num_tasks), Done{});
  const auto evaluate = [&](std::int64_t task) -> Result<Done> {
    std::vector<double> state(size);
    for (std::int64_t i = task * kStatesOfTask; i < std::min(num_states, (task + 1) * kStatesOfTask); ++i) {
      double* to = state.data();
      for (const ArrayView& view : views) to = copy_row(view, i, to);
      if (auto done = mechanics.put_rows(*kind, state.data(), first + i * size_of_state); !done)
        return Error{"state " + std::to_string(i), done.error().what, done.error().remedy};
    }
    return Done{};
  };
  call.run([&](const Progress&) -> Result<Done> {
    for (std::int64_t begin = 0; begin < num_tasks; begin += kTasksBetweenSignals) {
      if (!call.goes_on("rows", static_cast<double>(begin) / static_cast<double>(num_tasks)))
        return stopped();
      parallel_for(std::min(kTasksBetweenSignals, num_tasks - begin), threads, [&](std::int64_t k, int) {
        outcomes[static_cast<std::size_t>(begin + k)] = evaluate(begin + k);
      });
    }
    for (const Result<Done>& outcome : outcomes) HEFT_CHECK(outcome);
    return Done{};
  });
  return result;
}

/// One row a body of the layout, in the order of core::Parameter.
NumpyArray prior_of(const PyRobot& robot) {
  const ParameterLayout& layout = robot.mechanics.plan().layout;
  Eigen::MatrixXd prior(layout.num_bodies(), core::kNumParameters);
  for (int i = 0; i < layout.num_bodies(); ++i)
    prior.row(i) = robot.robot.bodies[static_cast<std::size_t>(layout.body_index[i])].prior;
  return copy_of(prior);
}

template <class Noun>
std::vector<std::string> names_of(const std::vector<Noun>& nouns) {
  std::vector<std::string> names;
  for (const Noun& noun : nouns) names.push_back(noun.name);
  return names;
}

}  // namespace

Result<Robot> robot_as_configured(const PyRobot& robot, const Configuration& configuration) {
  const RobotOptions options = robot_options(configuration);
  // other rotors than those that the robot was read with lie in a file of their own
  if (options.rotors_path != robot.options.rotors_path) return read_robot(robot.robot.source, options);
  return read_robot_text(robot.robot.source, robot.robot.source_text, robot.robot.rotors_text, options);
}

void bind_robot(nb::module_& m) {
  nb::class_<PyRobot>(m, "Robot")
      .def_static("from_urdf", &from_urdf, nb::arg("path"), nb::arg("floating_base"),
                  nb::arg("gravity").none(), nb::arg("rotors"))
      .def_static("from_text", &from_text, nb::arg("name"), nb::arg("text"), nb::arg("rotors_text"),
                  nb::arg("floating_base"), nb::arg("gravity").none(), nb::arg("rotors"))
      .def_prop_ro("name", [](const PyRobot& r) { return r.robot.name; })
      .def_prop_ro("source", [](const PyRobot& r) { return r.robot.source; })
      .def_prop_ro(
          "text",
          [](const PyRobot& r) { return nb::bytes(r.robot.source_text.data(), r.robot.source_text.size()); })
      .def_prop_ro(
          "rotors_text",
          [](const PyRobot& r) { return nb::bytes(r.robot.rotors_text.data(), r.robot.rotors_text.size()); })
      .def_prop_ro("rotors", [](const PyRobot& r) { return r.options.rotors_path; })
      .def_prop_ro("floating_base", [](const PyRobot& r) { return r.robot.floating_base; })
      .def_prop_ro("gravity",
                   [](const PyRobot& r) {
                     return std::vector<double>(r.options.gravity.data(), r.options.gravity.data() + 3);
                   })
      .def_prop_ro("bodies", [](const PyRobot& r) { return r.mechanics.plan().layout.bodies; })
      .def_prop_ro("joints", [](const PyRobot& r) { return names_of(r.robot.coordinates); })
      .def_prop_ro("channels", [](const PyRobot& r) { return names_of(r.mechanics.plan().channels); })
      .def_prop_ro("state_names", [](const PyRobot& r) { return r.mechanics.state_names(); })
      .def_prop_ro("prior", &prior_of, nb::rv_policy::automatic)
      .def("rows", &rows_at, nb::arg("kind"), nb::arg("q").noconvert(), nb::arg("qd").noconvert(),
           nb::arg("qdd").noconvert(), nb::arg("threads"));
}

}  // namespace heft::python
