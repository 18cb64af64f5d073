#include "apps/kit/settings/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps {

std::string RoleKind::key(std::size_t id) const { return first ? fmt::format("{}_{}", word, id) : word; }

std::string RoleKind::spoken(std::size_t id) const { return first ? fmt::format("{} {}", name, id) : name; }

bool Program::is_own(std::string_view table) const {
  if (table == "role" || table == "peers") return true;
  return std::any_of(tables.begin(), tables.end(),
                     [&](const ConfigTable& further) { return further.own && further.name == table; });
}

bool Program::has_next_trust() const {
  return std::any_of(tables.begin(), tables.end(),
                     [](const ConfigTable& further) { return further.name == next_trust_table; });
}

const RoleKind& Program::kind(std::string_view wanted) const {
  const auto found =
      std::find_if(roles.begin(), roles.end(), [&](const RoleKind& kind) { return kind.word == wanted; });
  if (found == roles.end()) {
    throw std::invalid_argument(fmt::format("{} has no role '{}'", name, wanted));
  }
  return *found;
}

namespace {

const Setting* find_in(const std::vector<Setting>& settings, std::string_view table, std::string_view name) {
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return setting.table == table && setting.name == name;
  });
  return found == settings.end() ? nullptr : &*found;
}

}  // namespace

const Setting* Program::find(std::string_view table, std::string_view key) const {
  return find_in(settings, table, key);
}

Keys::Keys(std::vector<const Program*> programs) : programs_(std::move(programs)) {
  std::string protocols;
  for (const Program* program : programs_) {
    for (const Setting& setting : program->settings) {
      if (std::find(tables_.begin(), tables_.end(), setting.table) == tables_.end()) tables_.push_back(setting.table);
    }
    protocols += protocols.empty() ? "" : program == programs_.back() ? " or " : ", ";
    protocols += '"' + program->word + '"';
  }
  for (const std::string& table : tables_) {
    for (const Program* program : programs_) {
      for (const Setting& setting : program->settings) {
        if (setting.table != table || find(table, setting.name) != nullptr) continue;
        all_.push_back(setting);
        if (setting.path() == "run.protocol") all_.back().expected = protocols;
      }
    }
  }
}

const Setting* Keys::find(std::string_view table, std::string_view name, const Program* program) const {
  const Setting* own = program == nullptr ? nullptr : program->find(table, name);
  return own == nullptr ? find_in(all_, table, name) : own;
}

std::vector<std::string> Keys::names(std::string_view table) const {
  std::vector<std::string> names;
  for (const Setting& setting : all_) {
    if (setting.table == table) names.push_back(setting.name);
  }
  return names;
}

std::string RoleSettings::display_name() const {
  const RoleKind& kind = program().kind(role_word);
  return (kind.first ? "" : "the ") + kind.spoken(id);
}

std::size_t RoleSettings::role_index() const {
  if (role_word.empty()) return 0;
  return static_cast<std::size_t>(&program().kind(role_word) - program().roles.data());
}

void RoleSettings::set_role_index(std::size_t index, std::size_t number) {
  role_word = program().roles.at(index).word;
  id = number;
}

RunRole RoleSettings::own_role() const {
  const std::string own = role_key();
  for (RunRole& role : roles()) {
    if (role.key == own) return std::move(role);
  }
  throw std::invalid_argument("the run has no role " + own);
}

std::vector<std::string> RoleSettings::command() const {
  if (!program().command.empty()) return program().command;
  return {role_word};
}

std::string RoleSettings::started_by() const {
  if (program().executable != "sotto") return program().executable;
  return fmt::format("sotto {}", fmt::join(command(), " "));
}

RunRole RoleSettings::run_role(std::string_view word, std::size_t number, std::size_t node) const {
  const RoleKind& kind = program().kind(word);
  const auto on_links = static_cast<NodeId>(node);
  return {kind.word, number, on_links, kind.key(number), kind.spoken(number), net::listens(topology(), on_links)};
}

void RoleSettings::add_makers(std::vector<RunRole>& roles) const {
  if (topology().has_dealer()) roles.push_back(run_role("dealer", 0, net::dealer_id));
  if (topology().has_helper()) roles.push_back(run_role("helper", 0, topology().helper()));
}

std::vector<std::string> role_names(const RoleSettings& settings) {
  std::vector<std::string> names;
  for (const RunRole& role : settings.roles()) names.push_back(role.key);
  return names;
}

std::vector<std::string> listening_roles(const RoleSettings& settings) {
  std::vector<std::string> names;
  for (const RunRole& role : settings.roles()) {
    if (role.listens) names.push_back(role.key);
  }
  return names;
}

std::string fresh_session() {
  const Seed seed = Seed::from_os();
  return hex(seed.expose());
}

}  // namespace sotto::apps
