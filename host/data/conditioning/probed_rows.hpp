// The first rows of a log, which determine its clock: one after the other in few arrays, because
// arrays of every row would cost more than its conditioning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "log_rows.hpp"

namespace heft {

class ProbedRows {
 public:
  std::size_t size() const { return heads_.size(); }
  double time(std::size_t k) const { return heads_[k].time; }

  void add(const LogRow& row) {
    heads_.push_back({row.time, row.line, row.motion_known});
    values_.insert(values_.end(), row.values.begin(), row.values.end());
    flags_.insert(flags_.end(), row.torque_flags.begin(), row.torque_flags.end());
  }

  void copy(std::size_t k, LogRow& row) const {
    row.time = heads_[k].time;
    row.line = heads_[k].line;
    row.motion_known = heads_[k].motion_known;
    copy_part(k, values_, row.values);
    copy_part(k, flags_, row.torque_flags);
  }

 private:
  struct Head {
    double time;
    std::int64_t line;
    bool motion_known;
  };

  /// The numbers of row k, of equally many a row.
  template <class Number>
  void copy_part(std::size_t k, const std::vector<Number>& all, std::vector<Number>& part) const {
    const auto width = static_cast<std::ptrdiff_t>(all.size() / heads_.size());
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(k) * width;
    part.assign(begin, begin + width);
  }

  std::vector<Head> heads_;
  std::vector<double> values_;
  std::vector<std::uint8_t> flags_;
};

}  // namespace heft
