#include "heft/observe/observe.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "nearly_parallel.hpp"
#include "observe/row_echelon.hpp"
#include "random_rows.hpp"
#include "recursion.hpp"

namespace heft {

namespace {

using namespace identifiability;

constexpr std::size_t kMaxParameters = 540;  ///< with combinations: two seconds, some 100 MB

/// The counts computed before any basis.
struct Analysis {
  Robot robot;                                   // normalized
  std::vector<ObservedParameter> parameters;     // in its units
  std::optional<std::vector<Cluster>> clusters;  // nothing: there are sensors, and random rows
                                                 // decide
  std::vector<ClusterSpan> spans;                // one per cluster
  std::vector<int> counts;                       // base parameters, one per cluster
  Eigen::MatrixXd sampled_rows;                  // basis over the parameters, without clusters
  int num_base = 0;
};

/// Maps ten columns per body to one per parameter.
Eigen::MatrixXd in_parameters(const Eigen::MatrixXd& rows,
                              const std::vector<ObservedParameter>& parameters) {
  Eigen::MatrixXd columns(rows.rows(), parameters.size());
  for (Eigen::Index j = 0; j < columns.cols(); ++j)
    columns.col(j) = rows.middleCols(10 * parameters[j].body, 10) * parameters[j].direction;
  return columns;
}

std::vector<ObservedParameter> parameters_of(const Robot& robot) {
  std::vector<ObservedParameter> parameters;
  for (int i = 0; i < robot.num_bodies(); ++i)
    for (ObservedParameter& parameter : identifiability::parameters_of(robot, i))
      parameters.push_back(std::move(parameter));
  return parameters;
}

/// Measured channels: all joint torques, the wrench on a floating base, and sensors.
std::vector<Channel> measured_channels(const Robot& robot, const ObserveOptions& options) {
  std::vector<Channel> channels = default_channels(robot);
  if (options.base == BaseMotion::uncounted)
    std::erase_if(channels, [](const Channel& channel) { return channel.coordinate < 0; });
  channels.insert(channels.end(), options.sensors.begin(), options.sensors.end());
  return channels;
}

Analysis analyze(const Robot& robot, const ObserveOptions& options) {
  Analysis analysis;
  analysis.robot = robot;
  analysis.parameters = parameters_of(robot);
  if (options.sensors.empty()) analysis.clusters = joint_clusters(robot);
  if (analysis.clusters) {
    analysis.spans = recurse(robot, *analysis.clusters, options);
    analysis.counts =
        base_parameter_counts(robot, *analysis.clusters, analysis.spans, options.tolerance);
    for (int count : analysis.counts) analysis.num_base += count;
    return analysis;
  }
  const int num_samples = static_cast<int>(analysis.parameters.size()) + 20;
  const std::vector<Channel> channels = measured_channels(robot, options);
  Eigen::MatrixXd stacked(num_samples * static_cast<Eigen::Index>(channels.size()),
                          10 * robot.num_bodies());
  Eigen::Index done = 0;
  const RandomMotions motions(robot, options, num_samples);
  for (const Channel& channel : channels) {
    stacked.middleRows(done, num_samples) = motions.rows(channel);
    done += num_samples;
  }
  analysis.sampled_rows = row_space(in_parameters(stacked, analysis.parameters), options.tolerance);
  analysis.num_base = static_cast<int>(analysis.sampled_rows.rows());
  return analysis;
}

int count_without_rotors(Robot robot, const ObserveOptions& options, int count_with_rotors) {
  bool has_rotors = false;
  for (Body& body : robot.bodies)
    if (body.is_rotor && body.has_parameters) {
      has_rotors = true;
      body.has_parameters = false;
    }
  return has_rotors ? analyze(robot, options).num_base : count_with_rotors;
}

std::vector<JointDimensions> joint_dimensions(const Analysis& analysis,
                                              const ObserveOptions& options) {
  std::vector<JointDimensions> joints;
  if (!analysis.clusters) return joints;
  for (std::size_t c = 1; c < analysis.clusters->size(); ++c) {
    const ClusterSpan& span = analysis.spans[c];
    JointDimensions joint;
    const Cluster& cluster = (*analysis.clusters)[c];
    for (const Member& member : cluster.members)
      if (!member.relay) joint.bodies.push_back(member.body);
    joint.joint = analysis.robot.bodies[joint.bodies.front()].joint;
    joint.dim_V = rank_of_first_rows(span.V, 6, options.tolerance);
    joint.dim_K = rank_of_first_rows(span.K, 10, options.tolerance);
    joint.dim_T = transfer_dimension(analysis.robot, cluster, span, options.tolerance);
    joint.num_base = analysis.counts[c];
    joints.push_back(std::move(joint));
  }
  std::sort(joints.begin(), joints.end(), [](const JointDimensions& a, const JointDimensions& b) {
    return a.bodies.front() < b.bodies.front();
  });
  return joints;
}

/// Turns coefficients of normalized parameters into sums of parameters in SI units.
class CombinationMaker {
 public:
  CombinationMaker(const std::vector<ObservedParameter>& parameters, double length,
                   double tolerance)
      : rounding_(1e-3 * tolerance) {
    for (const ObservedParameter& parameter : parameters) {
      Eigen::Index largest;
      parameter.direction.cwiseAbs().maxCoeff(&largest);
      unit_.push_back(std::pow(length, length_power(static_cast<int>(largest))));
    }
  }

