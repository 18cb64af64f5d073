// The contexts of a participant of an O3M run, from the participant's CSV files (apps/kit/files/table.h).
//
// A participant's file has one of two forms:
// - long form, t,arm,<features>: one row for each pair of a step t and an arm;
// - user features, [t,]<features>: one row for each step. An arms file, arm,<features>, adds features of the arms in
// one of two ways:
//   - concatenate: a context is (user features, arm features). Only the active participant reads the arms file, so
//     the contexts of the passive participants do not depend on the arm.
//   - outer sum (Cao et al. 2022, appendix D.3): for di arm features, x[i * di + j] = user[i] + arm[j]. The dimension
//     is the number of user features times di. Every participant combines its own user features with the arm features,
//     which all participants know.
//
// The rules for rows, steps and arms are those of apps/prepare/data/contexts.h. Without a column t, row i of the file
// is step i.
//
// An error names file:line, steps and arms, never a feature or a norm.
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

// The largest allowed sum of the participants' bounds. With this sum, masked contexts still have at least 43 fraction
// bits.
inline constexpr double largest_context_bound = 524288;

enum class Combine : std::uint8_t { concatenate, outer_sum };

// Accepts "concatenate" and "sum". Throws InputError, which names `where`, for any other text.
[[nodiscard]] Combine parse_combine(const std::string& text, const std::string& where);
[[nodiscard]] const char* combine_text(Combine combine);

struct ContextFiles {
  std::filesystem::path features;
  std::filesystem::path arms_file{};  // empty if there is no arms file
  Combine combine = Combine::concatenate;
  // Required for user features without an arms file. Otherwise this number must equal the number of arms in the files.
  std::optional<std::size_t> arms{};
};

struct ParticipantContexts {
  std::size_t steps = 0;
  std::size_t arms = 0;
  std::size_t columns = 0;
  std::vector<double> values;  // by [t][arm][column]
  // The largest norm of a row, rounded up to a multiple of 1/16.
  double bound = 0;
  bool depends_on_arm = true;
  std::optional<std::uint64_t> first_step;  // number of the first step, 0 or 1; empty without a column t
  std::string file;

  [[nodiscard]] std::span<const double> at(std::size_t t) const {
    return std::span(values).subspan(t * arms * columns, arms * columns);
  }
};

[[nodiscard]] ParticipantContexts read_contexts(const ContextFiles& files);

struct O3mFiles {
  std::filesystem::path active;
  std::vector<std::filesystem::path> passive;
  std::filesystem::path environment;
  std::filesystem::path arms_file{};
  Combine combine = Combine::concatenate;
};

struct O3mInputs {
  std::vector<ParticipantContexts> participants;  // the active participant, then the passive participants
  O3mEnvironment environment;

  [[nodiscard]] std::size_t steps() const { return environment.steps(); }
  [[nodiscard]] std::size_t arms() const { return environment.arms(); }
  [[nodiscard]] std::size_t dimension() const;
};

// Returns the files of the active participant first.
[[nodiscard]] std::vector<ContextFiles> participant_files(const O3mFiles& files, std::size_t arms);

// Throws InputError unless all participants have the same steps and arms, and the same number for their first step. The
// contexts must differ between arms, and the sum of the bounds must be at most largest_context_bound.
[[nodiscard]] O3mInputs read_o3m_inputs(const O3mFiles& files);

// Joins the participants' contexts of a step: arms x dimension, row-major.
void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts);

}  // namespace sotto::apps::o3m
