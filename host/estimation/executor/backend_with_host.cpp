#include "backend_with_host.hpp"

#include <mutex>
#include <utility>

#include "backend_cpu.hpp"
#include "base/out_of_memory.hpp"

namespace heft {

namespace {

class BackendWithHost : public Backend {
 public:
  BackendWithHost(std::unique_ptr<Backend> device, const BackendOptions& options)
      : device_(std::move(device)), options_(options) {
    options_.kind = BackendKind::cpu;
  }

  int num_threads() const override { return device_->num_threads(); }
  std::string description() const override { return device_->description(); }

  Result<Done> accumulate(std::span<const AccumulateJob> jobs,
                          std::span<std::vector<double>> partials) override {
    return run([&](Backend& backend) { return backend.accumulate(jobs, partials); });
  }
  Result<Done> evaluate_rows(const RegressorPlan& plan, const Samples& samples,
                             std::vector<RowArray>& rows) override {
    return run([&](Backend& backend) { return backend.evaluate_rows(plan, samples, rows); });
  }
  Result<Done> accumulate_rows(std::span<const RowsJob> jobs,
                               std::span<std::vector<double>> partials) override {
    return run([&](Backend& backend) { return backend.accumulate_rows(jobs, partials); });
  }
  Result<Done> predict(std::span<const PredictJob> jobs,
                       std::span<Eigen::ArrayXXd> torques) override {
    return run([&](Backend& backend) { return backend.predict(jobs, torques); });
  }

  CallsOnHost calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }

 private:
  template <class Call>
  Result<Done> run(const Call& call) {
    const Result<Done> done = call(*device_);
    if (done || !is_out_of_memory(done.error())) return done;
    HEFT_TRY(host, host_of_call());
    return call(*host);
  }

  /// The CPU, made when it is first needed.
  Result<Backend*> host_of_call() {
    const std::lock_guard lock(mutex_);
    if (!host_) {
      HEFT_TRY(made, make_cpu_backend(options_));
      host_ = std::move(made);
      calls_.by = host_->description();
    }
    ++calls_.num_calls;
    return host_.get();
  }

  std::unique_ptr<Backend> device_, host_;
  BackendOptions options_;
  mutable std::mutex mutex_;
  CallsOnHost calls_;
};

class SolverWithHost : public DeviceBatchSolver {
 public:
  explicit SolverWithHost(std::unique_ptr<DeviceBatchSolver> device) : device_(std::move(device)) {}

  std::string description() const override { return device_->description(); }
  bool takes(const solver::PlainShape& shape) override { return device_->takes(shape); }
  Result<Done> solve(const solver::PlainShape& shape,
                     std::span<const solver::PlainProblem> problems,
                     const solver::PlainOptions& options, int num_threads,
                     std::span<solver::PlainAnswer> answers) override {
    const Result<Done> done = device_->solve(shape, problems, options, num_threads, answers);
    if (done || !is_out_of_memory(done.error())) return done;
    for (solver::PlainAnswer& answer : answers) answer.converged = false;
    return Done{};
  }

 private:
  std::unique_ptr<DeviceBatchSolver> device_;
};

}  // namespace

std::unique_ptr<DeviceBatchSolver> with_host_beside(std::unique_ptr<DeviceBatchSolver> device) {
  return std::make_unique<SolverWithHost>(std::move(device));
}

std::unique_ptr<Backend> with_host_beside(std::unique_ptr<Backend> device,
                                          const BackendOptions& options) {
  return std::make_unique<BackendWithHost>(std::move(device), options);
}

CallsOnHost calls_on_host(const Backend& backend) {
  const auto* const with_host = dynamic_cast<const BackendWithHost*>(&backend);
  return with_host ? with_host->calls() : CallsOnHost();
}

}  // namespace heft
