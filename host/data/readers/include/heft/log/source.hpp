// Sources of samples: columns of numbers, recorded by one or several clocks and delivered in blocks
// of rows, in constant memory.
//
//   Log, opened once per pass -> Source, one pass over the rows -> joined onto one
//   clock -> condition_log
//
// A source reads a file (a text table, NPY or HDF5, recognized by its first bytes), arrays in
// memory (arrays.hpp), or is any other implementation of Source. Threads: a Log may be shared and
// opened by any thread; a Source is used by one thread at a time, except where(row). Heft reads
// ahead in its own thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heft/base/enum_names.hpp"
#include "heft/base/result.hpp"
#include "heft/log/per_joint.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Treatment of rows that were not sampled at the times of their stamps.
enum class Retiming { none, automatic };

template <>
struct EnumNames<Retiming> {
  static constexpr EnumName<Retiming> kList[] = {{Retiming::none, "none"},
                                                 {Retiming::automatic, "auto"}};
};

/// Paths of fields in a recording of messages, for example "/joint_states.position": arrays with
/// one element per joint, or single numbers.
struct LogTopics {
  std::vector<std::string> position = {}, velocity = {}, torque = {};
  bool operator==(const LogTopics&) const = default;
};

/// Columns, units and clocks of a log. In a pattern, {joint} stands for the joint's name (for a
/// wrench: the channel's), {i} for its index from 1 and {i+7} for that index plus seven; the first
/// pattern whose columns all exist is used. Names without {}, one per joint, are the columns of the
/// joints in order.
struct LogFormat {
  /// The delimiter, or "auto": comma, semicolon, tab or space, detected from the header.
  std::string delimiter = "auto";
  /// Text tables: the first line contains the column names. False: names are those of `columns`, or
  /// else "1", "2", ..
  bool header = true;
  std::string time = "t";  ///< name of the time column; of its whole seconds if there is a column
                           ///< of nanoseconds
  std::string time_nanoseconds = {};  ///< name of the column of nanoseconds; empty: found by its
                                      ///< name, if present
  /// Unit of the time column: "s", "ms", "us" or "ns"; "iso": text like 2026-03-01T08:15:00.25Z;
  /// "sec_nsec": two columns; "auto": one of these if it is certain (text, stamps since 1970, two
  /// columns), otherwise time_scale. Stamps since 1970 and text are converted to seconds since the
  /// first row's whole second.
  std::string time_unit = "auto";
  /// Column names for a plain array (NumPy, HDF5) or for a table without a header.
  std::vector<std::string> columns = {};
  std::vector<std::string> position = {"q_{joint}", "q{i}"};
  std::vector<std::string> velocity = {"qd_{joint}", "qd{i}"};
  /// Used if logged, otherwise velocities are differentiated.
  std::vector<std::string> acceleration = {"qdd_{joint}", "qdd{i}"};
  /// Required for joints and sensors; optional for each component of a base wrench.
  std::vector<std::string> torque = {"tau_{joint}", "tau{i}"};
  /// Unit of angles in position, velocity and acceleration: "rad", "deg", or "auto": rad, but
  /// rejected if the joints' limits indicate degrees.
  PerJointOf<std::string> angle_unit = "rad";
  /// Joints whose logged positions jump by a full turn at the ends of their range: turns are
  /// counted; rejected if there is a pause.
  JointChoice unwrap = {};
  double time_scale = 1;  ///< [s] per unit of the time column
  double rate_hz = 0;     ///< rows per second: replaces the stamps except for pauses; 0: stamps are
                          ///< used
  /// [N m] or [N] per unit of the torque columns, except those of sensors (Channel::scale).
  PerJoint torque_scale = 1;
  PerJoint torque_offset = 0;    ///< [N m] or [N], subtracted from scaled torques; not for sensors
  PerJoint position_scale = 1;   ///< [rad] or [m] per unit of the position columns, in addition to
                                 ///< angle_unit; applies to velocities too
  PerJoint position_offset = 0;  ///< [rad] or [m], subtracted from scaled positions
  /// Fields of a recording that become q_<joint>, qd_<joint> and tau_<joint>. All empty: the only
  /// topic with joint states.
  LogTopics topics = {};
  /// Stamp of messages used as the time of rows: "header", "publish" or "log"; "auto": header if
  /// all used topics have one, otherwise the recorder's log time.
  std::string stamp = "auto";
  /// Drops rows of a second publisher (all numbers repeated, between rows of a moving robot) and
  /// lines of a text table with too few or too many fields or with text instead of a number.
  bool drop_damaged = false;
  /// Replaces isolated outliers and isolated missing numbers by linear interpolation between their
  /// neighbors.
  bool bridge_spikes = false;
  /// automatic: moves rows whose positions have a common time shift to uniform times.
  Retiming retime = Retiming::none;
};

