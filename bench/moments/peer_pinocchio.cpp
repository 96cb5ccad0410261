// What a Pinocchio user can do in C++ for G = Y'Y and b = Y'tau: the joint torque regressor of
// every sample, then the best of three ways to sum outer products. Built by run.py from Pinocchio's
// headers, because its compiled library takes twice as long.
//
//   peer_pinocchio MODEL SECONDS
//
// MODEL is a table written by robots.py. Prints JSON: thread CPU time in ns per sample of the
// regressor alone and with each of the three ways (median over the rounds that count), the core
// that OpenBLAS takes the machine for, and the multiply-adds a second of its product of two large
// matrices. The register peak is measured before and after every round, as heft bench moments does
// it: rounds where it is below 97 % of the best do not count.
#include <pinocchio/fwd.hpp>
// the order matters to Pinocchio
#include <cblas.h>
#include <time.h>

#include <Eigen/Core>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/multibody.hpp>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" char* openblas_get_corename();

namespace {

using pinocchio::Model;

constexpr int kSamples = 256;  ///< stacked for the two ways that stack

pinocchio::JointModel joint_of(const std::string& kind, const Eigen::Vector3d& axis) {
  using namespace pinocchio;
  const std::map<std::string, JointModel> aligned = {
      {"JointModelRX", JointModelRX()},     {"JointModelRY", JointModelRY()},
      {"JointModelRZ", JointModelRZ()},     {"JointModelPX", JointModelPX()},
      {"JointModelPY", JointModelPY()},     {"JointModelPZ", JointModelPZ()},
      {"JointModelRUBX", JointModelRUBX()}, {"JointModelRUBY", JointModelRUBY()},
      {"JointModelRUBZ", JointModelRUBZ()}, {"JointModelFreeFlyer", JointModelFreeFlyer()}};
  if (const auto found = aligned.find(kind); found != aligned.end()) return found->second;
  if (kind == "JointModelRevoluteUnaligned") return JointModelRevoluteUnaligned(axis);
  if (kind == "JointModelPrismaticUnaligned") return JointModelPrismaticUnaligned(axis);
  throw std::runtime_error("a joint type that this program does not know: " + kind);
}

Model read_model(const std::string& path) {
  std::ifstream file(path);
  int num_joints = 0;
  if (!(file >> num_joints)) throw std::runtime_error(path + ": no number of joints");
  Model model;
  for (int i = 0; i < num_joints; ++i) {
    std::string kind;
    Eigen::Vector3d axis, translation;
    Eigen::Matrix3d rotation;
    std::size_t parent = 0;
    file >> kind >> axis[0] >> axis[1] >> axis[2] >> parent;
    for (int k = 0; k < 9; ++k) file >> rotation(k / 3, k % 3);
    for (int k = 0; k < 3; ++k) file >> translation[k];
    if (!file) throw std::runtime_error(path + ": ends early");
    model.addJoint(parent, joint_of(kind, axis), pinocchio::SE3(rotation, translation),
                   "joint_" + std::to_string(i));
  }
  return model;
}

double thread_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Peer {
  explicit Peer(const Model& model_) : model(model_), data(model_), P(10 * (model_.njoints - 1)) {
    q.resize(model.nq, kSamples);
    v = Eigen::MatrixXd::Random(model.nv, kSamples),
    a = Eigen::MatrixXd::Random(model.nv, kSamples);
    tau = Eigen::MatrixXd::Random(model.nv, kSamples);
    for (int t = 0; t < kSamples; ++t)
      q.col(t) = pinocchio::integrate(model, pinocchio::neutral(model),
                                      Eigen::VectorXd(3 * Eigen::VectorXd::Random(model.nv)));
    G.setZero(P, P), b.setZero(P);
    stacked.resize(P, model.nv * kSamples), stacked_tau.resize(model.nv * kSamples);
  }

  const Eigen::MatrixXd& rows(int t) {
    return pinocchio::computeJointTorqueRegressor(model, data, q.col(t), v.col(t), a.col(t));
  }
  void regressor_alone() {
    for (int t = 0; t < kSamples; ++t) checksum += rows(t)(0, 0);
  }
  void rank_update() {
    for (int t = 0; t < kSamples; ++t) {
      const auto& Y = rows(t);
      G.selfadjointView<Eigen::Upper>().rankUpdate(Y.transpose());
      b.noalias() += Y.transpose() * tau.col(t);
    }
  }
  // columns of `stacked` are rows of Y, so that a sample's block is written in one run
  void stack() {
    for (int t = 0; t < kSamples; ++t) {
      stacked.middleCols(t * model.nv, model.nv) = rows(t).transpose();
      stacked_tau.segment(t * model.nv, model.nv) = tau.col(t);
    }
  }
  void stacked_rank_update() {
    stack();
    G.selfadjointView<Eigen::Upper>().rankUpdate(stacked);
    b.noalias() += stacked * stacked_tau;
  }
  void stacked_dsyrk() {
    stack();
    cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, P, static_cast<int>(stacked.cols()), 1.0,
                stacked.data(), P, 1.0, G.data(), P);
    cblas_dgemv(CblasColMajor, CblasNoTrans, P, static_cast<int>(stacked.cols()), 1.0,
                stacked.data(), P, stacked_tau.data(), 1, 1.0, b.data(), 1);
  }

