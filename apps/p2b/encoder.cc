#include "sotto/apps/p2b/encoder.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "sotto/apps/p2b/small_buffer.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

// Counts of a context, on the stack where there are few.
class CountsOf {
 public:
  CountsOf(std::span<const double> context, unsigned decimals) : buffer_(context.size()) {
    to_counts(context, decimals, buffer_.values());
  }
  CountsOf(const CountsOf&) = delete;
  CountsOf& operator=(const CountsOf&) = delete;

  [[nodiscard]] std::span<const std::uint32_t> counts() { return buffer_.values(); }

 private:
  SmallBuffer<std::uint32_t> buffer_;
};

}  // namespace

void check_encoder_settings(const EncoderSettings& settings) {
  if (!std::has_single_bit(settings.codes) || settings.codes > most_codes) {
    throw InputError("--codes", fmt::format("{} is no power of two within 1..{}", settings.codes, most_codes));
  }
  const StateCount count = states(settings.decimals, settings.dimension);
  if (count.exact && *count.exact < settings.codes) {
    throw InputError("--codes", fmt::format("{} for {} contexts: choose at most as many codes as contexts",
                                            counted(settings.codes, "code"), count.text));
  }
}

Encoder::Encoder(const EncoderSettings& settings, std::vector<double> centroids)
    : settings_(settings), grid_(settings.dimension, settings.decimals), centroids_(std::move(centroids)) {
  if (settings_.codes == 0 || centroids_.size() != settings_.codes * settings_.dimension) {
    throw std::invalid_argument("Encoder: codes x dimension numbers are needed");
  }
  if (settings_.kind == EncoderKind::kmeans) {
    nearest_.emplace(centroids_, settings_.dimension, grid_.units());
  } else {
    projections_ =
        Projections(settings_.dimension, static_cast<std::size_t>(std::bit_width(settings_.codes) - 1), settings_.seed);
  }
}

std::uint32_t Encoder::compute(std::span<const std::uint32_t> counts) const {
  return settings_.kind == EncoderKind::kmeans ? nearest_->find(counts).code : projections_.code(counts);
}

std::uint32_t Encoder::encode_counts(std::span<const std::uint32_t> counts) const {
  if (!table_.empty()) return table_[grid_.rank(counts)];
  return compute(counts);
}

std::uint32_t Encoder::encode(std::span<const double> context) const {
  if (context.size() != settings_.dimension) {
    throw std::invalid_argument("Encoder: the context has another dimension");
  }
  CountsOf rounded(context, settings_.decimals);
  return encode_counts(rounded.counts());
}

std::span<const double> Encoder::centroid(std::uint32_t code) const {
  if (code >= settings_.codes) throw std::invalid_argument("Encoder: there is no such code");
  return std::span(centroids_).subspan(code * settings_.dimension, settings_.dimension);
}

std::uint64_t Encoder::fingerprint() const {
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint64_t word) {
    for (int i = 0; i < 8; ++i, word >>= 8) hash = (hash ^ (word & 0xFF)) * 0x100000001b3;
  };
  add(settings_.dimension);
  add(settings_.decimals);
  add(static_cast<std::uint64_t>(settings_.kind));
  if (settings_.kind == EncoderKind::lsh) add(settings_.seed);
  for (const double value : centroids_) add(std::bit_cast<std::uint64_t>(value));
  return hash;
}

void Encoder::prepare_table() {
  if (!grid_.ranked() || !table_.empty()) return;
  const std::vector<std::uint32_t> all = grid_.all_counts();
  const std::size_t points = all.size() / settings_.dimension;
  std::vector<std::uint32_t> table(points);
  for (std::size_t i = 0; i < points; ++i) {
    table[i] = compute(std::span(all).subspan(i * settings_.dimension, settings_.dimension));
  }
  table_ = std::move(table);
}

std::string encoder_kind_name(EncoderKind kind) { return kind == EncoderKind::kmeans ? "kmeans" : "lsh"; }

EncoderKind parse_encoder_kind(const std::string& text, const std::string& where) {
  if (text == "kmeans") return EncoderKind::kmeans;
  if (text == "lsh") return EncoderKind::lsh;
  throw InputError(where, "'" + text + "' is neither 'kmeans' nor 'lsh'");
}

}  // namespace sotto::apps
