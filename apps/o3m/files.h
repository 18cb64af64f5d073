// The contexts of a participant of an O3M run, which are read from the participant's CSV files
// (apps/kit/files/table.h).
//
// A participant's file has one of two forms:
// - long form: a file with a column `arm`, t,arm,<features>, with one row for each (t, arm);
// - user features: any other file, [t,]<features>, with one row for each step. The context is the same for all arms,
//   unless the user features are combined with an arms file, arm,<features>, which has one row for each arm. There are
//   two ways to combine user features with arm features:
//   - concatenate: (user features, arm features). Only the active participant gets the arms file, so the arm features
//     are its own features. The contexts of the passive participants do not depend on the arm.
//   - outer sum (Cao et al. 2022, appendix D.3): x[i * di + j] = user[i] + arm[j], of dimension du x di. Every
//     participant combines its own user features with the arm features, which all participants know.
// The rules for rows, steps and arms are those of apps/prepare/data/contexts.h. Without a column t, each row is the
// next step. Any values may be zero, constant or linearly dependent: the ridge handles such data.
//
// Errors are InputError. An error names file:line, steps and arms, never a feature or a norm.
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

// The largest allowed sum of the participants' bounds. With this sum, the fixed point of the masked contexts still has
// at least 43 fraction bits.
inline constexpr double largest_context_bound = 524288;

enum class Combine : std::uint8_t { concatenate, outer_sum };

// Accepts "concatenate" and "sum". Any other text is an InputError that names `where`.
[[nodiscard]] Combine parse_combine(const std::string& text, const std::string& where);
[[nodiscard]] const char* combine_text(Combine combine);

// The files that one participant reads.
struct ContextFiles {
  std::filesystem::path features;
  std::filesystem::path arms_file{};  // empty: none
  Combine combine = Combine::concatenate;
  // The number of arms. The number is required for user features without an arms file. All other files determine the
  // number of arms themselves; if `arms` is given, the two numbers must be equal.
  std::optional<std::size_t> arms{};
};

struct ParticipantContexts {
  std::size_t steps = 0;
  std::size_t arms = 0;
  std::size_t columns = 0;
  std::vector<double> values;  // [t][arm][column]
  // The largest norm of a row, rounded up to a multiple of 1/16 (apps/prepare/data/contexts.h).
  double bound = 0;
  bool depends_on_arm = true;               // false: the contexts come from user features only
  std::optional<std::uint64_t> first_step;  // the number of the file's first step, 0 or 1; absent without a column t
  std::string file;

  // The contexts of step t: arms x columns, row-major.
  [[nodiscard]] std::span<const double> at(std::size_t t) const {
    return std::span(values).subspan(t * arms * columns, arms * columns);
  }
};

[[nodiscard]] ParticipantContexts read_contexts(const ContextFiles& files);

// All files of an O3M run, for a local simulation on a machine that has all of them.
struct O3mFiles {
  std::filesystem::path active;
  std::vector<std::filesystem::path> passive;
  std::filesystem::path environment;
  std::filesystem::path arms_file{};
  Combine combine = Combine::concatenate;
};

struct O3mInputs {
  std::vector<ParticipantContexts> participants;  // the active participant comes first
  O3mEnvironment environment;

  [[nodiscard]] std::size_t steps() const { return environment.steps(); }
  [[nodiscard]] std::size_t arms() const { return environment.arms(); }
  [[nodiscard]] std::size_t dimension() const;
};

// Returns, for each participant, the files that the participant's process reads in a run of `arms` arms. The active
// participant comes first.
[[nodiscard]] std::vector<ContextFiles> participant_files(const O3mFiles& files, std::size_t arms);

// Reads all files and checks that they fit each other. There must be 2 to 8 participants. All participants must have
// the same steps and arms, and their first steps must have the same number. Contexts must differ between arms, and the
// sum of the bounds must be at most largest_context_bound.
[[nodiscard]] O3mInputs read_o3m_inputs(const O3mFiles& files);

// Joins the contexts of a step, as the central twin sees them: arms x dimension, row-major.
void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts);

}  // namespace sotto::apps::o3m
