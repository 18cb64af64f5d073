#include "apps/kit/report/run_header.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "apps/kit/files/json.h"
#include "apps/kit/program/about.h"
#include "core/ring/kernels.h"
#include "core/text/count.h"

namespace sotto::apps {
namespace {

std::string cpu_info(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with(key)) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const std::size_t begin = line.find_first_not_of(' ', colon + 1);
    if (begin != std::string::npos) return line.substr(begin);
  }
  return {};
}

std::string cpu_name() {
  const std::string model = cpu_info("model name");
  if (model.empty()) return "unknown";
  const std::string family = cpu_info("cpu family");
  return family.empty() ? model : fmt::format("{} (family {}, model {})", model, family, cpu_info("model"));
}

unsigned usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  return static_cast<unsigned>(CPU_COUNT(&set));
}

std::string compiler_name() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string system_name() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  const std::string release = name.release;  // such as "6.1.0-18-amd64"
  return fmt::format("{} {}", name.sysname, release.substr(0, release.find('-')));
}

std::vector<std::pair<std::string, std::string>> lines_of(const Provenance& p) {
  return {
      {"commit", fmt::format("{} (version {})", p.commit, p.version)},
      {"date", p.date},
      {"cpu", fmt::format("{}, {}, kernels {}", p.cpu, counted(p.cores, "core"), p.kernels)},
      {"system", p.system},
      {"compiler", p.compiler},
      {"load", fmt::format("{:.2f} {:.2f} {:.2f} at the start (1, 5, 15 minutes)", p.load[0], p.load[1], p.load[2])},
  };
}

bool passed(const Check& check) { return check.passed; }

}  // namespace

Provenance take_provenance() {
  Provenance p;
  p.command = command_line();
  p.version = version();
  p.commit = git_commit();
  p.compiler = compiler_name() + ", " + build_type();
  p.cpu = cpu_name();
  p.cores = usable_cores();
  p.kernels = kernels().name;
  p.system = system_name();
  p.date = utc_now();
  if (::getloadavg(p.load.data(), static_cast<int>(p.load.size())) < 0) p.load = {};
  return p;
}

void RunHeader::stamp(const std::string& time) {
  version = apps::version();
  command = command_line();
  started = time;
}

std::string to_text(const Provenance& provenance) {
  std::string text;
  for (const auto& [name, value] : lines_of(provenance)) {
    text += fmt::format("{:<9} {}\n", name, value);
  }
  return text;
}

std::string to_markdown(const Provenance& provenance) {
  std::string text;
  for (const auto& [name, value] : lines_of(provenance)) {
    text += fmt::format("- {}: {}\n", name, value);
  }
  return text + fmt::format("\n```\n{}\n```\n", provenance.command);
}

nlohmann::ordered_json to_json(const Provenance& p) {
  return {{"command", p.command},   {"version", p.version}, {"commit", p.commit},   {"date", p.date},
          {"cpu", p.cpu},           {"cores", p.cores},     {"kernels", p.kernels}, {"system", p.system},
          {"compiler", p.compiler}, {"load", p.load}};
}

std::string to_text(const Page& page) {
  std::string text = to_text(page.provenance);
  for (const FigureTable& table : page.tables) text += "\n" + table.to_text();
  return text;
}

std::string to_markdown(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n{}", page.title, page.about, to_markdown(page.provenance));
  for (const FigureTable& table : page.tables) text += "\n" + table.to_markdown();
  return text;
}

nlohmann::ordered_json to_json(const Page& page) {
  nlohmann::ordered_json json{{"bench", page.name}, {"provenance", to_json(page.provenance)}};
  json["tables"] = nlohmann::ordered_json::object();
  for (const FigureTable& table : page.tables) json["tables"][table.key()] = table.to_json();
  return json;
}

FigureTable check_table(const std::vector<Check>& checks, const std::string& note) {
  FigureTable table("checks", "Beside the reference", "figure; setting; quantity; expected; ours; passed: within");
  table.note(note);
  for (const Check& check : checks) {
    table.add({check.figure, check.setting, check.quantity, check.expected, check.ours, check.passed});
  }
  return table;
}

bool all_passed(const std::vector<Check>& checks) { return std::all_of(checks.begin(), checks.end(), passed); }

std::string verdict(const std::vector<Check>& checks) {
  return fmt::format("{} of {} figures are within what was expected of them",
                     std::count_if(checks.begin(), checks.end(), passed), checks.size());
}

}  // namespace sotto::apps
