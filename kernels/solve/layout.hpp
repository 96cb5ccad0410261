// Memory layout of a problem of a batch: as sent to the device, as received, and while it is
// solved. Index maps only, for host and device; all numbers are doubles.
#pragma once

#include <cstdint>

#include "heft/core/psd_block.hpp"
#include "tiles.hpp"

namespace heft::cuda {

inline constexpr int kSvec = core::svec_size(4);
using Curvature4 = core::Curvature<4, double>;

/// Sizes of a plain problem, as solver::PlainShape.
struct ProblemShape {
  int num_variables, num_conic, num_psd4;

  HEFT_HD int num_tiles() const { return (num_variables + kTileSize - 1) / kTileSize; }
  HEFT_HD int padded() const { return kTileSize * num_tiles(); }
  HEFT_HD int first_row() const { return kSvec * num_psd4; }  ///< of the slacks that are numbers
  HEFT_HD int num_rows() const { return num_conic - first_row(); }
};

/// A problem on the device: slacks come first among the variables; padding is zero, and that of Q
/// the unit matrix.
struct PackedProblem {
  double* Q;       ///< TiledMatrix
  double* c;       ///< padded() each, from here on
  double* shift;   ///< variable = that of the problem + shift
  double* weight;  ///< of the prior, whose term is weight (y - center)^2
  double* center;
  double* scalars;  ///< constant of the objective, least cost, penalty rho

  static constexpr int kScalars = 3;

  HEFT_HD static int size_for(const ProblemShape& shape) {
    return TiledMatrix::size_for(shape.num_tiles()) + 4 * shape.padded() + kScalars;
  }
  HEFT_HD PackedProblem(const ProblemShape& shape, double* base) {
    Q = base;
    c = Q + TiledMatrix::size_for(shape.num_tiles());
    shift = c + shape.padded();
    weight = shift + shape.padded();
    center = weight + shape.padded();
    scalars = center + shape.padded();
  }
};

/// A solution on the device.
struct PackedAnswer {
  double* y;        ///< num_variables
  double* lambda;   ///< num_conic
  double* scalars;  ///< 1 if converged, steps, objective, gap

  static constexpr int kScalars = 4;

  HEFT_HD static int size_for(const ProblemShape& shape) {
    return shape.num_variables + shape.num_conic + kScalars;
  }
  HEFT_HD PackedAnswer(const ProblemShape& shape, double* base) {
    y = base;
    lambda = y + shape.num_variables;
    scalars = lambda + shape.num_conic;
  }
};

/// Working memory of a block. The factor of Q + W changes with every step; that of Q is kept for
/// the gap.
struct Workspace {
  TiledFactor factor;
  TiledFactor factor_of_Q;
  double* y;  ///< padded() each, from here on
  double* dy;
  double* slack;  ///< y with the slacks moved into the cone
  double* gradient;
  double* residual;
  double* c;
  double* lambda;  ///< num_conic each, from here on
  double* lambda_next;
  double* pull;
  Curvature4* bodies;     ///< num_psd4
  double* row_curvature;  ///< num_rows()
  double* sums;           ///< one a thread

  HEFT_HD static int factor_size(const ProblemShape& shape) {
    return TiledMatrix::size_for(shape.num_tiles()) + TiledFactor::inverse_size(shape.num_tiles());
  }
  /// Everything but the two factors.
  HEFT_HD static int vector_size(const ProblemShape& shape, int num_threads) {
    return 6 * shape.padded() + 3 * shape.num_conic +
           shape.num_psd4 * static_cast<int>(sizeof(Curvature4) / sizeof(double)) +
           shape.num_rows() + num_threads;
  }

  /// Factors of factor_size(), vectors of vector_size() doubles.
  HEFT_HD Workspace(const ProblemShape& shape, double* factor_memory, double* factor_of_Q_memory,
                    double* vectors) {
    const int tiles = shape.num_tiles(), n = shape.padded(), m = shape.num_conic;
    factor = {{factor_memory, tiles}, factor_memory + TiledMatrix::size_for(tiles)};
    factor_of_Q = {{factor_of_Q_memory, tiles}, factor_of_Q_memory + TiledMatrix::size_for(tiles)};
    y = vectors;
    dy = y + n;
    slack = dy + n;
    gradient = slack + n;
    residual = gradient + n;
    c = residual + n;
    lambda = c + n;
    lambda_next = lambda + m;
    pull = lambda_next + m;
    bodies = reinterpret_cast<Curvature4*>(pull + m);
    row_curvature = reinterpret_cast<double*>(bodies + shape.num_psd4);
    sums = row_curvature + shape.num_rows();
  }
};

/// Placement of a problem on a device: the threads of its block, and the memory of the factor of Q
/// + W.
struct Placement {
  int num_threads;
  bool factor_is_shared;
  int shared_bytes;
  int scratch_size;  ///< doubles of device memory
};

/// `max_shared_bytes` that a block may have.
inline Placement place(const ProblemShape& shape, int max_shared_bytes) {
  // the first triangle of tiles to be updated at once has at most 45 of them: two turns of a warp
  constexpr int kSmallTiles = 10;
  Placement placement{shape.num_tiles() <= kSmallTiles ? 32 : 128, true, 0,
                      Workspace::factor_size(shape)};
  const int size_of_double = static_cast<int>(sizeof(double));
  placement.shared_bytes = size_of_double * Workspace::vector_size(shape, placement.num_threads);
  const std::int64_t with_factor =
      placement.shared_bytes + std::int64_t{size_of_double} * Workspace::factor_size(shape);
  placement.factor_is_shared = with_factor <= max_shared_bytes;
  if (placement.factor_is_shared) {
    placement.shared_bytes = static_cast<int>(with_factor);
  } else {
    placement.scratch_size += Workspace::factor_size(shape);
  }
  return placement;
}

}  // namespace heft::cuda
