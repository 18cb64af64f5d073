#include "apps/p2b/encoder.h"

#include <fmt/format.h>

#include <bit>
#include <cstdio>
#include <numeric>
#include <stdexcept>

#include "apps/kit/files/output_file.h"
#include "apps/kit/files/table.h"
#include "apps/kit/learn/seeded.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::p2b {
namespace {

// Returns the centred sum of eight uniform numbers of 8 bits, which is close enough to normal for random directions.
std::int64_t bell(StepStream& stream) {
  std::uint64_t word = stream.next();
  std::int64_t sum = -8 * 255 / 2;
  for (int i = 0; i < 8; ++i, word >>= 8) sum += static_cast<std::int64_t>(word & 0xFF);
  return sum;
}

constexpr std::string_view record = "# sotto p2b ";
constexpr std::string_view flag = "--codes: ";

std::string encoder_header(const EncoderSettings& settings) {
  return fmt::format("{}{} decimals={} seed={}: ", record, encoder_kind_name(settings.kind), settings.decimals,
                     settings.seed);
}

bool read_record(const std::string& name, const std::string& where, EncoderSettings& settings) {
  if (!name.starts_with(record)) return false;
  char kind[16] = {};
  unsigned decimals = 0;
  unsigned long long seed = 0;
  const char* rest = name.c_str() + record.size();
  if (std::sscanf(rest, "%15s decimals=%u seed=%llu:", kind, &decimals, &seed) != 3) {
    throw InputError(where, "the line about the encoder is damaged; make the file again with sotto p2b encoder");
  }
  settings.kind = parse_encoder_kind(kind, where);
  settings.decimals = decimals;
  settings.seed = seed;
  return true;
}

std::string without_record(std::string text) {
  const std::size_t from = text.find(record);
  if (from == std::string::npos) return text;
  const std::size_t to = text.find(": ", from);
  return to == std::string::npos ? text : text.erase(from, to + 2 - from);
}

Table read_rows(const std::filesystem::path& path) {
  try {
    return read_csv(path, Header::optional);
  } catch (const InputError& error) {
    throw InputError(without_record(error.what()));
  }
}

void check_settings_of(const std::string& file, const EncoderSettings& settings) {
  try {
    check_encoder_settings(settings);
  } catch (const InputError& error) {
    std::string why = error.what();
    if (why.starts_with(flag)) why = "the number of centroids: " + why.substr(flag.size());
    throw InputError(file, why + "; make the file again with sotto p2b encoder");
  }
}

}  // namespace

Projections::Projections(std::size_t dimension, std::size_t bits, std::uint64_t seed)
    : dimension_(dimension), bits_(bits), normals_(dimension * bits) {
  for (std::size_t b = 0; b < bits; ++b) {
    StepStream stream(seed, b);
    std::int64_t* normal = normals_.data() + b * dimension;
    for (std::size_t i = 0; i < dimension; ++i) normal[i] = bell(stream);
    // At the centre of the grid all features are equal. So a plane goes through the centre if the entries of its normal
    // sum to 0. The normal is multiplied by d, so that its entries stay whole numbers.
    const std::int64_t sum = std::accumulate(normal, normal + dimension, std::int64_t{0});
    for (std::size_t i = 0; i < dimension; ++i) {
      normal[i] = normal[i] * static_cast<std::int64_t>(dimension) - sum;
    }
  }
}

std::uint32_t Projections::code(std::span<const std::uint32_t> counts) const {
  if (counts.size() != dimension_) throw std::invalid_argument("Projections: one count a feature");
  std::uint32_t code = 0;
  for (std::size_t b = 0; b < bits_; ++b) {
    std::int64_t side = 0;
    const std::int64_t* normal = normals_.data() + b * dimension_;
    for (std::size_t i = 0; i < dimension_; ++i) side += normal[i] * counts[i];
    code |= side > 0 ? std::uint32_t{1} << b : 0;
  }
  return code;
}

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
  SmallBuffer<std::uint32_t> counts(context.size());
  to_counts(context, settings_.decimals, counts.values());
  return encode_counts(counts.values());
}

std::span<const double> Encoder::centroid(std::uint32_t code) const {
  if (code >= settings_.codes) throw std::invalid_argument("Encoder: there is no such code");
  return std::span(centroids_).subspan(code * settings_.dimension, settings_.dimension);
}

std::uint64_t Encoder::fingerprint() const {
  // The hash function FNV-1a.
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

std::string encoder_csv(const Encoder& encoder) {
  std::string csv = encoder_header(encoder.settings());
  const std::size_t d = encoder.dimension();
  for (std::size_t i = 0; i < d; ++i) csv += fmt::format("{}x_{}", i == 0 ? "" : ",", i);
  csv += '\n';
  for (std::size_t i = 0; i < encoder.centroids().size(); ++i) {
    csv += fmt::format("{}{}", encoder.centroids()[i], (i + 1) % d == 0 ? '\n' : ',');
  }
  return csv;
}

void write_encoder(const std::filesystem::path& path, const Encoder& encoder) {
  write_file(path, encoder_csv(encoder));
}

Encoder read_encoder(const std::filesystem::path& path) {
  const Table table = read_rows(path);
  EncoderSettings settings;
  settings.dimension = table.columns.size();
  settings.codes = table.rows;
  settings.decimals = most_decimals;
  const std::string where = table.file + ":1";
  const bool ours = read_record(table.columns.front(), where, settings);
  if (ours) check_settings_of(table.file, settings);
  if (settings.codes > most_codes) {
    throw InputError(table.file, fmt::format("{} where {} are possible", counted(table.rows, "centroid"), most_codes));
  }
  return Encoder(settings, table.values);
}

}  // namespace sotto::apps::p2b
