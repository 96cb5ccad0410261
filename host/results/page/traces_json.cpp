#include "traces_json.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace heft {

namespace {

class Writer {
 public:
  void raw(const std::string& text) { buffer_.append(text); }

  /// Formats with this many significant digits.
  template <class Numbers>
  void array(const Numbers& numbers, int digits) {
    buffer_.push_back('[');
    bool is_first = true;
    for (const auto number : numbers) {
      if (!is_first) buffer_.push_back(',');
      is_first = false;
      const auto value = static_cast<double>(number);
      if (!std::isfinite(value)) {
        raw("null");
        continue;
      }
      char text[32];  // a sign, 15 digits, a point and an exponent
      const auto [end, error] =
          std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
      buffer_.append(text, end);
    }
    buffer_.push_back(']');
  }

  void envelope(const Envelope& envelope, bool one_sample) {
    raw("{\"lower\":");
    array(envelope.lower, kDigits);
    if (!one_sample) {
      raw(",\"upper\":");
      array(envelope.upper, kDigits);
    }
    raw("}");
  }

  std::string text() const { return fmt::to_string(buffer_); }

  static constexpr int kDigits = 5;      ///< of torques: far more than a pixel
  static constexpr int kTimeDigits = 9;  ///< of seconds: microseconds in a quarter of an hour
  static constexpr int kCountDigits = 15;

 private:
  fmt::memory_buffer buffer_;
};

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<std::size_t> gaps(const Traces& traces) {
  std::vector<std::size_t> bins;
  for (std::size_t k = 1; k < traces.segment.size(); ++k)
    if (traces.segment[k] != traces.segment[k - 1]) bins.push_back(k);
  return bins;
}

void add_feet(const std::vector<FootTraces>& feet, bool one_sample, Writer& out) {
  static constexpr const char* kComponents[] = {"fx", "fy", "fz", "nx", "ny", "nz"};
  out.raw(",\"feet\":[");
  for (std::size_t f = 0; f < feet.size(); ++f) {
    const FootTraces& foot = feet[f];
    out.raw((f > 0 ? ",\n{\"name\":" : "\n{\"name\":") + quoted(foot.name) +
            ",\"frame\":" + quoted(foot.frame));
    out.raw(fmt::format(",\"measured\":{},\"state\":", foot.is_measured) + quoted(foot.state));
    out.raw(fmt::format(",\"widen_s\":{},\"wrench\":[", foot.widen_s));
    for (std::size_t k = 0; k < foot.wrench.size(); ++k) {
      out.raw(fmt::format("{}{{\"component\":\"{}\",\"envelope\":", k > 0 ? "," : "",
                          kComponents[foot.components[k]]));
      out.envelope(foot.wrench[k], one_sample);
      out.raw("}");
    }
    out.raw("]");
    if (!foot.is_measured) {
      out.raw(",\"in_contact\":");
      out.envelope(foot.in_contact, one_sample);
      out.raw(",\"in_contact_unwidened\":");
      out.envelope(foot.in_contact_unwidened, one_sample);
    }
    out.raw("}");
  }
  out.raw("]");
}

}  // namespace

std::string traces_json(const Traces& traces) {
  const bool one_sample = traces.samples_per_bin == 1;
  Writer out;
  out.raw(fmt::format("{{\"held_out\":{},\"num_samples\":{},\"samples_per_bin\":{},\"start_s\":{}",
                      traces.held_out, traces.num_samples, traces.samples_per_bin, traces.start_s));
  out.raw(",\"time_s\":");
  out.array(traces.time_s, Writer::kTimeDigits);
  out.raw(",\"gaps\":");
  out.array(gaps(traces), Writer::kCountDigits);
  out.raw(",\"parts\":" + nlohmann::json(traces.parts).dump());
  out.raw(",\"frequency_hz\":");
  out.array(traces.frequency_hz, Writer::kDigits);
  out.raw(",\"channels\":[");
  for (std::size_t c = 0; c < traces.channels.size(); ++c) {
    const ChannelTraces& channel = traces.channels[c];
    out.raw((c > 0 ? ",\n{\"channel\":" : "\n{\"channel\":") + quoted(channel.channel));
    out.raw(",\"unit\":" + quoted(channel.unit) + (channel.is_base ? ",\"base\":true" : "") +
            ",\"measured\":");
    out.envelope(channel.measured, one_sample);
    out.raw(",\"predicted\":");
    out.envelope(channel.predicted, one_sample);
    out.raw(",\"residual\":");
    out.envelope(channel.residual, one_sample);
    out.raw(",\"parts\":[");
    for (std::size_t p = 0; p < channel.parts.size(); ++p) {
      if (p > 0) out.raw(",");
      out.envelope(channel.parts[p], one_sample);
    }
    out.raw(fmt::format("],\"bin_width\":{},\"counts\":", channel.residuals.bin_width));
    out.array(channel.residuals.counts, Writer::kCountDigits);
    out.raw(",\"amplitude_density\":");
    out.array(channel.amplitude_density, Writer::kDigits);
    if (!channel.friction.speed.empty()) {
      out.raw(",\"friction\":{\"speed\":");
      out.array(channel.friction.speed, Writer::kDigits);
      out.raw(",\"torque\":");
      out.array(channel.friction.torque, Writer::kDigits);
      out.raw(",\"fit\":");
      out.array(channel.friction.fit, Writer::kDigits);
      out.raw("}");
    }
    out.raw("}");
  }
  out.raw("]");
  if (!traces.feet.empty()) add_feet(traces.feet, one_sample, out);
  out.raw("}");
  return out.text();
}

}  // namespace heft
