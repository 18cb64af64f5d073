#include "apps/p2b/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "apps/kit/files/json.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::p2b {

std::string context_kind_name(ContextKind kind) { return kind == ContextKind::one_hot ? "one-hot" : "centroid"; }

ContextKind parse_context_kind(const std::string& text, const std::string& where) {
  if (text == "one-hot") return ContextKind::one_hot;
  if (text == "centroid") return ContextKind::centroid;
  throw InputError(where, "'" + text + "' is neither 'one-hot' nor 'centroid'");
}

void check_tuple(const Tuple& tuple, std::size_t codes, std::size_t arms, const std::string& where) {
  if (tuple.code >= codes) {
    throw InputError(where,
                     fmt::format("the code is not within 0..{}, as the encoder's {} codes are", codes - 1, codes));
  }
  if (tuple.arm >= arms) {
    throw InputError(where, fmt::format("the arm is not within 0..{}: there are {} arms", arms - 1, arms));
  }
}

Model::Model(ContextKind kind, const Encoder* encoder, std::size_t codes, std::size_t arms, double alpha)
    : kind_(kind), encoder_(encoder), codes_(codes), arms_(arms), alpha_(alpha) {
  require_argument(codes > 0 && arms > 0 && arms <= most_arms, "Model: codes and arms are needed");
  require_argument(std::isfinite(alpha) && alpha >= 0, "Model: alpha must be finite and not negative");
  counts_.assign(codes * arms, 0);
  sums_.assign(codes * arms, 0);
  scores_.assign(codes * arms, 0);
  if (kind == ContextKind::centroid) {
    linear_ = std::make_unique<LinUcb>(encoder->dimension(), arms, alpha);
  }
}

Model::Model(std::size_t codes, std::size_t arms, double alpha)
    : Model(ContextKind::one_hot, nullptr, codes, arms, alpha) {}

Model::Model(ContextKind kind, const Encoder& encoder, std::size_t arms, double alpha)
    : Model(kind, &encoder, encoder.codes(), arms, alpha) {}

std::size_t Model::cell(std::uint32_t code, std::size_t arm) const {
  require_argument(code < codes_ && arm < arms_, "Model: there is no such code or arm");
  return code * arms_ + arm;
}

std::uint64_t Model::count(std::uint32_t code, std::size_t arm) const { return counts_[cell(code, arm)]; }

double Model::reward_sum(std::uint32_t code, std::size_t arm) const { return sums_[cell(code, arm)]; }

void Model::update(const Tuple& tuple) {
  check_tuple(tuple, codes_, arms_, "tuple");
  const std::size_t at = cell(tuple.code, tuple.arm);
  ++counts_[at];
  sums_[at] += clip_reward(tuple.reward, clipped_);
  ++updates_;
  solved_ = false;
}

void Model::update(std::span<const Tuple> tuples) {
  for (const Tuple& tuple : tuples) update(tuple);
}

void Model::solve() {
  if (solved_) return;
  if (kind_ == ContextKind::one_hot) {
    for (std::size_t at = 0; at < scores_.size(); ++at) {
      const double n = 1 + static_cast<double>(counts_[at]);
      scores_[at] = sums_[at] / n + alpha_ * std::sqrt(1 / n);
    }
    solved_ = true;
    return;
  }
  linear_->clear();
  for (std::uint32_t code = 0; code < codes_; ++code) {
    for (std::size_t arm = 0; arm < arms_; ++arm) {
      const std::size_t at = code * arms_ + arm;
      if (counts_[at] == 0) continue;
      linear_->learn(arm, encoder_->centroid(code), static_cast<double>(counts_[at]), sums_[at]);
    }
  }
  linear_->solve();
  for (std::uint32_t code = 0; code < codes_; ++code) {
    linear_->scores(encoder_->centroid(code), std::span(scores_).subspan(code * arms_, arms_));
  }
  solved_ = true;
}

double Model::theta(std::uint32_t code, std::size_t arm) {
  solve();
  return std::as_const(*this).theta(code, arm);
}

double Model::theta(std::uint32_t code, std::size_t arm) const {
  require_argument(solved_, "Model::theta: solve() first");
  const std::size_t at = cell(code, arm);
  if (kind_ == ContextKind::one_hot) return sums_[at] / (1 + static_cast<double>(counts_[at]));
  double sum = 0;
  const std::span<const double> centroid = encoder_->centroid(code);
  for (std::size_t i = 0; i < centroid.size(); ++i) sum += linear_->theta(arm)[i] * centroid[i];
  return sum;
}

