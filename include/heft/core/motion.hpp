// Poses, motions and screws of bodies in their kernel frames (core/tree.hpp), one sample per Scalar.
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/scalar.hpp"
#include "heft/core/tree.hpp"

namespace heft::core {

template <class Scalar>
struct Vector3 {
  Scalar x, y, z;
};

template <class Scalar>
HEFT_HD Vector3<Scalar> cross(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Scalar>
HEFT_HD Vector3<Scalar> operator+(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// Motion of a body, in its kernel frame: angular velocity w, angular acceleration wd, acceleration of the
/// origin minus gravity a, and S = [wd]x + [w]x^2, row-major.
template <class Scalar>
struct Motion {
  Vector3<Scalar> w, wd, a;
  Scalar S[9];

  HEFT_HD void compute_S() {
    const Scalar xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const Scalar xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    S[0] = -yy - zz, S[1] = xy - wd.z, S[2] = xz + wd.y;
    S[3] = xy + wd.z, S[4] = -xx - zz, S[5] = yz - wd.x;
    S[6] = xz - wd.y, S[7] = yz + wd.x, S[8] = -xx - yy;
  }
};

/// Of a channel: angular part w, linear part u.
template <class Scalar>
struct Screw {
  Vector3<Scalar> w, u;
};

/// Pose of a kernel frame in the parent's: columns of the rotation are the frame's axes.
template <class Scalar>
struct Pose {
  Scalar r[9];
  Vector3<Scalar> p;

  /// R' v: a vector of the parent's frame, in this frame.
  HEFT_HD Vector3<Scalar> to_child(const Vector3<Scalar>& v) const {
    return {r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
            r[2] * v.x + r[5] * v.y + r[8] * v.z};
  }
};

/// Sine and cosine of a body's angle, turn q + turn_offset.
template <class Scalar, class Input>
HEFT_HD void joint_angle(const BodyEntry& body, const Input& in, Scalar& sine, Scalar& cosine) {
  sin_cos(Scalar(body.turn) * in.position(body.coordinate) + Scalar(body.turn_offset), sine, cosine);
}

/// Pose of a body in its parent, both kernel frames; R0 and p0 are the pose at angle and slide zero:
///   R = R0 Rz(turn q + turn_offset)
///   p = p0 + R0 z (slide q + slide_offset)
template <class Scalar, class Input>
HEFT_HD Pose<Scalar> joint_pose(const BodyEntry& body, const Input& in, const Scalar& sine,
                                const Scalar& cosine) {
  const double* R = body.rotation;
  Pose<Scalar> pose;
  for (int i = 0; i < 9; ++i) pose.r[i] = Scalar(R[i]);
  pose.p = {Scalar(body.translation[0]), Scalar(body.translation[1]), Scalar(body.translation[2])};
  if (body.coordinate < 0) return pose;
  if (body.turn != 0) {
    for (int row = 0; row < 9; row += 3) {
      pose.r[row] = cosine * Scalar(R[row]) + sine * Scalar(R[row + 1]);
      pose.r[row + 1] = cosine * Scalar(R[row + 1]) - sine * Scalar(R[row]);
    }
  }
  if (body.slide != 0) {
    const Scalar d = Scalar(body.slide) * in.position(body.coordinate) + Scalar(body.slide_offset);
    pose.p = pose.p + Vector3<Scalar>{d * Scalar(R[2]), d * Scalar(R[5]), d * Scalar(R[8])};
  }
  return pose;
}

/// Motion of a body from its parent's (index 0): rigid transport by the pose (R, p), then the joint's own
/// turn about z at the rate td = turn qd and slide along z at the speed sd = slide qd, with tdd = turn qdd
/// and sdd = slide qdd:
///   w  = R' w_0 + z td
///   wd = R' wd_0 + w x z td + z tdd
///   a  = R' (a_0 + S_0 p) + 2 w x z sd + z sdd
template <class Scalar, class Input>
HEFT_HD Motion<Scalar> joint_motion(const BodyEntry& body, const Pose<Scalar>& pose,
                                    const Motion<Scalar>& parent, const Input& in) {
  const Scalar* S = parent.S;
  const Vector3<Scalar>& p = pose.p;
  const Vector3<Scalar> carried{parent.a.x + S[0] * p.x + S[1] * p.y + S[2] * p.z,
                                parent.a.y + S[3] * p.x + S[4] * p.y + S[5] * p.z,
                                parent.a.z + S[6] * p.x + S[7] * p.y + S[8] * p.z};
  Motion<Scalar> m{pose.to_child(parent.w), pose.to_child(parent.wd), pose.to_child(carried), {}};
  if (body.coordinate < 0) {
    m.compute_S();
    return m;
  }
  const Scalar qd = in.velocity(body.coordinate);
  const Scalar qdd = in.acceleration(body.coordinate);
  if (body.slide != 0) {
    const Scalar speed = Scalar(body.slide) * qd;
    m.a.x = m.a.x + Scalar(2) * speed * m.w.y;
    m.a.y = m.a.y - Scalar(2) * speed * m.w.x;
    m.a.z = m.a.z + Scalar(body.slide) * qdd;
  }
  if (body.turn != 0) {
    const Scalar rate = Scalar(body.turn) * qd;
    m.wd.x = m.wd.x + m.w.y * rate;
    m.wd.y = m.wd.y - m.w.x * rate;
    m.wd.z = m.wd.z + Scalar(body.turn) * qdd;
    m.w.z = m.w.z + rate;
  }
  m.compute_S();
  return m;
}

/// A screw of the parent's kernel frame, in the child's:
///   w = R' w_0
///   u = R' (u_0 + w_0 x p)
template <class Scalar>
HEFT_HD Screw<Scalar> to_child(const Pose<Scalar>& pose, const Screw<Scalar>& screw) {
  return {pose.to_child(screw.w), pose.to_child(screw.u + cross(screw.w, pose.p))};
}

}  // namespace heft::core
