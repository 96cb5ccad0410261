// Poses, motions and screws of bodies in their kernel frames (core/tree.hpp), one sample per
// Scalar. Threads: stateless; safe to call from several threads.
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

/// a + b x c, in six multiply-adds.
template <class Scalar>
HEFT_HD Vector3<Scalar> plus_cross(const Vector3<Scalar>& a, const Vector3<Scalar>& b,
                                   const Vector3<Scalar>& c) {
  return {a.x + b.y * c.z - b.z * c.y, a.y + b.z * c.x - b.x * c.z, a.z + b.x * c.y - b.y * c.x};
}

template <class Scalar>
HEFT_HD Vector3<Scalar> operator+(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Scalar>
HEFT_HD Vector3<Scalar> operator*(const Scalar& s, const Vector3<Scalar>& v) {
  return {s * v.x, s * v.y, s * v.z};
}
template <class Scalar>
HEFT_HD Scalar dot(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// By rows and columns.
template <class Scalar>
struct Matrix3 {
  Scalar xx, xy, xz, yx, yy, yz, zx, zy, zz;
};

template <class Scalar>
HEFT_HD Vector3<Scalar> operator*(const Matrix3<Scalar>& m, const Vector3<Scalar>& v) {
  return {m.xx * v.x + m.xy * v.y + m.xz * v.z, m.yx * v.x + m.yy * v.y + m.yz * v.z,
          m.zx * v.x + m.zy * v.y + m.zz * v.z};
}

/// m' v
template <class Scalar>
HEFT_HD Vector3<Scalar> transposed_times(const Matrix3<Scalar>& m, const Vector3<Scalar>& v) {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.xy * v.x + m.yy * v.y + m.zy * v.z,
          m.xz * v.x + m.yz * v.y + m.zz * v.z};
}

/// Motion of a body, in its kernel frame: angular velocity w, angular acceleration wd, acceleration
/// of the origin minus gravity a.
template <class Scalar>
struct Motion {
  Vector3<Scalar> w, wd, a;
};

/// Acceleration of a body's points minus gravity: S r + a at the point r, with S = [wd]x + [w]x^2.
template <class Scalar>
struct Acceleration {
  Matrix3<Scalar> S;
  Vector3<Scalar> a;
};

template <class Scalar>
HEFT_HD Acceleration<Scalar> acceleration_of(const Motion<Scalar>& m) {
  const Vector3<Scalar>&w = m.w, &wd = m.wd;
  const Scalar xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const Scalar xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{-yy - zz, xy - wd.z, xz + wd.y,   //
           xy + wd.z, -xx - zz, yz - wd.x,   //
           xz - wd.y, yz + wd.x, -xx - yy},  //
          m.a};
}

/// Screw of a channel: angular part w, linear part u.
template <class Scalar>
struct Screw {
  Vector3<Scalar> w, u;
};

/// Pose of a kernel frame in the parent's: a rotation R = Rx(twist) Rz(angle) and the position p of
/// the origin.
template <class Scalar, PoseKind kKind>
struct Pose {
  Scalar sine, cosine;              ///< of the angle
  Scalar twist_sine, twist_cosine;  ///< only for PoseKind::twist; other kinds imply them
  Vector3<Scalar> p;

  /// R' v: a vector in the parent's frame, converted to this frame.
  HEFT_HD Vector3<Scalar> to_child(const Vector3<Scalar>& v) const {
    Scalar y = v.y, z = v.z;
    if constexpr (kKind == PoseKind::perpendicular) y = v.z, z = -v.y;
    if constexpr (kKind == PoseKind::twist) {
      y = twist_cosine * v.y + twist_sine * v.z;
      z = twist_cosine * v.z - twist_sine * v.y;
    }
    return {cosine * v.x + sine * y, cosine * y - sine * v.x, z};
  }
};

/// The same with a general rotation, whose columns are the frame's axes.
template <class Scalar>
struct Pose<Scalar, PoseKind::general> {
  Matrix3<Scalar> R;
  Vector3<Scalar> p;

  HEFT_HD Vector3<Scalar> to_child(const Vector3<Scalar>& v) const {
    return transposed_times(R, v);
  }
};

/// Sine and cosine of a body's angle, turn q + turn_offset. Behind a gear the angle spans many
/// turns, so its rounding error would be visible in fp64; it is corrected to first order. (In fp32
/// the rounding of q is as large.)
template <class Scalar, class Input>
HEFT_HD void joint_angle(const BodyEntry& body, const Input& in, Scalar& sine, Scalar& cosine) {
  const Scalar q = in.position(body.coordinate), turn(body.turn), offset(body.turn_offset);
  const Scalar angle = turn * q + offset;
  sin_cos(angle, sine, cosine);
  if (body.turn == 1 || body.turn == -1) return;
  const Scalar lost = fused_multiply_add(turn, q, -angle) + offset;
  const Scalar rounded_sine = sine;
  sine = sine + lost * cosine;
  cosine = cosine - lost * rounded_sine;
}

