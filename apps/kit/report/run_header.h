// The common fields of the results of all programs, which are in run.json.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/kit/report/table.h"

namespace sotto::apps {

enum class RunStatus : std::uint8_t { complete, refused, failed };
constexpr auto names_of(RunStatus) {
  return std::array{std::pair{RunStatus::complete, "complete"}, std::pair{RunStatus::refused, "refused"},
                    std::pair{RunStatus::failed, "failed"}};
}

// Returns the names of the settings that are for tests only and make a run unsafe.
[[nodiscard]] inline std::vector<std::string> insecure_switches(bool seed, bool plaintext) {
  std::vector<std::string> names;
  if (seed) names.emplace_back("insecure-seed");
  if (plaintext) names.emplace_back("insecure-plaintext");
  return names;
}

struct RunHeader {
  RunStatus status = RunStatus::complete;
  std::optional<std::string> error{};  // one line
  std::string version{};
  std::string command{};                // as typed
  std::string started{};                // UTC, ISO 8601
  std::vector<std::string> insecure{};  // names of unsafe settings

  void stamp(const std::string& time);
  void fail(const std::string& why) {
    status = RunStatus::failed;
    error = why;
  }

  static void describe(auto& self, auto&& field) {
    field("status", self.status);
    field.unless_empty("error", self.error);
    field("version", self.version);
    field("command", self.command);
    field("started", self.started);
    field("insecure", self.insecure);
  }
};

struct PartyInput {
  std::string name;
  std::string file;
  std::size_t features = 0;
  double max_norm = 0;

  static void describe(auto& self, auto&& field) {
    field("name", self.name);
    field("file", self.file);
    field("features", self.features);
    field("max_norm", self.max_norm);
  }
};

struct RoleCost {
  std::string role;
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;  // largest value of repeated runs
  std::optional<std::uint64_t> bytes_sent{};

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field.unless_empty("bytes_sent", self.bytes_sent);
    field("cpu_seconds", self.cpu_seconds);
    field("peak_memory_bytes", self.peak_memory_bytes);
  }
};

struct RoleHeader {
  std::string role{};
  std::vector<std::string> insecure{};

  static void describe(auto& self, auto&& field) {
    field("role", self.role);
    field("insecure", self.insecure);
  }
};

struct RoundsHeader : RoleHeader {
  // `planned_bytes_sent` is the plan's prediction; the other numbers are measured. Bytes include headers.
  std::uint64_t rounds = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t planned_bytes_sent = 0;

  double setup_seconds = 0;  // up to the end of the handshake
  double cpu_seconds = 0;
  std::uint64_t peak_memory_bytes = 0;

  static void describe(auto& self, auto&& field) {
    RoleHeader::describe(self, field);
    field("rounds", self.rounds);
    field("bytes_sent", self.bytes_sent);
    field("planned_bytes_sent", self.planned_bytes_sent);
    field("setup_seconds", self.setup_seconds);
    field("cpu_seconds", self.cpu_seconds);
    field("peak_memory_bytes", self.peak_memory_bytes);
  }
};

// Says how figures were measured: the command, the version, the machine and its load.

struct Provenance {
  std::string command;  // as typed
  std::string version;
  // The commit ends with "-dirty" if the sources had changes.
  std::string commit;
  std::string compiler;
  std::string cpu;
  unsigned cores = 0;   // usable by this process
  std::string kernels;  // name of the kernel table
  std::string system;
  std::string date;  // UTC, ISO 8601
  std::array<double, 3> load{};
};

[[nodiscard]] Provenance take_provenance();

[[nodiscard]] std::string to_text(const Provenance& provenance);
[[nodiscard]] std::string to_markdown(const Provenance& provenance);
[[nodiscard]] nlohmann::ordered_json to_json(const Provenance& provenance);

// The JSON is {"bench": name, "provenance": {...}, "tables": {key: [{column: figure}, ...], ...}}. The Markdown is a
// page for bench/results/.
struct Page {
  std::string name;  // such as "floor"
  std::string title;
  std::string about;
  Provenance provenance;
  std::vector<FigureTable> tables;
};

[[nodiscard]] std::string to_text(const Page& page);
[[nodiscard]] std::string to_markdown(const Page& page);
[[nodiscard]] nlohmann::ordered_json to_json(const Page& page);

struct Check {
  std::string figure;
  std::string setting;
  std::string quantity;  // such as "regret"
  std::string expected;  // in words
  std::string ours;
  bool passed = false;
};

[[nodiscard]] FigureTable check_table(const std::vector<Check>& checks, const std::string& note);

[[nodiscard]] bool all_passed(const std::vector<Check>& checks);
[[nodiscard]] std::string verdict(const std::vector<Check>& checks);

}  // namespace sotto::apps
