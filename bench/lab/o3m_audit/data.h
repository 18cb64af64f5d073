// The contexts that an audit of O3M looks at: generated ones, or those of participants' own files.
//
// A row is one context: of one user, or of one user and arm. Features of participant j are the columns offset(j) ..
// offset(j) + columns[j] - 1; the active participant comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sotto/apps/o3m/files.h"
#include "sotto/apps/o3m/plan.h"

namespace sotto::apps {

struct AuditData {
  std::vector<std::size_t> columns;  // of each participant
  std::size_t rows = 0;
  std::vector<double> values;  // [row][feature]
  std::string source;          // for people

  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::size_t offset(std::size_t participant) const;
  // rows x columns[participant], row-major.
  [[nodiscard]] std::vector<double> block(std::size_t participant) const;
  // rows x (dimension - columns[0]): hidden from the active participant.
  [[nodiscard]] std::vector<double> others() const;
};

struct GeneratedUsers {
  std::size_t users = 3000;
  std::size_t dimension = 16;
  std::size_t own = 4;           // of the active participant
  std::size_t participants = 3;  // the passive ones share the rest evenly
  std::uint64_t seed = 1;
};

// Features independent and uniform on [0, 1], as min-max scaling leaves them. In every hundredth row the passive
// participants' features repeat those of the row before. InputError where somebody would have no feature.
[[nodiscard]] AuditData generate_users(const GeneratedUsers& options);

// The first `most` contexts of participants' files, combined with an arms file where there is one; no environment is
// read. `arms` is needed for files of user features without an arms file. InputError where the files do not go
// together.
[[nodiscard]] AuditData read_users(const O3mFiles& files, std::optional<std::size_t> arms, std::size_t most);

// The run that these contexts would be part of: columns and bounds of each participant.
[[nodiscard]] O3mParameters parameters_of(const AuditData& data);

}  // namespace sotto::apps