  /// A functional of the parameters, scaled so that `leading` has coefficient 1.
  Combination functional(const Eigen::VectorXd& coefficients, int leading) const {
    return make(coefficients, [&](int j) { return unit_[leading] / unit_[j]; });
  }

  /// A change of the parameters, in which `leading` changes by 1.
  Combination change(const Eigen::VectorXd& coefficients, int leading) const {
    return make(coefficients, [&](int j) { return unit_[j] / unit_[leading]; });
  }

  std::vector<Combination> functionals(const RowEchelon& echelon) const {
    std::vector<Combination> combinations;
    for (std::size_t i = 0; i < echelon.pivots.size(); ++i)
      combinations.push_back(functional(echelon.rows.row(i).transpose(), echelon.pivots[i]));
    return combinations;
  }

 private:
  template <class Scale>
  Combination make(const Eigen::VectorXd& coefficients, const Scale& scale) const {
    Combination combination;
    for (int j = 0; j < coefficients.size(); ++j)
      if (std::abs(coefficients[j]) > rounding_)
        combination.push_back({j, cleaned(coefficients[j] * scale(j))});
    return combination;
  }

  // a rotor enters with its squared ratio, so that other coefficients can be this small without
  // being rounding
  double rounding_;
  std::vector<double> unit_;  // SI units per normalized unit
};

/// One change per nonpivot parameter: +1 for itself, minus its coefficients for the pivots.
std::vector<Combination> null_basis(const RowEchelon& echelon, const CombinationMaker& maker) {
  std::vector<Combination> basis;
  std::size_t next_pivot = 0;
  for (int j = 0; j < echelon.rows.cols(); ++j) {
    if (next_pivot < echelon.pivots.size() && echelon.pivots[next_pivot] == j) {
      ++next_pivot;
      continue;
    }
    Eigen::VectorXd change = Eigen::VectorXd::Unit(echelon.rows.cols(), j);
    for (std::size_t i = 0; i < echelon.pivots.size(); ++i)
      change[echelon.pivots[i]] = -echelon.rows(i, j);
    basis.push_back(maker.change(change, j));
  }
  return basis;
}

std::vector<Visibility> visibilities(const std::vector<Combination>& combinations,
                                     int num_parameters) {
  std::vector<Visibility> seen(num_parameters, Visibility::unidentifiable);
  for (const Combination& combination : combinations)
    for (const Term& term : combination)
      seen[term.parameter] =
          combination.size() == 1 ? Visibility::alone : Visibility::in_combination;
  return seen;
}

/// Channels depend only on the base parameters, so that rows over these suffice: Y x = Y_base R x.
Result<std::vector<ChannelObservability>> observe_channels(const Analysis& analysis,
                                                           const RowEchelon& echelon,
                                                           const ObserveOptions& options,
                                                           const CombinationMaker& maker,
                                                           const Progress& progress) {
  std::vector<ChannelObservability> observed;
  const std::vector<Channel> channels = measured_channels(analysis.robot, options);
  const int num_samples = 2 * analysis.num_base + 20;
  const RandomMotions motions(analysis.robot, options, num_samples);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    HEFT_CHECK(report_progress(progress, "observing",
                               static_cast<double>(c) / static_cast<double>(channels.size())));
    const Eigen::MatrixXd base_rows =
        in_parameters(motions.rows(channels[c]), analysis.parameters)(Eigen::all, echelon.pivots);
    const Eigen::MatrixXd space = row_space(base_rows, options.tolerance) * echelon.rows;
    ChannelObservability channel;
    channel.channel = channels[c].name;
    channel.identifiable = maker.functionals(reduced_row_echelon(space, options.tolerance));
    channel.visibility =
        visibilities(channel.identifiable, static_cast<int>(analysis.parameters.size()));
    observed.push_back(std::move(channel));
  }
  return observed;
}

}  // namespace

