#include "apps/p2b/roles/messages.h"

#include <fmt/format.h>

#include <cstring>

#include "apps/p2b/encoder.h"
#include "apps/p2b/model.h"
#include "apps/p2b/privacy.h"
#include "core/text/count.h"
#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::apps::p2b {
namespace {

constexpr std::size_t terms_bytes = 24;
constexpr std::size_t part_head = 32;

void write(ByteWriter& out, const auto&... fields) { (out.number(fields), ...); }

void read(ByteReader& in, auto&... fields) {
  const auto take = [&]<class Field>(Field& field) {
    if constexpr (std::is_same_v<Field, QueueId>) {
      field = in.array<std::tuple_size_v<QueueId>>();
    } else {
      field = in.number<Field>();
    }
  };
  (take(fields), ...);
}

Payload payload_of(const auto&... fields) {
  ByteWriter out;
  write(out, fields...);
  return out.take();
}

void write_tuples(ByteWriter& out, std::span<const Tuple> tuples) {
  for (const Tuple& tuple : tuples) write(out, tuple.code, tuple.arm, tuple.reward);
}

}  // namespace

std::string fault_of(const P2bTerms& terms) {
  if (terms.codes == 0 || terms.codes > most_codes) {
    return fmt::format("{}; expected 1 to {}", counted(terms.codes, "code"), most_codes);
  }
  if (terms.arms == 0 || terms.arms > most_arms) {
    return fmt::format("{}; expected 1 to {}", counted(terms.arms, "arm"), most_arms);
  }
  if (!(terms.p > 0 && terms.p < 1)) {
    return fmt::format("p = {}; expected a probability between 0 and 1, both excluded", terms.p);
  }
  if (terms.threshold == 0 || terms.threshold > most_threshold) {
    return fmt::format("a threshold of {}; expected 1 to {}", terms.threshold, most_threshold);
  }
  return {};
}

TupleFault fault_of(const Tuple& tuple, const P2bTerms& terms) {
  if (tuple.code >= terms.codes) return TupleFault::code;
  if (tuple.arm >= terms.arms) return TupleFault::arm;
  // NaN fails this comparison too.
  return tuple.reward >= 0 && tuple.reward <= 1 ? TupleFault::none : TupleFault::reward;
}

std::string difference(const P2bTerms& theirs, const P2bTerms& ours) {
  if (theirs.codes != ours.codes) {
    return fmt::format("{}, here {}", counted(theirs.codes, "code"), ours.codes);
  }
  if (theirs.arms != ours.arms) {
    return fmt::format("{}, here {}", counted(theirs.arms, "arm"), ours.arms);
  }
  if (theirs.p != ours.p) return fmt::format("p = {}, here {}", theirs.p, ours.p);
  if (theirs.threshold != ours.threshold) {
    return fmt::format("a threshold of {}, here {}", theirs.threshold, ours.threshold);
  }
  return {};
}

double epsilon_of(const P2bTerms& terms) { return report_epsilon(terms.p); }
double delta_of(const P2bTerms& terms) { return report_delta(terms.p, static_cast<std::size_t>(terms.threshold)); }

UserToken user_token(std::string_view name) {
  const std::array<std::byte, 32> digest = sha256(name);
  UserToken token;
  std::memcpy(token.data(), digest.data(), token.size());
  return token;
}

Payload encode(const P2bTerms& terms) { return payload_of(terms.codes, terms.arms, terms.p, terms.threshold); }

std::optional<P2bTerms> decode_p2b_terms(PayloadView payload) {
  ByteReader in(payload);
  P2bTerms terms;
  read(in, terms.codes, terms.arms, terms.p, terms.threshold);
  if (!in.at_end() || !fault_of(terms).empty()) return std::nullopt;
  return terms;
}

Payload encode_reports(std::uint64_t number, std::span<const Report> reports) {
  ByteWriter out(sizeof number + report_bytes * reports.size());
  out.number(number);
  for (const Report& report : reports) {
    write(out, report.user, report.nonce, report.tuple.code, report.tuple.arm, report.tuple.reward);
  }
  return out.take();
}

std::optional<std::uint64_t> decode_reports(PayloadView payload, std::vector<Report>& reports) {
  ByteReader in(payload);
  const auto number = in.number<std::uint64_t>();
  if (!in.ok() || payload.size() > longest_report_message || in.left() % report_bytes != 0) {
    return std::nullopt;
  }
  reports.reserve(reports.size() + in.left() / report_bytes);
  while (!in.at_end()) {
    Report& report = reports.emplace_back();
    read(in, report.user, report.nonce, report.tuple.code, report.tuple.arm, report.tuple.reward);
  }
  return number;
}

Payload encode(const Receipt& receipt) {
  return payload_of(receipt.number, receipt.taken, receipt.bad_code, receipt.bad_arm, receipt.bad_reward);
}

std::optional<Receipt> decode_receipt(PayloadView payload) {
  ByteReader in(payload);
  Receipt receipt;
  read(in, receipt.number, receipt.taken, receipt.bad_code, receipt.bad_arm, receipt.bad_reward);
  if (!in.at_end()) return std::nullopt;
  return receipt;
}

Payload encode(const SurvivorPart& part) {
  ByteWriter out(part_head + tuple_bytes * part.tuples.size());
  write(out, part.name.queue, part.name.batch, part.name.part, part.parts);
  write_tuples(out, part.tuples);
  return out.take();
}

std::optional<SurvivorPart> decode_part(PayloadView payload) {
  if (payload.size() < part_head || payload.size() > longest_part_message) return std::nullopt;
  ByteReader in(payload.first(part_head));
  SurvivorPart part;
  read(in, part.name.queue, part.name.batch, part.name.part, part.parts);
  auto tuples = decode_tuples(payload.subspan(part_head));
  if (!tuples || part.name.batch == 0 || part.name.part >= part.parts) return std::nullopt;
  part.tuples = std::move(*tuples);
  return part;
}

Payload encode(const PartName& name) { return payload_of(name.queue, name.batch, name.part); }

std::optional<PartName> decode_part_name(PayloadView payload) {
  ByteReader in(payload);
  PartName name;
  read(in, name.queue, name.batch, name.part);
  if (!in.at_end()) return std::nullopt;
  return name;
}

Payload encode_model(const P2bTerms& terms, PayloadView model) {
  Payload payload = encode(terms);
  payload.insert(payload.end(), model.begin(), model.end());
  return payload;
}

std::optional<ModelMessage> decode_model(PayloadView payload) {
  if (payload.size() < terms_bytes) return std::nullopt;
  const auto terms = decode_p2b_terms(payload.first(terms_bytes));
  if (!terms) return std::nullopt;
  return ModelMessage{*terms, payload.subspan(terms_bytes)};
}

Payload encode_tuples(std::span<const Tuple> tuples) {
  ByteWriter out(tuple_bytes * tuples.size());
  write_tuples(out, tuples);
  return out.take();
}

std::optional<std::vector<Tuple>> decode_tuples(PayloadView payload) {
  if (payload.size() % tuple_bytes != 0) return std::nullopt;
  std::vector<Tuple> tuples(payload.size() / tuple_bytes);
  ByteReader in(payload);
  for (Tuple& tuple : tuples) read(in, tuple.code, tuple.arm, tuple.reward);
  return tuples;
}

}  // namespace sotto::apps::p2b
