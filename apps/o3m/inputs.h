// All files of an O3M run, as one machine sees them that has them all: a local simulation.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "sotto/apps/o3m/environment.h"
#include "sotto/apps/o3m/files.h"

namespace sotto::apps {

struct O3mFiles {
  std::filesystem::path active;
  std::vector<std::filesystem::path> passive;
  std::filesystem::path environment;
  std::filesystem::path arms_file{};
  Combine combine = Combine::concatenate;
};

struct O3mInputs {
  std::vector<ParticipantContexts> participants;  // the active one first
  O3mEnvironment environment;

  [[nodiscard]] std::size_t steps() const { return environment.steps(); }
  [[nodiscard]] std::size_t arms() const { return environment.arms(); }
  [[nodiscard]] std::size_t dimension() const;
};

// What each participant's own process reads, the active one's first, in a run of so many arms.
[[nodiscard]] std::vector<ContextFiles> participant_files(const O3mFiles& files, std::size_t arms);

// Reads all files and checks that they go together: 2 to 8 participants, the same steps and arms in all, steps counted
// alike, contexts that differ between arms, bounds within
// largest_context_bound.
[[nodiscard]] O3mInputs read_o3m_inputs(const O3mFiles& files);

// The whole contexts of a step, as the central twin sees them: arms x dimension, row-major.
void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts);

}  // namespace sotto::apps