/// Pose of a body in its parent, both kernel frames; R0 and p0 are the pose at angle and slide
/// zero:
///   R = R0 Rz(turn q + turn_offset)
///   p = p0 + R0 z (slide q + slide_offset)
template <PoseKind kKind, class Scalar, class Input>
HEFT_HD Pose<Scalar, kKind> joint_pose(const BodyEntry& body, const Input& in, const Scalar& sine,
                                       const Scalar& cosine) {
  const double *R = body.rotation, *p = body.translation;
  Pose<Scalar, kKind> pose;
  pose.p = {Scalar(p[0]), Scalar(p[1]), Scalar(p[2])};
  if constexpr (kKind != PoseKind::general) {
    pose.sine = sine, pose.cosine = cosine;
    if constexpr (kKind == PoseKind::twist)
      pose.twist_sine = Scalar(R[7]), pose.twist_cosine = Scalar(R[8]);
  } else {
    pose.R = {Scalar(R[0]), Scalar(R[1]), Scalar(R[2]), Scalar(R[3]), Scalar(R[4]),
              Scalar(R[5]), Scalar(R[6]), Scalar(R[7]), Scalar(R[8])};
    if (body.turn != 0) {
      pose.R.xx = cosine * Scalar(R[0]) + sine * Scalar(R[1]);
      pose.R.xy = cosine * Scalar(R[1]) - sine * Scalar(R[0]);
      pose.R.yx = cosine * Scalar(R[3]) + sine * Scalar(R[4]);
      pose.R.yy = cosine * Scalar(R[4]) - sine * Scalar(R[3]);
      pose.R.zx = cosine * Scalar(R[6]) + sine * Scalar(R[7]);
      pose.R.zy = cosine * Scalar(R[7]) - sine * Scalar(R[6]);
    }
    if (body.slide != 0) {
      const Scalar d =
          Scalar(body.slide) * in.position(body.coordinate) + Scalar(body.slide_offset);
      pose.p = pose.p + Vector3<Scalar>{d * Scalar(R[2]), d * Scalar(R[5]), d * Scalar(R[8])};
    }
  }
  return pose;
}

/// Motion of a body from its parent's (index 0): rigid transport by the pose (R, p), then the
/// joint's own turn about z at the rate td = turn qd and slide along z at the speed sd = slide qd,
/// with tdd = turn qdd and sdd = slide qdd:
///   w  = R' w_0 + z td
///   wd = R' wd_0 + w x z td + z tdd
///   a  = R' (a_0 + wd_0 x p + w_0 x (w_0 x p)) + 2 w x z sd + z sdd
template <PoseKind kKind, class Scalar, class Input>
HEFT_HD Motion<Scalar> joint_motion(const BodyEntry& body, const Pose<Scalar, kKind>& pose,
                                    const Motion<Scalar>& parent, const Input& in) {
  const Vector3<Scalar> carried =
      plus_cross(plus_cross(parent.a, parent.wd, pose.p), parent.w, cross(parent.w, pose.p));
  Motion<Scalar> m{pose.to_child(parent.w), pose.to_child(parent.wd), pose.to_child(carried)};
  if (kKind == PoseKind::general && body.coordinate < 0) return m;
  const Scalar qd = in.velocity(body.coordinate);
  const Scalar qdd = in.acceleration(body.coordinate);
  if (kKind == PoseKind::general && body.slide != 0) {
    const Scalar speed = Scalar(body.slide) * qd;
    m.a.x = m.a.x + Scalar(2) * speed * m.w.y;
    m.a.y = m.a.y - Scalar(2) * speed * m.w.x;
    m.a.z = m.a.z + Scalar(body.slide) * qdd;
  }
  if (kKind != PoseKind::general || body.turn != 0) {
    const Scalar rate = Scalar(body.turn) * qd;
    m.wd.x = m.wd.x + m.w.y * rate;
    m.wd.y = m.wd.y - m.w.x * rate;
    m.wd.z = m.wd.z + Scalar(body.turn) * qdd;
    m.w.z = m.w.z + rate;
  }
  return m;
}

/// Converts a screw from the parent's kernel frame to the child's:
///   w = R' w_0
///   u = R' (u_0 + w_0 x p)
template <PoseKind kKind, class Scalar>
HEFT_HD Screw<Scalar> to_child(const Pose<Scalar, kKind>& pose, const Screw<Scalar>& screw) {
  return {pose.to_child(screw.w), pose.to_child(plus_cross(screw.u, screw.w, pose.p))};
}

/// The same for a screw (0, 0, rate) of the parent.
template <class Scalar>
HEFT_HD Screw<Scalar> turn_to_child(const Pose<Scalar, PoseKind::general>& pose,
                                    const Scalar& rate) {
  const Matrix3<Scalar>& R = pose.R;
  const Scalar ux = -(rate * pose.p.y), uy = rate * pose.p.x;
  return {{rate * R.zx, rate * R.zy, rate * R.zz},
          {ux * R.xx + uy * R.yx, ux * R.xy + uy * R.yy, ux * R.xz + uy * R.yz}};
}

template <PoseKind kKind, class Scalar>
HEFT_HD Screw<Scalar> turn_to_child(const Pose<Scalar, kKind>& pose, const Scalar& rate) {
  const Scalar ux = -(rate * pose.p.y), uy = rate * pose.p.x, zero(0);
  const Scalar &sine = pose.sine, &cosine = pose.cosine;
  if constexpr (kKind == PoseKind::perpendicular) {
    return {{sine * rate, cosine * rate, zero}, {cosine * ux, -(sine * ux), -uy}};
  } else if constexpr (kKind == PoseKind::parallel) {
    return {{zero, zero, rate}, {cosine * ux + sine * uy, cosine * uy - sine * ux, zero}};
  } else {
    const Scalar across = pose.twist_sine * rate, y = pose.twist_cosine * uy;
    return {{sine * across, cosine * across, pose.twist_cosine * rate},
            {cosine * ux + sine * y, cosine * y - sine * ux, -(pose.twist_sine * uy)}};
  }
}

}  // namespace heft::core
