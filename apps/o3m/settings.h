// The settings of a role of an O3M run (docs/explain/o3m.md), as a TOML config:
//     [run]                    the same at every role; the handshake compares [run] line by line
//     session = "0123456789abcdef0123456789abcdef"
//     protocol = "o3m"
//     participants = 3         number of participants: the active participant, with number 0, and passive participants
//     steps = 1000
//     arms = 10
//     algorithm = "ucb"        or "ts"
//     acknowledge_leakage = true       the user who starts the role knows what the other roles learn
//
//     [role]
//     name = "passive"         active, passive or mask_generator
//     id = 1                   only for a passive participant
//     contexts = "b.csv"       only for a participant: its features (files.h)
//
//     [peers] and [trust]      addresses and fingerprints of active, passive_1, ..., mask_generator
//
// settings.cc lists all keys of the config.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/kit/learn/linear_bandit.h"
#include "apps/kit/settings/role_settings.h"
#include "apps/o3m/files.h"
#include "apps/o3m/plan.h"
#include "sotto/protocol/party/topology.h"

namespace sotto::apps::o3m {

[[nodiscard]] const Program& o3m_program();

inline constexpr const char* third_party = "third party";

enum class O3mRole : std::uint8_t { active, passive, mask_generator };

struct O3mSettings final : RoleSettingsOf<O3mRole> {
  std::size_t participants = 0;
  std::uint64_t steps = 0;
  std::size_t arms = 0;
  LinearAlgorithm algorithm = LinearAlgorithm::ucb;
  double beta = 0.5;
  double v = 0.01;
  double lambda = 1;
  std::optional<NodeId> mask_generator;  // number of a passive participant; empty if a third party makes the mask
  bool insecure_blocks = false;
  bool acknowledge_leakage = false;

  std::filesystem::path contexts;   // this and the next two members are only for a participant (files.h)
  std::filesystem::path arms_file;  // empty if there is no arms file
  Combine combine = Combine::concatenate;
  std::filesystem::path environment;  // only at the active participant

  [[nodiscard]] const Program& program() const override { return o3m_program(); }
  [[nodiscard]] std::unique_ptr<RoleSettings> clone() const override { return std::make_unique<O3mSettings>(*this); }
  [[nodiscard]] Topology topology() const override { return o3m_topology(participants, !mask_generator); }
  [[nodiscard]] std::vector<RunRole> roles() const override;
  void check(const ConfigDocument& document) const override;
  void check_plan() const override;
  void name_files() override;
  [[nodiscard]] std::string in_short() const override;
  [[nodiscard]] std::vector<ReadmeStep> readme_steps() const override;
  [[nodiscard]] std::vector<Finding> check_files() const override;
  [[nodiscard]] std::string announcement() const override;
  [[nodiscard]] std::vector<Finding> check_announcements(
      const std::map<NodeId, std::string>& announcements) const override;
};

[[nodiscard]] O3mParameters o3m_parameters(const O3mSettings& run, std::vector<std::size_t> columns,
                                           std::vector<double> bounds);

}  // namespace sotto::apps::o3m