std::span<const double> Model::theta_vector(std::size_t arm) const {
  require_argument(solved_ && linear_ && arm < arms_, "Model::theta_vector: of solved centroid models");
  return {linear_->theta(arm), linear_->dimension()};
}

std::span<const double> Model::scores(std::uint32_t code) const {
  require_argument(solved_ && code < codes_, "Model::scores: solve() first, and codes within the model's");
  return std::span(scores_).subspan(code * arms_, arms_);
}

OwnModel::OwnModel(const Model& shared)
    : shared_(&shared),
      own_(shared.linear_ ? shared.linear_->dimension() : 1, shared.linear_ ? shared.arms() : 1),
      scores_(shared.arms()) {
  require_argument(shared.solved(), "OwnModel: the shared model must be solved");
}

void OwnModel::restart() {
  touched_.clear();
  own_.clear();
  clipped_ = 0;
}

void OwnModel::score(std::uint32_t code) {
  const std::span<const double> shared = shared_->scores(code);
  std::copy(shared.begin(), shared.end(), scores_.begin());
  if (shared_->kind() == ContextKind::one_hot) {
    score_one_hot(code);
  } else {
    score_centroid(code);
  }
}

void OwnModel::score_one_hot(std::uint32_t code) {
  auto at = std::lower_bound(touched_.begin(), touched_.end(), code,
                             [](const Touched& cell, std::uint32_t c) { return cell.code < c; });
  for (; at != touched_.end() && at->code == code; ++at) scores_[at->arm] = at->score;
}

void OwnModel::score_centroid(std::uint32_t code) {
  const std::span<const double> centroid = shared_->encoder_->centroid(code);
  for (const std::size_t arm : own_.touched()) {
    scores_[arm] = ucb_score(own_.inverse(arm), own_.theta(arm), centroid, shared_->alpha());
  }
}

void OwnModel::update(const Tuple& tuple) {
  check_tuple(tuple, shared_->codes(), shared_->arms(), "tuple");
  const double reward = clip_reward(tuple.reward, clipped_);
  if (shared_->kind() == ContextKind::one_hot) {
    update_one_hot(tuple, reward);
  } else {
    own_.update(*shared_->linear_, tuple.arm, shared_->encoder_->centroid(tuple.code), reward);
  }
}

void OwnModel::update_one_hot(const Tuple& tuple, double reward) {
  const std::pair key(tuple.code, tuple.arm);
  auto at = std::lower_bound(touched_.begin(), touched_.end(), key, [](const Touched& cell, const auto& wanted) {
    return std::pair(cell.code, cell.arm) < wanted;
  });
  if (at == touched_.end() || std::pair(at->code, at->arm) != key) {
    const std::uint64_t count = shared_->count(tuple.code, tuple.arm);
    const double sum = shared_->reward_sum(tuple.code, tuple.arm);
    at = touched_.insert(at, Touched{tuple.code, tuple.arm, count, sum, 0});
  }
  ++at->count;
  at->sum += reward;
  const double n = 1 + static_cast<double>(at->count);
  at->score = at->sum / n + shared_->alpha() * std::sqrt(1 / n);
}

// The bytes of a model. All numbers are little-endian:
//
//     offset  bytes
//          0      8  "sottoP2B"
//          8      4  version, 1
//         12      4  kind: 0 one-hot, 1 centroid
//         16      8  codes
//         24      8  arms
//         32      8  alpha, a double
//         40      8  fingerprint of the encoder; 0 if there is no encoder
//         48      8  number of cells that follow
//         56     24  a cell: code 4, arm 4, count 8, sum of rewards 8 (a double); in increasing order of code
//                    and arm, counts above 0

