// A weighed payload for people, machines and controllers: JSON, summary, page, and a folder of
// files. Threads: any number of threads may call, each with objects of its own; what is const may
// be shared.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "heft/payload/payload.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Four point masses that have the moments of `payload`; inside `bounds` if any four can be.
struct FourMasses {
  Eigen::Vector4d mass = Eigen::Vector4d::Zero();  ///< [kg]
  Eigen::Matrix<double, 3, 4> at;                  ///< [m], a column each
  bool inside = false;                             ///< of the bounds
};

/// Error: a payload that no masses have.
Result<FourMasses> four_masses(const BodyParameters& payload,
                               const std::optional<Ellipsoid>& bounds = {});

/// The same body in the flange's frame.
BodyParameters in_flange(const PayloadResult& result);

/// What to make of the answer, in a word and in a sentence.
struct PayloadVerdict {
  /// green: certified, and no serious doubt open; amber: a serious doubt is open; red: no
  /// certificate.
  std::string level, words;
};

PayloadVerdict payload_verdict(const PayloadResult& result);

std::string payload_json(const PayloadResult& result);
std::string payload_summary(const PayloadResult& result);
std::string payload_page(const PayloadResult& result);

/// Writes result.json, report.html, payload.urdf, payload_franka.json, payload_ur.txt,
/// payload_ros2.yaml and points.csv into `directory` (made if missing), all of them or none; of an
/// impossible answer, and of a mass that is not above its own interval, only the first two, and
/// those of an earlier run are removed; of a calibration zero.yaml, too. Returns their paths.
Result<std::vector<std::string>> write_payload(const PayloadResult& result,
                                               const std::string& directory);

}  // namespace heft
#pragma GCC visibility pop
