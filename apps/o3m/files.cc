#include "apps/o3m/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "apps/kit/files/table.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"

namespace sotto::apps::o3m {
namespace {

constexpr double most_cells = 0x1p58;

struct Features {
  Table table;
  prepare::LongForm form;
  bool has_t = false;
  bool has_arm = false;
  std::vector<std::size_t> columns;

  [[nodiscard]] std::size_t steps() const { return form.rows.size() / form.arms; }
  [[nodiscard]] std::size_t source(std::size_t t, std::size_t arm) const { return form.rows[t * form.arms + arm]; }
  void append(std::size_t row, std::vector<double>& values) const {
    for (const std::size_t column : columns) values.push_back(table.row(row)[column]);
  }
};

Features read_features(const std::filesystem::path& path) {
  Features features;
  features.table = read_csv(path);
  const Table& table = features.table;
  const auto t = table.find_column("t");
  const auto arm = table.find_column("arm");
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (c != t && c != arm) features.columns.push_back(c);
  }
  if (features.columns.empty()) {
    throw InputError(fmt::format("{}:1", table.file), "no column is a feature; give at least one other than t and arm");
  }
  features.has_t = t.has_value();
  features.has_arm = arm.has_value();
  if (t || arm) {
    features.form = prepare::index_rows(table, t, arm);
  } else {
    features.form.rows.resize(table.rows);
    std::iota(features.form.rows.begin(), features.form.rows.end(), std::size_t{0});
  }
  return features;
}

Features read_user_or_long_form(const std::filesystem::path& path) {
  Features features = read_features(path);
  if (features.has_arm && !features.has_t) {
    throw InputError(fmt::format("{}:1", features.table.file),
                     "a column 'arm' without a column 't'; rows are of steps, or of steps and arms");
  }
  return features;
}

Features read_arm_features(const std::filesystem::path& path) {
  const std::string columns = "an arms file has columns arm,<features>, one row an arm";
  Features features = read_features(path);
  const std::string header = fmt::format("{}:1", features.table.file);
  if (!features.has_arm) throw InputError(header, "no column 'arm'; " + columns);
  if (features.has_t) throw InputError(header, "a column 't'; " + columns);
  return features;
}

void check_arms(const std::string& file, std::size_t arms, std::optional<std::size_t> expected) {
  if (!expected || arms == *expected) return;
  throw InputError(file,
                   fmt::format("rows of {}, but the run has {} by its environment", counted(arms, "arm"), *expected));
}

class Combined {
 public:
  Combined(const Features& users, const Features& arms, Combine combine)
      : users_(users), arms_(arms), combine_(combine) {}

  [[nodiscard]] std::size_t columns() const {
    const std::size_t du = users_.columns.size();
    const std::size_t di = arms_.columns.size();
    return combine_ == Combine::concatenate ? du + di : du * di;
  }
  void append(std::size_t user_row, std::size_t arm, std::vector<double>& values) const {
    const std::size_t arm_row = arms_.source(0, arm);
    if (combine_ == Combine::concatenate) {
      users_.append(user_row, values);
      arms_.append(arm_row, values);
      return;
    }
    for (const std::size_t i : users_.columns) {
      for (const std::size_t j : arms_.columns) {
        values.push_back(users_.table.row(user_row)[i] + arms_.table.row(arm_row)[j]);
      }
    }
  }

 private:
  const Features& users_;
  const Features& arms_;
  Combine combine_;
};

std::size_t cells(const ParticipantContexts& contexts, const std::string& file) {
  const double count =
      static_cast<double>(contexts.steps) * static_cast<double>(contexts.arms) * static_cast<double>(contexts.columns);
  if (count > most_cells) {
    throw InputError(file, "too many steps, arms and features together; use fewer steps");
  }
  return contexts.steps * contexts.arms * contexts.columns;
}

void set_bound(ParticipantContexts& contexts, const Features& features) {
  double largest = 0;
  for (std::size_t t = 0; t < contexts.steps; ++t) {
    for (std::size_t arm = 0; arm < contexts.arms; ++arm) {
      const auto row = contexts.at(t).subspan(arm * contexts.columns, contexts.columns);
      const double norm = std::sqrt(std::inner_product(row.begin(), row.end(), row.begin(), 0.0));
      if (!(norm <= largest_context_bound)) {
        throw InputError(
            features.table.where(features.source(t, features.has_arm ? arm : 0)),
            fmt::format("the norm of this context is above {}; scale the features down", largest_context_bound));
      }
      largest = std::max(largest, norm);
    }
  }
  // The bound determines the number of fraction bits of the masked sums, so it must not be much larger than the norms.
  contexts.bound = prepare::round_up_norm(largest, prepare::rounding_slack);
}

constexpr std::size_t most_participants = 8;

void check_participants(const O3mFiles& files) {
  if (files.passive.empty()) {
    throw InputError("--passive", "an O3M run needs at least one passive participant");
  }
  if (files.passive.size() + 1 > most_participants) {
    throw InputError("--passive", fmt::format("{} passive participants; there can be {} in addition to the active one",
                                              files.passive.size(), most_participants - 1));
  }
}

void check_alike(const ParticipantContexts& contexts, const O3mEnvironment& environment) {
  if (contexts.steps != environment.steps()) {
    throw InputError(contexts.file,
                     fmt::format("{}, but {} has {}; all files must have the same steps",
                                 counted(contexts.steps, "step"), environment.file(), environment.steps()));
  }
  if (contexts.first_step && *contexts.first_step != environment.first_step()) {
    throw InputError(contexts.file, fmt::format("steps are numbered from {}, but from {} in {}; number them alike",
                                                *contexts.first_step, environment.first_step(), environment.file()));
  }
}

void check_bounds(const std::vector<ParticipantContexts>& participants) {
  double sum = 0;
  for (const ParticipantContexts& contexts : participants) sum += contexts.bound;
  if (sum <= largest_context_bound) return;
  throw InputError(
      participants.front().file,
      fmt::format("the norms of the contexts of all participants add up to more than {}; scale the features down",
                  largest_context_bound));
}

void check_arms_differ(const O3mInputs& inputs) {
  const auto depends = [](const ParticipantContexts& contexts) { return contexts.depends_on_arm; };
  if (inputs.arms() == 1) return;
  if (std::any_of(inputs.participants.begin(), inputs.participants.end(), depends)) return;
  throw InputError(
      inputs.participants.front().file,
      "no file tells the arms apart; give --arms-file, or a column 'arm' with a row for each step and arm");
}

}  // namespace

