// A working robot that is watched: samples in, lines of JSON out.
#include <memory>
#include <mutex>
#include <optional>

#include "arrays.hpp"
#include "errors.hpp"
#include "module.hpp"
#include "predict/identified_model.hpp"
#include "watch_stream/watch_stream.hpp"

namespace heft::python {

namespace {

/// A stream that several threads of Python may call, one at a time.
class PyWatcher {
 public:
  static std::unique_ptr<PyWatcher> make(const std::string& model, double forget, long long every,
                                         const std::string& snapshot, const std::string& baseline) {
    const nb::gil_scoped_release released;
    const IdentifiedModel identified = unwrap(read_identified_model(model));
    WatchStreamOptions options{
        .forget_s = forget, .every = every, .snapshot = snapshot, .source = "heft.Watcher"};
    if (!baseline.empty())
      options.baseline = unwrap(read_watch_baseline(baseline, model, identified));
    WatchStream stream = unwrap(WatchStream::make(identified, options));
    return std::unique_ptr<PyWatcher>(new PyWatcher(identified, std::move(stream)));
  }

  std::vector<std::string> push(const Vector& t, const Matrix& q, const Matrix& tau) {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < t.shape(0); ++i) {
      const auto copy_row = [i](const Matrix& from, std::vector<double>& to) {
        for (std::size_t k = 0; k < to.size(); ++k) to[k] = from(i, k);
      };
      copy_row(q, q_), copy_row(tau, tau_);
      append(unwrap(stream_.push(t(i), q_, tau_)), texts);
    }
    return texts;
  }

  std::vector<std::string> finish() {
    const nb::gil_scoped_release released;
    const std::lock_guard lock(mutex_);
    std::vector<std::string> texts;
    append(unwrap(stream_.finish()), texts);
    return texts;
  }

  std::vector<std::string> joints, channels;

 private:
  PyWatcher(const IdentifiedModel& identified, WatchStream stream) : stream_(std::move(stream)) {
    const RegressorPlan& plan = *identified.model.plan;
    for (const Coordinate& coordinate : plan.robot.coordinates) joints.push_back(coordinate.name);
    for (const Channel& channel : plan.channels) channels.push_back(channel.name);
    q_.resize(joints.size());
    tau_.resize(channels.size());
  }

  static void append(std::span<const WatchLine> lines, std::vector<std::string>& texts) {
    for (const WatchLine& line : lines) texts.push_back(line.text);
  }

  std::mutex mutex_;
  WatchStream stream_;
  std::vector<double> q_, tau_;
};

}  // namespace

void bind_watch(nb::module_& m) {
  nb::class_<PyWatcher>(m, "Watcher")
      .def_static(
          "make",
          [](const std::string& model, double forget, long long every, const std::string& snapshot,
             const std::string& baseline) {
            return PyWatcher::make(model, forget, every, snapshot, baseline).release();
          },
          nb::arg("model"), nb::arg("forget"), nb::arg("every"), nb::arg("snapshot"),
          nb::arg("baseline"), nb::rv_policy::take_ownership)
      .def_ro("joints", &PyWatcher::joints)
      .def_ro("channels", &PyWatcher::channels)
      .def("push", &PyWatcher::push, nb::arg("t").noconvert(), nb::arg("q").noconvert(),
           nb::arg("tau").noconvert())
      .def("finish", &PyWatcher::finish);
}

}  // namespace heft::python
