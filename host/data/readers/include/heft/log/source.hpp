// Where samples come from: columns of numbers, recorded by one clock or several, handed out a block
// of rows at a time in constant memory.
//
//   Log, opened as often as its rows are wanted -> Source, one pass over them -> joined onto one
//   clock -> condition_log
//
// A file is a source (a text table, NPY or HDF5; its first bytes tell which), arrays in memory are
// (arrays.hpp), and so is whatever implements Source. One thread at a time uses a source (Heft
// reads ahead in its own), but for where(row). Threads: a Log may be shared and opened by any
// thread; a Source is used by one thread at a time, which may change.
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

/// What to do with rows that were not sampled at the times of their stamps.
enum class Retiming { none, automatic };

template <>
struct EnumNames<Retiming> {
  static constexpr EnumName<Retiming> kList[] = {{Retiming::none, "none"},
                                                 {Retiming::automatic, "auto"}};
};

/// Paths of fields in a recording of messages, "/joint_states.position": arrays with one element
/// per joint, or single numbers.
struct LogTopics {
  std::vector<std::string> position = {}, velocity = {}, torque = {};
  bool operator==(const LogTopics&) const = default;
};

/// Where in a log the signals are. In a pattern {joint} stands for the joint's name (for a wrench:
/// the channel's), {i} for its index from 1 and {i+7} for seven more; the first pattern all of
/// whose columns exist wins. As many names without {} as there are joints are the columns of the
/// joints, in order.
struct LogFormat {
  /// The character, or "auto": comma, semicolon, tab or blank, seen from the header.
  std::string delimiter = "auto";
  /// Of a text table: the first line names the columns. False: `columns` does, or else they are
  /// "1", "2", ..
  bool header = true;
  std::string time = "t";  ///< name of the time column; of its whole seconds where nanoseconds are
                           ///< beside it
  std::string time_nanoseconds = {};  ///< name of the column of nanoseconds; empty: none, or found
                                      ///< by its name
  /// Of the time column: "s", "ms", "us" or "ns"; "iso": texts as 2026-03-01T08:15:00.25Z;
  /// "sec_nsec": two columns; "auto": what is certain of these (texts, stamps since 1970, two
  /// columns), else time_scale decides. Stamps since 1970 and texts are read as seconds since the
  /// first row's whole second.
  std::string time_unit = "auto";
  /// Names of the columns of a plain array (NumPy, HDF5) or of a table without a header, which has
  /// none of its own.
  std::vector<std::string> columns = {};
  std::vector<std::string> position = {"q_{joint}", "q{i}"};
  std::vector<std::string> velocity = {"qd_{joint}", "qd{i}"};
  /// Used if logged, else differentiated.
  std::vector<std::string> acceleration = {"qdd_{joint}", "qdd{i}"};
  /// Required for joints and sensors; of a base wrench each may be missing.
  std::vector<std::string> torque = {"tau_{joint}", "tau{i}"};
  /// Of angles in position, velocity and acceleration: "rad", "deg", or "auto": rad, refused if the
  /// joints' limits say deg.
  PerJointOf<std::string> angle_unit = "rad";
  /// Joints whose logged positions jump by a whole turn where they leave it: turns are counted, and
  /// refused over a pause.
  JointChoice unwrap = {};
  double time_scale = 1;  ///< [s] per unit of the time column
  double rate_hz = 0;     ///< rows a second: rows are so far apart whatever their stamps, but for
                          ///< pauses; 0: stamps are used
  /// [N m] or [N] per unit of the torque columns, but for those of sensors (Channel::scale).
  PerJoint torque_scale = 1;
  PerJoint torque_offset = 0;    ///< [N m] or [N] by which scaled torques are too large; not of
                                 ///< sensors
  PerJoint position_scale = 1;   ///< [rad] or [m] per unit of the position columns, angle_unit
                                 ///< apart; of velocities too
  PerJoint position_offset = 0;  ///< [rad] or [m] by which scaled positions are too large
  /// Fields of a recording that become q_<joint>, qd_<joint> and tau_<joint>. All empty: the only
  /// topic of joint states.
  LogTopics topics = {};
  /// Clock of a recording that stamps the rows: "header", "publish" or "log" of messages; "auto":
  /// the header's if all topics that are used have one, else the recorder's log time.
  std::string stamp = "auto";
  /// Rows of another publisher, the same numbers in every column but the time between rows of a
  /// robot that moves, are dropped; so are lines of a text table with too few or too many fields,
  /// or with text for a number.
  bool drop_damaged = false;
  /// Single samples far from their neighbors, and single ones without a number, are replaced by the
  /// line between their neighbors.
  bool bridge_spikes = false;
  /// automatic: brings rows whose positions have a time shift in common to even times.
  Retiming retime = Retiming::none;
};