namespace {

constexpr std::string_view magic = "sottoP2B";
constexpr std::uint32_t version = 1;
constexpr std::size_t head_size = 56;
constexpr std::size_t cell_size = 24;

[[noreturn]] void refuse(const std::string& why) { throw InputError("model", why + ": get it again from the server"); }

struct Head {
  ContextKind kind;
  std::uint64_t codes;
  std::uint64_t arms;
  double alpha;
  std::uint64_t fingerprint;
  std::uint64_t cells;
};

Head read_head(std::span<const std::byte> bytes) {
  if (bytes.size() < head_size || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    refuse("these bytes are no model");
  }
  ByteReader reader(bytes.subspan(magic.size()));
  if (reader.number<std::uint32_t>() != version) refuse("the model has another version");
  const auto kind = reader.number<std::uint32_t>();
  Head head{static_cast<ContextKind>(kind), reader.number<std::uint64_t>(), reader.number<std::uint64_t>(),
            reader.number<double>(),        reader.number<std::uint64_t>(), reader.number<std::uint64_t>()};
  const bool sane = kind <= 1 && head.codes >= 1 && head.codes <= most_codes && head.arms >= 1 &&
                    head.arms <= most_arms && std::isfinite(head.alpha) && head.alpha >= 0;
  if (!sane) refuse("the model's head is damaged");
  if (head.cells != (bytes.size() - head_size) / cell_size || (bytes.size() - head_size) % cell_size != 0) {
    refuse("the model is cut off or too long");
  }
  return head;
}

}  // namespace

std::vector<std::byte> Model::to_bytes() const {
  std::uint64_t cells = 0;
  for (const std::uint64_t count : counts_) cells += count > 0 ? 1 : 0;
  ByteWriter writer(head_size + cells * cell_size);
  writer.text(magic);
  writer.number(version);
  writer.number(static_cast<std::uint32_t>(kind_));
  writer.number<std::uint64_t>(codes_);
  writer.number<std::uint64_t>(arms_);
  writer.number(alpha_);
  writer.number<std::uint64_t>(encoder_ != nullptr ? encoder_->fingerprint() : 0);
  writer.number(cells);
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    if (counts_[at] == 0) continue;
    writer.number(static_cast<std::uint32_t>(at / arms_));
    writer.number(static_cast<std::uint32_t>(at % arms_));
    writer.number(counts_[at]);
    writer.number(sums_[at]);
  }
  return writer.take();
}

std::size_t Model::most_bytes() const noexcept { return head_size + counts_.size() * cell_size; }

Model Model::from_bytes(std::span<const std::byte> bytes, const Encoder* encoder, std::size_t arms) {
  const Head head = read_head(bytes);
  if (arms != 0 && head.arms != arms) {
    refuse(fmt::format("the model has {}, not {}", counted(head.arms, "arm"), arms));
  }
  if (head.kind == ContextKind::centroid && encoder == nullptr) {
    refuse("the model is of centroids and needs its encoder");
  }
  if (encoder != nullptr && head.codes != encoder->codes()) {
    refuse(fmt::format("the model has {}, the encoder {}", counted(head.codes, "code"), encoder->codes()));
  }
  if (encoder != nullptr && head.fingerprint != 0 && head.fingerprint != encoder->fingerprint()) {
    refuse("the model is of another encoder");
  }
  if (head.codes * head.arms > most_cells) refuse("the model is too large");
  Model model(head.kind, encoder, head.codes, head.arms, head.alpha);
  ByteReader reader(bytes.subspan(head_size));
  std::size_t next = 0;
  for (std::uint64_t i = 0; i < head.cells; ++i) {
    const auto code = reader.number<std::uint32_t>();
    const auto arm = reader.number<std::uint32_t>();
    const auto count = reader.number<std::uint64_t>();
    const auto sum = reader.number<double>();
    const bool fits = code < head.codes && arm < head.arms && code * head.arms + arm >= next;
    if (!fits || count == 0 || count >> 48 != 0 || !(sum >= 0 && sum <= static_cast<double>(count))) {
      refuse(fmt::format("cell {} of the model is damaged", i));
    }
    next = code * head.arms + arm + 1;
    model.counts_[next - 1] = count;
    model.sums_[next - 1] = sum;
    model.updates_ += count;
  }
  return model;
}

nlohmann::ordered_json Model::to_json() const {
  nlohmann::ordered_json json;
  json["context"] = context_kind_name(kind_);
  json["codes"] = codes_;
  json["arms"] = arms_;
  json["alpha"] = alpha_;
  json["updates"] = updates_;
  json["clipped"] = clipped_;
  json["cells"] = nlohmann::ordered_json::array();
  for (std::size_t at = 0; at < counts_.size(); ++at) {
    if (counts_[at] == 0) continue;
    json["cells"].push_back(
        {{"code", at / arms_}, {"arm", at % arms_}, {"count", counts_[at]}, {"reward_sum", sums_[at]}});
  }
  return json;
}

}  // namespace sotto::apps::p2b
