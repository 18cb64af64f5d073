#include "apps/run/settings.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/settings/section.h"
#include "apps/kit/settings/setting.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/simulate.h"

namespace sotto::apps {
namespace {

using S = OwnSettings;

Program described() {
  Program program;
  program.word = "program";
  program.name = "a program of your own";
  program.version = "own program 2";
  program.executable = "./your-program";
  program.command = {"your-program"};
  program.roles = {
      {"party", "party", true, 0}, {"dealer", "dealer", true}, {"receiver", "receiver"}, {"helper", "helper", true}};
  program.settings = {
      number("run.parties", &S::parties, {2, max_parties}, "Parties").needed().initially("2"),
      number("run.bits", &S::bits, {8, 24}, "Fraction bits of the arithmetic"),
      choice("run.receiver", &S::receiver, "A role outside the parties takes part, to which values may be opened"),
      preprocessing_setting<S>(),
      file("role.data", &S::data, "A party's data, for the program to read").with_flag("--data").as_input()};
  program.make = []() -> std::unique_ptr<RoleSettings> { return std::make_unique<S>(); };
  return Program::with_common_settings(std::move(program));
}

}  // namespace

const Program& own_program() {
  static const Program program = described();
  return program;
}

Topology S::topology() const {
  SessionOptions options;
  options.has_receiver = receiver;
  options.preprocessing = preprocessing;
  return sotto::detail::topology_of(parties, options);
}

std::vector<RunRole> S::roles() const {
  std::vector<RunRole> roles;
  for (std::size_t party = 0; party < parties; ++party) roles.push_back(run_role("party", party, party));
  add_makers(roles);
  if (receiver) roles.push_back(run_role("receiver", 0, topology().outside_node()));
  return roles;
}

void S::check(const ConfigDocument& document) const {
  const Section section(document, "role");
  if (const std::string refusal = refusal_of(preprocessing, parties); !refusal.empty()) {
    throw InputError(Section(document, "run").where("preprocessing"), refusal);
  }
  if (const std::string wrong = stranger_to(preprocessing, role_word); !wrong.empty()) {
    throw InputError(section.where("name"), wrong);
  }
  if (role() == OwnRole::receiver && !receiver) {
    throw InputError(section.where("name"), "this run has no receiver: it needs receiver = true in [run]");
  }
  if (role() != OwnRole::party && !data.empty()) {
    throw InputError(section.where("data"), fmt::format("{} brings no data: leave it out", display_name()));
  }
}

void S::check_plan() const {
  const std::string refusal = refusal_of(preprocessing, parties);
  if (!refusal.empty()) throw InputError("--preprocessing", refusal);
}

void S::name_files() {
  if (role() == OwnRole::party) data = "data.csv";
}

std::string S::in_short() const {
  return fmt::format("a program of your own, {}{}{}", counted(parties, "party"), receiver ? ", with a receiver" : "",
                     preprocessing == RandomnessBy::dealer ? "" : ", without a dealer");
}

std::vector<ReadmeStep> S::readme_steps() const {
  using When = ReadmeStep::When;
  std::vector<ReadmeStep> todo;
  if (!data.empty()) {
    todo.push_back({When::with_data,
                    fmt::format("Put your data into {}, as the program expects them. The file stays on your machine.",
                                data.string())});
  }
  todo.push_back({When::with_data,
                  "Build the program that all have agreed upon. Roles whose programs differ do not start\n"
                  "   with each other."});
  return todo;
}

Findings S::check_files() const {
  if (data.empty()) return {};
  std::error_code error;
  const auto size = std::filesystem::file_size(data, error);
  if (error) return {problem("data", ExitCode::usage, fmt::format("{}: {}", data.string(), error.message()))};
  return {good("data", fmt::format("{}: {}", data.string(), counted(size, "byte")))};
}

Findings S::check_announcements(const std::map<NodeId, std::string>&) const { return {}; }

}  // namespace sotto::apps