/// Columns whose rows were recorded together, by one clock: a whole table, or one topic of a bag.
struct ColumnGroup {
  std::string name;                  ///< what errors call it; empty if it is the only one
  std::vector<std::string> columns;  ///< all of them, the clock's too
  int clock = -1;                    ///< which of them has the time of each row; -1: none
};

/// Consecutive rows of one group. Its memory is used again and again.
struct ColumnBlock {
  /// Number k of a column is first[k * stride]; nan where it is missing.
  struct Column {
    const double* first = nullptr;
    std::int64_t stride = 1;
    double operator[](std::int64_t row) const { return first[row * stride]; }
  };

  int group = 0;
  std::int64_t num_rows = 0;
  /// Those selected of the group, in the order of its columns. They lie in `numbers`, or in memory
  /// that lives as long as the source.
  std::vector<Column> columns;
  std::vector<std::int64_t> lines;  ///< of every row, as people count in this source: Source::where
                                    ///< makes a place of it
  std::vector<double> numbers;      ///< memory for the source to use

  ColumnBlock() = default;
  ColumnBlock(ColumnBlock&&) = default;
  ColumnBlock& operator=(ColumnBlock&&) = default;
  ColumnBlock(const ColumnBlock&) = delete;  // its columns point into it
  ColumnBlock& operator=(const ColumnBlock&) = delete;
};

/// One pass over the rows of a log, group by group in about the order of time.
class Source {
 public:
  virtual ~Source() = default;

  const std::string& name() const { return name_; }  ///< what errors call it: a file's path
  const std::vector<ColumnGroup>& groups() const {
    return groups_;
  }  ///< at least one; the first leads when they are joined

  /// The columns to hand out: for every group ascending indices, none where the group is not
  /// wanted. To be called once, before next(). Errors: a column without numbers, columns of
  /// different lengths.
  virtual Result<Done> select(const std::vector<std::vector<int>>& columns) = 0;

  /// Fills `block` with at least one row of some group, the rows that follow those that it handed
  /// out before; false at the end. Errors, which come after the rows before them, name the place
  /// and the column: what is no number or infinite, a source that breaks off.
  virtual Result<bool> next(ColumnBlock& block) = 0;

  /// The place of a row for an error, "log.csv:17"; without a row that of the names of the columns.
  virtual std::string where(int group, std::int64_t line) const = 0;
  virtual std::string where() const { return name_; }

  virtual double fraction_read() const = 0;          ///< share of all rows, 0 .. 1
  virtual double disk_seconds() const { return 0; }  ///< spent so far waiting for bytes

  /// Parts of truncated files that could not be read, as sentences; empty: all was read.
  virtual std::vector<std::string> losses() const { return {}; }

  /// [s] since 1970 from which stamps count, once a row was read; 0 if they are as they stand in
  /// the source.
  virtual std::int64_t origin() const { return 0; }

  /// SHA-256 of all that the source holds, 64 hexadecimal digits, once next() has said false.
  /// Errors: what follows the rows cannot be read.
  virtual Result<std::string> sha256() = 0;

 protected:
  Source() = default;
  Source(Source&&) = default;
  Source& operator=(Source&&) = default;

  std::string name_;
  std::vector<ColumnGroup> groups_;
};

using SourcePtr = std::unique_ptr<Source>;

/// Opens a file as a source; its first bytes say what it is, and what is no other format is text.
/// `read_size`: bytes asked of the file at a time, without influence on what is read. Errors:
/// unreadable or empty file, a broken header.
Result<SourcePtr> open_file(const std::string& path, const LogFormat& format,
                            std::size_t read_size = std::size_t{1} << 18);

/// Rows of a log between two times.
struct LogPart {
  double from_s = -std::numeric_limits<double>::infinity();  ///< by the times that the log is read
                                                             ///< with
  double to_s = std::numeric_limits<double>::infinity();     ///< both included

  bool overlaps(const LogPart& other) const { return from_s <= other.to_s && other.from_s <= to_s; }
};

/// What was recorded, to be opened as often as it is read: a file, or whatever makes sources of the
/// same rows again. A pipe can be read once.
class Log {
 public:
  using Open = std::function<Result<SourcePtr>(const LogFormat& format)>;

  Log(std::string path);  // NOLINT(google-explicit-constructor): a path is a log
  Log(const char* path) : Log(std::string(path)) {}  // NOLINT(google-explicit-constructor)
  Log(std::string name, Open open, const LogPart& part = {})
      : name_(std::move(name)), open_(std::move(open)), part_(part) {}

  const std::string& name() const { return name_; }  ///< path of a file
  const LogPart& part() const { return part_; }  ///< that sources hand out, of what the file holds

  /// Errors: those of open_file, or of the function that makes the source.
  Result<SourcePtr> open(const LogFormat& format) const { return open_(format); }

 private:
  std::string name_;
  Open open_;
  LogPart part_;
};

}  // namespace heft
#pragma GCC visibility pop