  const Model& model;
  pinocchio::Data data;
  int P;
  Eigen::MatrixXd q, v, a, tau, G, stacked;
  Eigen::VectorXd b, stacked_tau;
  double checksum = 0;
};

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

/// Multiply-adds a second in registers alone, twelve chains.
double register_peak() {
  typedef double Vector __attribute__((vector_size(kVectorBytes)));
  constexpr int kChains = 12, kRounds = 20000;
  Vector sums[kChains] = {}, factor = Vector{} + 0.5, shift = Vector{} + 1.0;
  asm("" : "+v"(factor), "+v"(shift));
  const double start = thread_seconds();
  for (int round = 0; round < kRounds; ++round)
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      sums[i] = sums[i] * factor + shift;
      asm("" : "+v"(sums[i]));
    }
  const double seconds = thread_seconds() - start;
  volatile double use = sums[0][0];
  (void)use;
  return static_cast<double>(kRounds) * kChains * kVectorBytes / sizeof(double) / seconds;
}

/// Rounds, each with the lower of the register peaks before and after it.
struct Rounds {
  static constexpr double kUndisturbed = 0.97;
  struct Round {
    std::vector<double> times;  ///< of every way
    double peak;
  };
  std::vector<Round> all;

  double best_peak() const {
    double best = 0;
    for (const Round& round : all) best = std::max(best, round.peak);
    return best;
  }
  std::vector<Round> kept() const {
    std::vector<Round> undisturbed;
    for (const Round& round : all)
      if (round.peak >= kUndisturbed * best_peak()) undisturbed.push_back(round);
    return undisturbed;
  }
};

/// Median over a few products of matrices of this size.
double products_per_second(int size) {
  const Eigen::MatrixXd A = Eigen::MatrixXd::Random(size, size),
                        B = Eigen::MatrixXd::Random(size, size);
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(size, size);
  std::vector<double> rates;
  for (int round = 0; round < 6; ++round) {
    const double start = thread_seconds();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1.0, A.data(), size,
                B.data(), size, 1.0, C.data(), size);
    rates.push_back(static_cast<double>(size) * size * size / (thread_seconds() - start));
  }
  std::nth_element(rates.begin(), rates.begin() + rates.size() / 2, rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: peer_pinocchio MODEL SECONDS");
  const Model model = read_model(argv[1]);
  const double seconds = std::stod(argv[2]);
  Peer peer(model);
  const std::vector<std::pair<const char*, std::function<void()>>> ways = {
      {"regressor", [&] { peer.regressor_alone(); }},
      {"rank_update", [&] { peer.rank_update(); }},
      {"stacked_rank_update", [&] { peer.stacked_rank_update(); }},
      {"stacked_dsyrk", [&] { peer.stacked_dsyrk(); }}};
  for (const auto& way : ways) way.second();
  Rounds rounds;
  const double begin = thread_seconds();
  double before = register_peak();
  for (double passed = 0; passed < seconds || (rounds.kept().size() < 5 && passed < 10 * seconds);
       passed = thread_seconds() - begin) {
    Rounds::Round round;
    for (const auto& way : ways) {
      const double start = thread_seconds();
      way.second();
      round.times.push_back(1e9 * (thread_seconds() - start) / kSamples);
    }
    const double after = register_peak();
    round.peak = std::min(before, after);
    before = after;
    rounds.all.push_back(std::move(round));
  }
  const std::vector<Rounds::Round> kept = rounds.kept();
  std::printf("{\"dof\": %d, \"parameters\": %d, \"openblas_core\": \"%s\"", model.nv, peer.P,
              openblas_get_corename());
  for (std::size_t k = 0; k < ways.size(); ++k) {
    std::vector<double> times;
    for (const Rounds::Round& round : kept) times.push_back(round.times[k]);
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    std::printf(", \"%s\": %.1f", ways[k].first, times[times.size() / 2]);
  }
  std::printf(", \"peak\": %.4g, \"rounds\": %zu, \"rounds_dropped\": %zu", rounds.best_peak(),
              kept.size(), rounds.all.size() - kept.size());
  std::printf(", \"dgemm_products_per_s\": %.4g", products_per_second(1024));
  std::printf(", \"checksum\": %g}\n", peer.checksum + peer.G.norm() + peer.b.norm());
} catch (const std::exception& error) {
  std::fprintf(stderr, "peer_pinocchio: %s\n", error.what());
  return 1;
}
