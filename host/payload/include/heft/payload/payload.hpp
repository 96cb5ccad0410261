// Weighs one rigid body that a force-torque sensor holds: from samples of motion and wrench to mass, centre of mass and tensor,
// by every method asked for, with what each would have predicted of wrench that it did not see.
// Threads: any number of threads may call, each with objects of its own; what is const may be shared.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/log/source.hpp"
#include "heft/payload/options.hpp"
#include "heft/payload/samples.hpp"
#include "heft/solve/certificate.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What the payload is believed to look like: a tensor, to which a mass is given later.
struct PayloadShape {
  /// Where the tensor comes from; it decides how firmly auto holds to it (FORMULAS 8).
  enum class Kind { ball, box, parameters, points, mesh };

  Kind kind = Kind::ball;
  BodyParameters unit =
      BodyParameters::Zero();       ///< of 1 kg; of a ball without its centre, which the log tells
  std::optional<Ellipsoid> bounds;  ///< least ellipsoid around mesh or box
  Eigen::Matrix3Xd corners;         ///< of the mesh's triangles, three columns each, in the sensor's frame
  std::string words;                ///< for people: "mesh drill.stl, 1.21 litres"
};

/// Reads what the options name; without any of it a ball of 10 cm. Errors: more than one named, files that cannot be read, open
/// surfaces, meshes that must be in millimetres, tensors that no body has.
Result<PayloadShape> read_payload_shape(const PayloadPriorOptions& options);

struct PayloadAnswer {
  PayloadMethod method = PayloadMethod::automatic;
  std::string failure;                                 ///< why there is no answer; then only `method` counts
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame
  bool is_possible = false;                            ///< pseudo-inertia positive definite
  std::optional<double> objective;                     ///< as options.hpp writes it
  std::optional<Certificate> certificate;              ///< of auto, geo, cone and metric
  /// |error| / |wrench without bias| of each half of the log, predicted from the other, each half's own bias fitted; nan where a
  /// half tells too little.
  double held_out_force = 0, held_out_torque = 0;
};

struct Interval {
  /// Infinite where the log says nothing.
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
};

/// A doubt about the log, and what to do.
struct PayloadDoubt {
  bool serious = false;
  std::string what, remedy;
};

struct PayloadLog {
  std::string path, sha256;
  std::int64_t num_rows = 0, num_dropped = 0;
  double duration_s = 0, rate_hz = 0;
  std::vector<PayloadDoubt> doubts;  ///< parts of the motion that do not belong together
};

struct PayloadResult {
  std::vector<PayloadLog> logs;
  PayloadOptions options;
  PayloadShape shape;
  std::vector<PayloadAnswer> answers;  ///< one a method, in the order asked for; the first is the answer
  Eigen::ArrayXXd biases;              ///< groups x 6, force [N] and torque [N m]; a row of zeros without
  Vector6d residual_rms =
      Vector6d::Zero();         ///< [N], [N m]: of the answer, biases apart, over the samples as they came
  Interval mass;                ///< [kg], 95 %
  std::array<Interval, 3> com;  ///< [m], 95 %
  std::vector<std::string> set_by_prior;  ///< of `auto`: parameters of which the prior decides more than half
  int num_directions = 0;  ///< poses at rest: directions of gravity that differ by more than 2 degrees
  std::vector<PayloadDoubt> doubts;
  WrenchSamples samples;

  const PayloadAnswer& answer() const { return answers.front(); }
};

/// A log of `t,wx..wz,alx..alz,ax..az,gx..gz,fx..fz,nx..nz` (gravity, or an orientation r11..r33, row-major, sensor to world), or
/// of poses at rest: an orientation or gravity, and the wrench. Rows with a number missing drop out. `about` hears what was
/// read. Errors: columns that are missing, with near misses; those of Source; an orientation that is none.
Result<WrenchSamples> read_wrench_log(const Log& log, const SensorOptions& options, PayloadLog& about);

/// Errors: samples that tell nothing, a wrench of evidently wrong sign, order or frame (with the option that mends it), a first
/// method without an answer.
Result<PayloadResult> weigh_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                    const PayloadShape& shape,
                                    const std::vector<PayloadMethod>& methods = {PayloadMethod::automatic});

/// By one method alone; neither diagnosis nor intervals. Errors as above.
Result<PayloadAnswer> fit_payload(const WrenchSamples& samples, const PayloadOptions& options,
                                  const PayloadShape& shape, PayloadMethod method);

/// Four point masses that have the moments of `payload`; inside `bounds` if any four can be.
struct FourMasses {
  Eigen::Vector4d mass = Eigen::Vector4d::Zero();  ///< [kg]
  Eigen::Matrix<double, 3, 4> at;                  ///< [m], a column each
  bool inside = false;                             ///< of the bounds
};

/// Error: a payload that no masses have.
Result<FourMasses> four_masses(const BodyParameters& payload, const std::optional<Ellipsoid>& bounds = {});

/// The same body in the flange's frame.
BodyParameters in_flange(const PayloadResult& result);

std::string payload_json(const PayloadResult& result);
std::string payload_summary(const PayloadResult& result);
std::string payload_page(const PayloadResult& result);

/// Writes result.json, report.html, payload.urdf, payload_franka.json, payload_ur.txt, payload_ros2.yaml and points.csv into
/// `directory` (made if missing), all of them or none; of an impossible answer only the first two. Returns their paths.
Result<std::vector<std::string>> write_payload(const PayloadResult& result, const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