/// Columns recorded together by one clock: a whole table, or one topic of a bag.
struct ColumnGroup {
  std::string name;                  ///< name for errors; empty if there is only one group
  std::vector<std::string> columns;  ///< all columns, including the clock's
  int clock = -1;                    ///< index of the column with the time of each row; -1: none
};

/// Consecutive rows of one group. Its memory is reused.
struct ColumnBlock {
  /// One column: number k is first[k * stride], NaN where it is missing.
  struct Column {
    const double* first = nullptr;
    std::int64_t stride = 1;
    double operator[](std::int64_t row) const { return first[row * stride]; }
  };

  int group = 0;
  std::int64_t num_rows = 0;
  /// Selected columns of the group, in the order of its columns. They point into `numbers`, or into
  /// memory that lives as long as the source.
  std::vector<Column> columns;
  std::vector<std::int64_t> lines;  ///< line numbers of the rows, which Source::where converts to a
                                    ///< place
  std::vector<double> numbers;      ///< memory for the source

  ColumnBlock() = default;
  ColumnBlock(ColumnBlock&&) = default;
  ColumnBlock& operator=(ColumnBlock&&) = default;
  ColumnBlock(const ColumnBlock&) = delete;  // its columns point into it
  ColumnBlock& operator=(const ColumnBlock&) = delete;
};

/// One pass over the rows of a log, group by group, approximately in the order of time.
class Source {
 public:
  virtual ~Source() = default;

  const std::string& name() const { return name_; }  ///< name for errors: a file's path
  /// Returns at least one group; the others are joined onto the clock of the first.
  const std::vector<ColumnGroup>& groups() const { return groups_; }

  /// Selects the columns to deliver: ascending indices for every group, empty if the group is not
  /// needed. Must be called once, before next(). Errors: a column without numbers, columns of
  /// different lengths.
  virtual Result<Done> select(const std::vector<std::vector<int>>& columns) = 0;

  /// Fills `block` with the next rows of one group, at least one; returns false at the end. Errors
  /// name the place and the column and come after the valid rows before them: not a number,
  /// infinite numbers, truncated sources.
  virtual Result<bool> next(ColumnBlock& block) = 0;

  /// Returns the place of a row for an error, "log.csv:17"; without a row, that of the column
  /// names.
  virtual std::string where(int group, std::int64_t line) const = 0;
  virtual std::string where() const { return name_; }

  virtual double fraction_read() const = 0;          ///< share of all rows, 0 to 1
  virtual double disk_seconds() const { return 0; }  ///< time waiting for bytes so far

  /// Returns the unreadable parts of truncated files as sentences; empty: everything was read.
  virtual std::vector<std::string> losses() const { return {}; }

  /// Returns the zero of the stamps [s since 1970] once a row was read; 0 if stamps are unchanged.
  virtual std::int64_t origin() const { return 0; }

  /// Returns the SHA-256 digest of the source, 64 hexadecimal digits, after next() has returned
  /// false. Error: the bytes after the rows cannot be read.
  virtual Result<std::string> sha256() = 0;

 protected:
  Source() = default;
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;

  std::string name_;
  std::vector<ColumnGroup> groups_;
};

using SourcePtr = std::unique_ptr<Source>;

/// Opens a file as a source. The first bytes determine the format; files of no other format are
/// text. `read_size` is the number of bytes read at a time and does not affect the result. Errors:
/// unreadable or empty file, invalid header.
Result<SourcePtr> open_file(const std::string& path, const LogFormat& format,
                            std::size_t read_size = std::size_t{1} << 18);

/// Rows of a log between two times, both included.
struct LogPart {
  double from_s = -std::numeric_limits<double>::infinity();  ///< in the time of the log as it is
                                                             ///< read
  double to_s = std::numeric_limits<double>::infinity();     ///< the same

  bool overlaps(const LogPart& other) const { return from_s <= other.to_s && other.from_s <= to_s; }
};

/// A recording that can be opened once per pass: a file, or a function that makes sources of the
/// same rows each time. A pipe can be read only once.
class Log {
 public:
  using Open = std::function<Result<SourcePtr>(const LogFormat& format)>;

  Log(std::string path);  // NOLINT(google-explicit-constructor): a path is a log
  Log(const char* path) : Log(std::string(path)) {}  // NOLINT(google-explicit-constructor)
  Log(std::string name, Open open, const LogPart& part = {})
      : name_(std::move(name)), open_(std::move(open)), part_(part) {}

  const std::string& name() const { return name_; }  ///< path of a file
  const LogPart& part() const { return part_; }      ///< part of the file that sources deliver

  /// Opens a new pass over the rows. Errors: those of open_file, or of the function that makes the
  /// source.
  Result<SourcePtr> open(const LogFormat& format) const { return open_(format); }

 private:
  std::string name_;
  Open open_;
  LogPart part_;
};

}  // namespace heft
#pragma GCC visibility pop
