#include "apps/prepare/align/align_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/kit/deploy/finding.h"
#include "apps/kit/program/say.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/peers.h"

namespace sotto::apps::prepare {
namespace {

std::shared_ptr<const Program> alignment_of(const Program& run) {
  Program program;
  program.word = align_table;
  program.name = "alignments of tables";
  program.version = "sotto align 1";
  program.command = {align_table};
  program.roles = run.roles;
  program.tables = {align_config_table(true)};
  program.settings = align_setting_list(true);
  return std::make_shared<const Program>(Program::with_common_settings(std::move(program)));
}

std::string without_number(const std::string& name) { return name.substr(0, name.rfind(' ')); }

std::string spoken_list(const std::vector<RunRole>& roles) {
  std::string names;
  for (const RunRole& role : roles) names += (names.empty() ? "" : ", ") + role.name;
  return names;
}

}  // namespace

struct AlignSettings::Names {
  std::string first, other, further;
  NodeNames nodes;
};

AlignSettings::AlignSettings(const RoleSettings& run) : program_(alignment_of(run.program())) {
  static_cast<RoleSettings&>(*this) = run;
  report.clear();
  add_holders(run);
  const std::string own = run.role_key();
  if (std::none_of(holders_.begin(), holders_.end(), [&](const RunRole& role) { return role.key == own; })) {
    throw InputError(
        fmt::format("this is the config of {}, which has no table to align: {} have; where another role has "
                    "one too, `also` in [align] (--also) names it at all of them",
                    run.display_name(), spoken_list(holders_)));
  }
  keep_own_trust_and_peers();
}

void AlignSettings::add_holders(const RoleSettings& run) {
  const Topology topology = run.topology();
  std::vector<std::string> others;
  std::optional<RunRole> further;
  for (const RunRole& role : run.roles()) {
    if (topology.is_party(role.node)) {
      holders_.push_back(role);
    } else if (role.node != net::dealer_id) {
      others.push_back(role.key);
      if (role.key == align_also) further = role;
    }
  }
  parties_ = holders_.size();
  if (!align_also.empty() && !further) {
    throw InputError(
        fmt::format("also in [align] names '{}', which is no role of this run other than parties and dealer{}",
                    align_also, did_you_mean(align_also, others)));
  }
  if (further) {
    further->node = static_cast<NodeId>(parties_);
    holders_.push_back(*further);
  }
  const auto names = std::make_shared<Names>();
  names->first = topology.name(0);
  names->other = without_number(topology.name(1));
  names->further = further ? further->name : "further role";
  names->nodes.first_party = names->first.c_str();
  names->nodes.other_party = names->other.c_str();
  names->nodes.further = names->further.c_str();
  names_ = names;
  for (RunRole& role : holders_) role.listens = net::listens(this->topology(), role.node);
}

void AlignSettings::keep_own_trust_and_peers() {
  std::map<std::string, std::string> trusted;
  std::map<std::string, std::string> addresses;
  for (const RunRole& role : holders_) {
    if (const auto found = trust.find(role.key); found != trust.end()) trusted.insert(*found);
    const auto found = peers.find(role.key);
    if (role.listens && found != peers.end()) addresses.insert(*found);
  }
  trust = std::move(trusted);
  peers = std::move(addresses);
}

Topology AlignSettings::topology() const {
  return Topology::without_dealer(parties_, holders_.size() > parties_, names_->nodes);
}

std::string AlignSettings::in_short() const {
  return fmt::format("an alignment of {}", counted(holders_.size(), "table"));
}

std::vector<Finding> AlignSettings::check_files() const { return {}; }

std::vector<Finding> AlignSettings::check_announcements(const std::map<NodeId, std::string>&) const { return {}; }

}  // namespace sotto::apps::prepare
