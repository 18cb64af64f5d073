#include "sotto/bench/instructions/baseline.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <openssl/crypto.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace sotto::instructions {
namespace {

using nlohmann::ordered_json;

#if defined(__clang__)
constexpr const char* compiler = "clang " __clang_version__;
#else
constexpr const char* compiler = "g++ " __VERSION__;
#endif

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error(path.string() + ": cannot be read");
  return in;
}

}  // namespace

Toolchain this_toolchain() {
  return Toolchain{compiler, SOTTO_FLAGS,
                   fmt::format("glibc {}, {}", gnu_get_libc_version(), OpenSSL_version(OPENSSL_VERSION))};
}

Counts read_baseline(const std::filesystem::path& path) {
  std::ifstream in = open(path);
  try {
    const ordered_json json = ordered_json::parse(in);
    const ordered_json& toolchain = json.at("toolchain");
    return Counts{Toolchain{toolchain.at("compiler"), toolchain.at("flags"), toolchain.at("libraries")},
                  json.at("counts")};
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path.string() + ": not a baseline: " + error.what());
  }
}

Counts read_counts(const std::filesystem::path& path) {
  std::ifstream in = open(path);
  Counts counts{this_toolchain(), {}};
  std::string table, name, count;
  while (std::getline(in, table, '\t') && std::getline(in, name, '\t') && std::getline(in, count)) {
    counts.by_table[table][name] = std::stoull(count);
  }
  if (counts.by_table.empty()) throw std::runtime_error(path.string() + ": holds no counts");
  return counts;
}

void write_baseline(const std::filesystem::path& path, const Counts& counts, const Counts& old) {
  ordered_json json;
  json["toolchain"] = {{"compiler", counts.toolchain.compiler},
                       {"flags", counts.toolchain.flags},
                       {"libraries", counts.toolchain.libraries}};
  auto by_table = counts.by_table;
  if (old.toolchain == counts.toolchain) by_table.insert(old.by_table.begin(), old.by_table.end());
  json["counts"] = by_table;
  std::ofstream out(path);
  out << json.dump(2) << '\n';
  if (!out.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

std::string difference(const Toolchain& now, const Toolchain& baseline) {
  const auto differ = [](const char* what, const std::string& here, const std::string& there) {
    return here == there ? std::string() : fmt::format("  {}: {}\n  in the baseline: {}\n", what, here, there);
  };
  return differ("compiler", now.compiler, baseline.compiler) + differ("flags", now.flags, baseline.flags) +
         differ("libraries", now.libraries, baseline.libraries);
}

}  // namespace sotto::instructions
