// sotto_instructions count
//   counts the instructions of each piece of work, under valgrind (work.h).
// sotto_instructions compare BASELINE COUNTS
//   fails if a count exceeds the baseline's count by more than the tolerance.
// sotto_instructions update BASELINE COUNTS
//   stores the counts as the new baseline.
// sotto_instructions count-secret N
//   counts the instructions of the compute parties with secret number N, under valgrind (work.h).
//
// baseline.json: {"toolchain": {"compiler": ..., "flags": ..., ...}, "counts": {table: {name: count, ...}, ...}}, where
// table is a kernel table ("avx2"). A line of COUNTS has a table, a name and a count, separated by tabs.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <openssl/crypto.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/instructions/work.h"

#include "apps/kit/files/json.h"

namespace sotto::instructions {
namespace {

using nlohmann::ordered_json;

struct Toolchain {
  std::string compiler;
  std::string flags;
  std::string libraries;

  friend bool operator==(const Toolchain&, const Toolchain&) = default;
};

struct Counts {
  Toolchain toolchain;
  std::map<std::string, std::map<std::string, std::uint64_t>> by_table;
};

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

// Tables without new counts are copied from `old` if `old` has the same toolchain as `counts`.
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

// Counts may grow by this fraction, because inlining and branches inside library functions vary.
constexpr double tolerance = 0.03;

struct Verdict {
  int more = 0;
  int fewer = 0;
  int unknown = 0;
  int lost = 0;
};

void print_row(const std::string& name, std::uint64_t now, std::uint64_t before, Verdict& verdict) {
  const double ratio = static_cast<double>(now) / static_cast<double>(before);
  const char* remark = "";
  if (ratio > 1 + tolerance) {
    remark = "  MORE";
    ++verdict.more;
  } else if (ratio < 1 - tolerance) {
    remark = "  fewer";
    ++verdict.fewer;
  }
  fmt::print("{:<52}{:>14}{:>14}{:>8.3f}{}\n", name, now, before, ratio, remark);
}

void print_table(const std::string& table, const std::map<std::string, std::uint64_t>& now,
                 const std::map<std::string, std::uint64_t>& before, Verdict& verdict) {
  fmt::print("\nSOTTO_CPU={}\n{:<52}{:>14}{:>14}{:>8}\n", table, "", "instructions", "baseline", "ratio");
  for (const auto& [name, count] : now) {
    if (const auto found = before.find(name); found != before.end()) {
      print_row(name, count, found->second, verdict);
    } else {
      fmt::print("{:<52}{:>14}{:>14}\n", name, count, "new");
      ++verdict.unknown;
    }
  }
  for (const auto& [name, count] : before) {
    if (now.contains(name)) continue;
    fmt::print("{:<52}{:>14}{:>14}\n", name, "gone", count);
    ++verdict.lost;
  }
}

int compare(const Counts& baseline, const Counts& counts) {
  Verdict all;
  for (const auto& [table, now] : counts.by_table) {
    const auto before = baseline.by_table.find(table);
    static const std::map<std::string, std::uint64_t> none;
    print_table(table, now, before == baseline.by_table.end() ? none : before->second, all);
  }
  fmt::print("\n");
  const std::string other = difference(counts.toolchain, baseline.toolchain);
  if (!other.empty()) fmt::print("The baseline is of another toolchain:\n{}", other);
  if (all.fewer + all.unknown > 0) {
    fmt::print("{} fewer by more than {:.0f}%, {} new: keep them by scripts/check-instructions --update\n", all.fewer,
               100 * tolerance, all.unknown);
  }
  if (all.more + all.lost == 0) {
    fmt::print("instructions: none above the baseline by more than {:.0f}%\n", 100 * tolerance);
    return EXIT_SUCCESS;
  }
  fmt::print("instructions: {} above the baseline by more than {:.0f}%, {} not counted any more.\n", all.more,
             100 * tolerance, all.lost);
  if (counts.toolchain.compiler != baseline.toolchain.compiler || counts.toolchain.flags != baseline.toolchain.flags) {
    fmt::print("This is no failure: another compiler, or other flags, than the baseline's.\n");
    return EXIT_SUCCESS;
  }
  fmt::print(
      "Find what executes more and mend it, or, where it is worth its price, say so in the commit and renew the "
      "baseline: scripts/check-instructions --update\n");
  return EXIT_FAILURE;
}

Counts baseline_if_any(const std::string& path) {
  return std::filesystem::exists(path) ? read_baseline(path) : Counts{};
}

int run(std::span<const std::string> arguments) {
  if (arguments.size() == 1 && arguments[0] == "count") {
    count_all();
    return EXIT_SUCCESS;
  }
  if (arguments.size() == 2 && arguments[0] == "count-secret") {
    count_with_secret(static_cast<unsigned>(std::stoul(arguments[1])));
    return EXIT_SUCCESS;
  }
  if (arguments.size() == 3 && arguments[0] == "compare") {
    return compare(read_baseline(arguments[1]), read_counts(arguments[2]));
  }
  if (arguments.size() == 3 && arguments[0] == "update") {
    const Counts counts = read_counts(arguments[2]);
    write_baseline(arguments[1], counts, baseline_if_any(arguments[1]));
    return EXIT_SUCCESS;
  }
  fmt::print(stderr,
             "usage: sotto_instructions count | count-secret N | compare BASELINE COUNTS | update BASELINE COUNTS\n");
  return 2;
}

}  // namespace
}  // namespace sotto::instructions

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return sotto::instructions::run(arguments);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sotto_instructions: {}\n", error.what());
    return 2;
  }
}
