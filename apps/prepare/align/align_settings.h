// `sotto align` reads the config that a role has for a run. An alignment uses the links, keys and addresses of the run.
// The roles that take part, each with a table of data, are the run's parties and, if [align] names one, another role of
// the run. These roles compare the section [align] of their configs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/kit/files/row_order.h"
#include "apps/kit/settings/role_settings.h"

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

struct AlignSettings final : RoleSettings {
  // Throws InputError if the role of the config `run` has no table of data, or if [align] names a role that the run
  // does not have.
  explicit AlignSettings(const RoleSettings& run);

  [[nodiscard]] IdForm form() const { return {id_unicode, id_case, id_blanks}; }

  [[nodiscard]] const Program& program() const override { return *program_; }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<AlignSettings>(*this); }
  // The names of the nodes in the topology live as long as any copy of these settings.
  [[nodiscard]] Topology topology() const override;
  [[nodiscard]] std::vector<RunRole> roles() const override { return holders_; }
  void check(const ConfigDocument&) const override {}
  void check_plan() const override {}
  void name_files() override {}
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override { return {}; }
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override { return {}; }
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;

 private:
  struct Names;

  void add_holders(const RoleSettings& run);
  void keep_own_trust_and_peers();

  std::shared_ptr<const Program> program_;
  std::shared_ptr<const Names> names_;
  std::vector<RunRole> holders_;
  std::size_t parties_ = 0;
};

void add_align_command(Command& app, const Keys& keys);

}  // namespace sotto::apps::prepare
