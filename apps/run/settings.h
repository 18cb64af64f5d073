// The settings of a role that runs a user's own program (include/sotto/session.h) over the network. The config is TOML:
//
//     [run]                    the same at every role; the handshake compares [run] line by line
//     session = "0123456789abcdef0123456789abcdef"
//     protocol = "program"
//     parties = 2
//     bits = 20                number of fraction bits of the session
//     receiver = false         whether a role outside the parties takes part
//     preprocessing = "dealer" who makes the randomness: "dealer", "replicated" (three parties), "ot" (two parties) or
//                              "helper" (two parties and a helper)
//
//     [role]
//     name = "party"           party, receiver, and if the run has one, dealer or helper
//     id = 0                   only for a party
//     data = "data.csv"        only for a party: a file that the program reads
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "apps/kit/settings/role_settings.h"
#include "sotto/protocol/party/topology.h"
#include "sotto/protocol/preprocessing/randomness_by.h"

namespace sotto::apps {

[[nodiscard]] const Program& own_program();

enum class OwnRole : std::uint8_t { party, dealer, receiver, helper };

struct OwnSettings final : RoleSettingsOf<OwnRole> {
  std::size_t parties = 0;
  unsigned bits = 20;
  bool receiver = false;
  RandomnessBy preprocessing = RandomnessBy::dealer;

  std::filesystem::path data;  // may be empty

  [[nodiscard]] const Program& program() const override { return own_program(); }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<OwnSettings>(*this); }
  [[nodiscard]] Topology topology() const override;
  [[nodiscard]] std::vector<RunRole> roles() const override;
  void check(const ConfigDocument& document) const override;
  void check_plan() const override;
  void name_files() override;
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override;
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override { return {}; }
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

}  // namespace sotto::apps