Combine parse_combine(const std::string& text, const std::string& where) {
  if (text == "concatenate") return Combine::concatenate;
  if (text == "sum") return Combine::outer_sum;
  throw InputError(where, "user and arm features are combined by 'concatenate' or by 'sum'");
}

const char* combine_text(Combine combine) { return combine == Combine::concatenate ? "concatenate" : "sum"; }

ParticipantContexts read_contexts(const ContextFiles& files) {
  const Features features = read_user_or_long_form(files.features);
  ParticipantContexts contexts;
  contexts.file = features.table.file;
  contexts.steps = features.steps();
  contexts.columns = features.columns.size();
  if (features.has_t) contexts.first_step = features.form.first_step;
  const std::string header = fmt::format("{}:1", contexts.file);
  if (features.has_arm) {
    if (!files.arms_file.empty()) {
      throw InputError(header,
                       "features of arms come from the arms file; this one is to have user features, one row a step, "
                       "without a column 'arm'");
    }
    contexts.arms = features.form.arms;
    check_arms(contexts.file, contexts.arms, files.arms);
    contexts.values.reserve(cells(contexts, contexts.file));
    for (const std::size_t row : features.form.rows) features.append(row, contexts.values);
  } else if (!files.arms_file.empty()) {
    const Features arms = read_arm_features(files.arms_file);
    const Combined combined(features, arms, files.combine);
    contexts.arms = arms.form.arms;
    check_arms(arms.table.file, contexts.arms, files.arms);
    contexts.columns = combined.columns();
    contexts.values.reserve(cells(contexts, contexts.file));
    for (const std::size_t row : features.form.rows) {
      for (std::size_t arm = 0; arm < contexts.arms; ++arm) {
        combined.append(row, arm, contexts.values);
      }
    }
  } else {
    if (!files.arms) {
      throw InputError(header, "without a column 'arm', the number of arms or an arms file is needed");
    }
    contexts.arms = *files.arms;
    contexts.depends_on_arm = false;
    contexts.values.reserve(cells(contexts, contexts.file));
    for (const std::size_t row : features.form.rows) {
      for (std::size_t arm = 0; arm < contexts.arms; ++arm) features.append(row, contexts.values);
    }
  }
  set_bound(contexts, features);
  return contexts;
}

std::size_t O3mInputs::dimension() const {
  std::size_t dimension = 0;
  for (const ParticipantContexts& contexts : participants) dimension += contexts.columns;
  return dimension;
}

std::vector<ContextFiles> participant_files(const O3mFiles& files, std::size_t arms) {
  std::vector<ContextFiles> all;
  all.push_back({files.active, files.arms_file, files.combine, arms});
  for (const std::filesystem::path& passive : files.passive) {
    ContextFiles own{passive, {}, files.combine, arms};
    if (files.combine == Combine::outer_sum) own.arms_file = files.arms_file;
    all.push_back(std::move(own));
  }
  return all;
}

O3mInputs read_o3m_inputs(const O3mFiles& files) {
  check_participants(files);
  if (files.combine == Combine::outer_sum && files.arms_file.empty()) {
    throw InputError("--combine", "the sum of user and arm features needs --arms-file");
  }
  O3mInputs inputs{{}, O3mEnvironment::read(files.environment)};
  for (const ContextFiles& own : participant_files(files, inputs.arms())) {
    inputs.participants.push_back(read_contexts(own));
    check_alike(inputs.participants.back(), inputs.environment);
  }
  check_bounds(inputs.participants);
  check_arms_differ(inputs);
  return inputs;
}

void join_contexts(const O3mInputs& inputs, std::size_t t, std::span<double> contexts) {
  const std::size_t dimension = inputs.dimension();
  if (contexts.size() != inputs.arms() * dimension || t >= inputs.steps()) {
    throw std::invalid_argument("join_contexts: no such step, or no room for it");
  }
  std::size_t offset = 0;
  for (const ParticipantContexts& own : inputs.participants) {
    const std::span<const double> values = own.at(t);
    for (std::size_t arm = 0; arm < inputs.arms(); ++arm) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(arm * own.columns), own.columns,
                  contexts.begin() + static_cast<std::ptrdiff_t>(arm * dimension + offset));
    }
    offset += own.columns;
  }
}

}  // namespace sotto::apps::o3m
