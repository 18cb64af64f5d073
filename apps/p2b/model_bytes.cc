// Models on links and in files (model.h). All numbers little-endian:
//
//     offset  bytes
//          0      8  "sottoP2B"
//          8      4  version, 1
//         12      4  kind: 0 one-hot, 1 centroid
//         16      8  codes
//         24      8  arms
//         32      8  alpha, a double
//         40      8  fingerprint of the encoder, 0 without one
//         48      8  cells that follow
//         56     24  a cell: code 4, arm 4, count 8, sum of rewards 8 (a double); in increasing order of code
//                    and arm, counts above 0
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "apps/kit/files/json.h"
#include "apps/p2b/model.h"
#include "core/text/count.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::p2b {
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
  // Models may be far larger than their bytes.
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
