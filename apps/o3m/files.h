// The contexts that a participant of an O3M run holds, from its CSV files (apps/kit/files/table.h).
//
// A participant's file has one of two forms:
// - long form, a file with a column `arm`: t,arm,<features>, one row for each (t, arm);
// - user features, any other: [t,]<features>, one row for each step. The context is the same for all arms, unless it is
//   combined with an arms file: arm,<features>, one row an arm.
//   - concatenate: (user features, arm features). Arm features belong to the participant with whose file they are
//     given: the active one. For the others, their context does not depend on the arm.
//   - outer sum (Cao et al. 2022, appendix D.3): x[i * di + j] = user[i] + arm[j], of dimension
//     du x di. Every participant does that with its own user features, and the arm features are known to all.
// Rows, steps and arms are as apps/prepare/data/contexts.h has them; without a column t, steps are the rows in order.
// Values may all be zero, constant or linearly dependent: the ridge takes care of it.
//
// Errors are InputError and name file:line; they tell steps and arms, never a feature or a norm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/o3m/environment.h"

namespace sotto::apps::o3m {

// The sum of the participants' bounds is at most this: the fixed point of the masked contexts then has 43 fraction bits
// at least.
inline constexpr double largest_context_bound = 524288;

enum class Combine : std::uint8_t { concatenate, outer_sum };

// "concatenate" or "sum". Anything else: InputError that names `where`.
[[nodiscard]] Combine parse_combine(const std::string& text, const std::string& where);
[[nodiscard]] const char* combine_text(Combine combine);

// What one participant reads.
struct ContextFiles {
  std::filesystem::path features;
  std::filesystem::path arms_file{};  // empty: none
  Combine combine = Combine::concatenate;
  // How many arms there are: needed for user features without an arms file, else only checked.
  std::optional<std::size_t> arms{};
};

struct ParticipantContexts {
  std::size_t steps = 0;
  std::size_t arms = 0;
  std::size_t columns = 0;
  std::vector<double> values;  // [t][arm][column]
  // No row has a larger norm: the largest norm rounded up to sixteenths (apps/prepare/data/contexts.h).
  double bound = 0;
  bool depends_on_arm = true;               // false: user features alone
  std::optional<std::uint64_t> first_step;  // 0 or 1, as the file counts; absent without a column t
  std::string file;

  // arms x columns, row-major.
  [[nodiscard]] std::span<const double> at(std::size_t t) const {
    return std::span(values).subspan(t * arms * columns, arms * columns);
  }
};

[[nodiscard]] ParticipantContexts read_contexts(const ContextFiles& files);

// All files of an O3M run, as one machine sees them that has them all: a local simulation.
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
// alike, contexts that differ between arms, bounds within largest_context_bound.
[[nodiscard]] O3mInputs read_o3m_inputs(const O3mFiles& files);

// The whole contexts of a step, as the central twin sees them: arms x dimension, row-major.
void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts);

}  // namespace sotto::apps::o3m
