// Detects rows of a second publisher: the same numbers in every column except the time, between
// rows of a moving robot.
//
// A run of equal rows is odd if, in most columns, the rows before and after it are closer to each
// other than to the run. Rows are foreign if they are equal in several odd runs and far from their
// neighbors, in units of each column's range. A robot at rest is close to its neighbors; a log that
// starts with a hold has no row before it. Uses constant memory.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The foreign rows of a log.
struct ForeignRows {
  std::vector<Eigen::ArrayXd> rows;  ///< one of every kind, without the time
  std::int64_t count = 0;
  std::int64_t first_line = 0;

  bool contains(const Eigen::Ref<const Eigen::ArrayXd>& row) const;
};

/// Returns whether rows are bitwise equal; zeros of either sign are equal, and so are missing
/// numbers.
bool are_equal_rows(const Eigen::Ref<const Eigen::ArrayXd>& a,
                    const Eigen::Ref<const Eigen::ArrayXd>& b);

/// Searches consecutive rows.
class ForeignRowSearch {
 public:
  /// Adds the next row, without its time.
  void push(const Eigen::Ref<const Eigen::ArrayXd>& row, std::int64_t line);

  ForeignRows found() const;

 private:
  struct Candidate {
    Eigen::ArrayXd row;
    std::int64_t num_rows = 0, num_runs = 0, num_odd = 0, first_line = 0;
    Eigen::ArrayXd apart;  ///< sum over odd runs of the distance from the neighbors
  };

  void close_run(const Eigen::Ref<const Eigen::ArrayXd>& after);

  std::int64_t num_rows_ = 0;
  Eigen::ArrayXd before_, run_, lowest_, highest_;
  std::int64_t rows_of_run_ = 0, line_of_run_ = 0;
  bool has_before_ = false;
  std::unordered_map<std::uint64_t, Candidate> candidates_;
  std::uint64_t kinds_ = 0;  ///< bits of the candidates: rows of other bits are none of them
};

/// Searches a log in one pass over the columns that `columns` selects per group; returns one result
/// per group. Errors: those of the log.
Result<std::vector<ForeignRows>> find_foreign_rows(const Log& log, const LogFormat& format,
                                                   const std::vector<std::vector<int>>& columns);

/// Returns the source without foreign rows; `log` is the log of the source.
SourcePtr without_foreign_rows(const Log& log, const LogFormat& format, SourcePtr source);

}  // namespace heft
#pragma GCC visibility pop