Result<Observability> observe(const Robot& robot, const ObserveOptions& given,
                              const Progress& progress) {
  HEFT_TRY(tidy, normalized(robot, given));
  // of ten numbers a body, of a rotor fewer
  if (const std::size_t num_parameters = parameters_of(tidy.robot).size();
      !given.dimensions_only && num_parameters > kMaxParameters)
    return Error{robot.source,
                 "has " + std::to_string(num_parameters) +
                     " parameters; combinations are listed for at most " +
                     std::to_string(kMaxParameters) +
                     ", because the time grows with the fourth power of the number of bodies",
                 "use --dimensions to count them without a list, or observe the limbs one by one"};
  ObserveOptions options = given;
  for (Channel& sensor : options.sensors) {
    if (sensor.body < 0 || sensor.body >= robot.num_bodies())
      return Error{robot.source, "sensor '" + sensor.name + "' is on a body that does not exist",
                   "name one of the robot's bodies"};
    if (!sensor.angular.isZero(0))
      sensor.linear /= tidy.length;  // a moment's screw: the lever is a length
  }
  HEFT_CHECK(report_progress(progress, "observing", 0));
  const Analysis analysis = analyze(tidy.robot, options);

  Observability result;
  result.robot = robot.name;
  for (const Body& body : robot.bodies) result.bodies.push_back(body.name);
  result.parameters = parameters_of(robot);
  result.joints = joint_dimensions(analysis, options);
  result.num_base = analysis.num_base;
  result.num_base_without_rotors = count_without_rotors(tidy.robot, options, analysis.num_base);
  result.nearly_parallel = nearly_parallel(
      tidy.robot, [&](const Robot& turned) { return analyze(turned, options).num_base; });
  const auto cleared = with_clear_angles(tidy.robot);
  // enlarged angles add directions and take none away
  result.num_base_exact =
      std::max(cleared ? analyze(*cleared, options).num_base : 0, analysis.num_base);
  if (options.dimensions_only) return result;

  const Eigen::MatrixXd rows =
      analysis.clusters
          ? in_parameters(identifiable_rows(tidy.robot, *analysis.clusters, analysis.spans),
                          analysis.parameters)
          : analysis.sampled_rows;
  const RowEchelon echelon = reduced_row_echelon(rows, options.tolerance);
  if (static_cast<int>(echelon.pivots.size()) != analysis.num_base)
    return Error{
        robot.source.empty() ? robot.name : robot.source,
        "the number of base parameters is ambiguous: " + std::to_string(analysis.num_base) +
            " by recursion, " + std::to_string(echelon.pivots.size()) + " by elimination",
        "an axis or offset is within rounding of a special arrangement: write it exactly, or raise "
        "the tolerance or the alignment angle"};

  const CombinationMaker maker(analysis.parameters, tidy.length, options.tolerance);
  result.identifiable = maker.functionals(echelon);
  result.null_basis = null_basis(echelon, maker);
  const std::vector<Visibility> seen = visibilities(result.identifiable, result.num_parameters());
  for (int j = 0; j < result.num_parameters(); ++j) result.parameters[j].visibility = seen[j];
  if (options.channels) {
    HEFT_TRY(channels, observe_channels(analysis, echelon, options, maker, progress));
    result.channels = std::move(channels);
  }
  return result;
}

}  // namespace heft
