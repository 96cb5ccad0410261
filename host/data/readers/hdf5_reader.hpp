// Logs in HDF5 files: every numeric data set provides one or more columns.
//
//   rows, rows x 1  one column of the data set's path: "t", "arm/q1"
//   rows x n        n columns, named by its attribute "names"; by pandas' names next to it; else, if
//                   it is the only data set, by the configuration; else path1 .. path<n>
//   n x rows        the same transposed, as MATLAB, Julia and Fortran store rows x n: detected by
//                   the length of the time
//   rows, compound  one column per member; a member that is an array of n numbers is n columns,
//                   member1 .. member<n>
//
// Selected columns must have equal lengths; others are not restricted. Fill values count as
// missing, and scale_factor and add_offset are applied as in netCDF. Decompression counts as disk
// time. Without the HDF5 library a stub returns an error (hdf5_reader_stub.cpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heft/base/result.hpp"
#include "table_reader.hpp"

namespace heft {

inline constexpr std::string_view kHdf5Magic = "\x89HDF\r\n\x1a\n";

class Hdf5Reader : public TableReader {
 public:
  /// `names`: of the columns of the only data set; `time`: the column whose length determines the
  /// orientation of matrices. netCDF variables in degrees or other units of time become rad and s,
  /// unless `keeps_units`. Errors: a broken file, no numeric data set.
  static Result<Hdf5Reader> open(const std::string& path, const std::vector<std::string>& names,
                                 const std::string& time = "t", bool keeps_units = false);
  Hdf5Reader(Hdf5Reader&&) noexcept;
  ~Hdf5Reader() override;

  /// Further error: columns of different lengths.
  Result<Done> select_columns(const std::vector<int>& columns) override;
  Result<bool> next_row(double* values) override;
  std::string place_of(std::int64_t line) const override;
  double fraction_read() const override;
  double disk_seconds() const override;
  Result<std::string> sha256() override;

 private:
  struct State;
  Hdf5Reader(std::string path, std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace heft
