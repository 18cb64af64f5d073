#include "bench/lab/o3m_audit/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "apps/kit/learn/seeded.h"
#include "apps/prepare/data/contexts.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/random/seed.h"
#include "sotto/protocol/summation/secure_sum.h"

namespace sotto::apps::lab {

using namespace sotto::apps::o3m;
using namespace sotto::apps::prepare;
namespace {

constexpr std::size_t duplicate_every = 100;

std::vector<double> columns_of(const AuditData& data, std::size_t first, std::size_t count) {
  const std::size_t d = data.dimension();
  std::vector<double> out;
  out.reserve(data.rows * count);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const auto start = data.values.begin() + static_cast<std::ptrdiff_t>(row * d + first);
    out.insert(out.end(), start, start + static_cast<std::ptrdiff_t>(count));
  }
  return out;
}

std::vector<std::size_t> split(const GeneratedUsers& options) {
  const std::size_t passive = options.participants - 1;
  if (options.participants < 2 || options.participants > max_parties) {
    throw InputError("--participants", fmt::format("{} where 2 to {} are expected", options.participants, max_parties));
  }
  if (options.own == 0 || options.own + passive > options.dimension) {
    throw InputError("--own",
                     fmt::format("{} of {} leave too few for {}: each participant needs one at least", options.own,
                                 counted(options.dimension, "feature"), counted(passive, "passive participant")));
  }
  const std::size_t rest = options.dimension - options.own;
  std::vector<std::size_t> columns{options.own};
  for (std::size_t j = 0; j < passive; ++j) {
    columns.push_back(rest / passive + (j < rest % passive ? 1 : 0));
  }
  return columns;
}

void require_fit(const ParticipantContexts& first, const ParticipantContexts& other) {
  if (first.first_step && other.first_step && *first.first_step != *other.first_step) {
    throw InputError(other.file, fmt::format("steps are numbered from {}, but from {} in {}; number them alike",
                                             *other.first_step, *first.first_step, first.file));
  }
  if (other.steps == first.steps && other.arms == first.arms) return;
  throw InputError(
      other.file,
      fmt::format("{} of {} where {} has {} of {}: all participants' files are about the same steps and arms",
                  counted(other.steps, "step"), counted(other.arms, "arm"), first.file, first.steps, first.arms));
}

Seed pair_seed(const Seed& root, std::size_t low, std::size_t high) {
  return root.derive("pair " + std::to_string(low) + " " + std::to_string(high));
}

protocols::ZeroShares zero_shares(const Seed& root, std::size_t participant, std::size_t participants) {
  std::vector<Seed> lower;
  std::vector<Seed> higher;
  for (std::size_t j = 0; j < participant; ++j) lower.push_back(pair_seed(root, j, participant));
  for (std::size_t j = participant + 1; j < participants; ++j) {
    higher.push_back(pair_seed(root, participant, j));
  }
  return {lower, higher};
}

}  // namespace

std::size_t AuditData::dimension() const { return std::accumulate(columns.begin(), columns.end(), std::size_t{0}); }

std::size_t AuditData::offset(std::size_t participant) const {
  return std::accumulate(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(participant), std::size_t{0});
}

std::vector<double> AuditData::block(std::size_t participant) const {
  return columns_of(*this, offset(participant), columns.at(participant));
}

std::vector<double> AuditData::others() const { return columns_of(*this, columns.at(0), dimension() - columns.at(0)); }

AuditData generate_users(const GeneratedUsers& options) {
  AuditData data;
  data.columns = split(options);
  data.rows = options.users;
  data.source = "generated users, features uniform on [0, 1]";
  const std::size_t d = options.dimension;
  SeededDraws draws(options.seed);
  data.values.resize(data.rows * d);
  for (double& value : data.values) value = draws.unit();
  for (std::size_t row = duplicate_every - 1; row < data.rows; row += duplicate_every) {
    std::copy_n(data.values.begin() + static_cast<std::ptrdiff_t>((row - 1) * d + options.own), d - options.own,
                data.values.begin() + static_cast<std::ptrdiff_t>(row * d + options.own));
  }
  return data;
}

AuditData read_users(const O3mFiles& files, std::optional<std::size_t> arms, std::size_t most) {
  if (files.passive.empty() || files.passive.size() >= max_parties) {
    throw InputError("--passive", fmt::format("{} where 1 to {} are expected, one for each passive participant",
                                              counted(files.passive.size(), "file"), max_parties - 1));
  }
  std::vector<ParticipantContexts> participants;
  for (ContextFiles own : participant_files(files, 0)) {
    own.arms = participants.empty() ? arms : participants[0].arms;
    participants.push_back(read_contexts(own));
    require_fit(participants[0], participants.back());
  }
  AuditData data;
  data.source = fmt::format("{} and {} more", participants[0].file, files.passive.size());
  for (const ParticipantContexts& one : participants) data.columns.push_back(one.columns);
  data.rows = std::min(most, participants[0].steps * participants[0].arms);
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (const ParticipantContexts& one : participants) {
      const auto start = one.values.begin() + static_cast<std::ptrdiff_t>(row * one.columns);
      data.values.insert(data.values.end(), start, start + static_cast<std::ptrdiff_t>(one.columns));
    }
  }
  return data;
}

O3mParameters parameters_of(const AuditData& data) {
  O3mParameters parameters;
  parameters.steps = data.rows;
  parameters.arms = 1;
  parameters.columns = data.columns;
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const std::vector<double> block = data.block(j);
    double largest = 0;
    for (std::size_t row = 0; row < data.rows; ++row) {
      const auto first = block.begin() + static_cast<std::ptrdiff_t>(row * data.columns[j]);
      const auto last = first + static_cast<std::ptrdiff_t>(data.columns[j]);
      largest = std::max(largest, std::inner_product(first, last, first, 0.0));
    }
    parameters.bounds.push_back(round_up_norm(std::sqrt(largest), rounding_slack));
  }
  return parameters;
}

MaskedUsers mask_users(const AuditData& data, std::uint64_t seed) {
  const O3mPlan plan = plan_o3m(parameters_of(data));
  const Seed root = Seed::insecure_from_number(seed);
  const std::size_t d = data.dimension();
  MaskedUsers users;
  users.fraction_bits = plan.fraction_bits;
  users.mask = random_orthogonal(d, root.derive("mask"));
  std::vector<std::uint64_t> sum(data.rows * d, 0);
  for (std::size_t j = 0; j < data.columns.size(); ++j) {
    const MaskBlock block = block_of(users.mask, d, data.offset(j), data.columns[j]);
    std::vector<double> masked(data.rows * d);
    mask_contexts(block, data.block(j), masked);
    std::vector<std::uint64_t> words(masked.size());
    to_fixed(masked, plan.fraction_bits, words);
    zero_shares(root, j, data.columns.size()).add_to(words);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
    if (j == 0) {
      users.view.own_block = block;
    } else {
      users.blocks.push_back(std::move(masked));
      users.words.push_back(std::move(words));
    }
  }
  users.view.rows = data.rows;
  users.view.own_contexts = data.block(0);
  users.view.masked.resize(sum.size());
  from_fixed(sum, plan.fraction_bits, users.view.masked);
  return users;
}

std::vector<double> without_own(const ActiveView& view) {
  std::vector<double> rest(view.masked.size());
  mask_contexts(view.own_block, view.own_contexts, rest);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = view.masked[i] - rest[i];
  return rest;
}

}  // namespace sotto::apps::lab
