// Files of encoders (encoder.h).
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdio>

#include "sotto/apps/kit/files/atomic_file.h"
#include "sotto/apps/kit/files/table.h"
#include "sotto/apps/p2b/encoder.h"
#include "sotto/core/error/errors.h"
#include "sotto/core/text/count.h"

namespace sotto::apps {
namespace {

constexpr std::string_view record = "# sotto p2b ";
constexpr std::string_view flag = "--codes: ";

std::string encoder_header(const EncoderSettings& settings) {
  return fmt::format("{}{} decimals={} seed={}: ", record, encoder_kind_name(settings.kind), settings.decimals,
                     settings.seed);
}

// What the header's first name tells; false where it is not ours.
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

// The line about the encoder stands in the name of the first column: readers of rows name that column, and their users
// know it without the line.
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

// They were right when `sotto p2b encoder` wrote the file: it was changed since.
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

}  // namespace sotto::apps
