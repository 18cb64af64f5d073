#include "sotto/apps/p2b/roles/messages.h"

#include <openssl/sha.h>

#include <cstring>

#include "sotto/core/wire/coding.h"

namespace sotto::apps {
namespace {

constexpr std::size_t terms_bytes = 24;
constexpr std::size_t part_head = 32;  // of a survivor part, before its tuples

void write(ByteWriter& out, std::span<const Tuple> tuples) {
  for (const Tuple& tuple : tuples) {
    out.number(static_cast<std::uint32_t>(tuple.code));
    out.number(static_cast<std::uint32_t>(tuple.arm));
    out.number(tuple.reward);
  }
}

Tuple read_tuple(ByteReader& in) {
  Tuple tuple;
  tuple.code = in.number<std::uint32_t>();
  tuple.arm = in.number<std::uint32_t>();
  tuple.reward = in.number<double>();
  return tuple;
}

void write_terms(ByteWriter& out, const P2bTerms& terms) {
  out.number(terms.codes);
  out.number(terms.arms);
  out.number(terms.p);
  out.number(terms.threshold);
}

P2bTerms read_terms(ByteReader& in) {
  P2bTerms terms;
  terms.codes = in.number<std::uint32_t>();
  terms.arms = in.number<std::uint32_t>();
  terms.p = in.number<double>();
  terms.threshold = in.number<std::uint64_t>();
  return terms;
}

void write_name(ByteWriter& out, const PartName& name) {
  out.bytes(name.queue);
  out.number(name.batch);
  out.number(name.part);
}

PartName read_name(ByteReader& in) {
  PartName name;
  name.queue = in.array<16>();
  name.batch = in.number<std::uint64_t>();
  name.part = in.number<std::uint32_t>();
  return name;
}

}  // namespace

UserToken user_token(std::string_view name) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(name.data()), name.size(), digest.data());
  UserToken token;
  std::memcpy(token.data(), digest.data(), token.size());
  return token;
}

Payload encode(const P2bTerms& terms) {
  ByteWriter out;
  write_terms(out, terms);
  return out.take();
}

std::optional<P2bTerms> decode_p2b_terms(PayloadView payload) {
  ByteReader in(payload);
  const P2bTerms terms = read_terms(in);
  if (!in.at_end() || !fault_of(terms).empty()) return std::nullopt;
  return terms;
}

Payload encode_reports(std::uint64_t number, std::span<const Report> reports) {
  ByteWriter out(sizeof number + report_bytes * reports.size());
  out.number(number);
  for (const Report& report : reports) {
    out.bytes(report.user);
    out.number(report.nonce);
    write(out, {&report.tuple, 1});
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
    Report report;
    report.user = in.array<std::tuple_size_v<UserToken>>();
    report.nonce = in.number<std::uint64_t>();
    report.tuple = read_tuple(in);
    reports.push_back(report);
  }
  return number;
}

Payload encode(const Receipt& receipt) {
  ByteWriter out;
  out.number(receipt.number);
  for (const std::uint32_t count : {receipt.taken, receipt.bad_code, receipt.bad_arm, receipt.bad_reward}) {
    out.number(count);
  }
  return out.take();
}

std::optional<Receipt> decode_receipt(PayloadView payload) {
  ByteReader in(payload);
  Receipt receipt;
  receipt.number = in.number<std::uint64_t>();
  for (std::uint32_t* count : {&receipt.taken, &receipt.bad_code, &receipt.bad_arm, &receipt.bad_reward}) {
    *count = in.number<std::uint32_t>();
  }
  if (!in.at_end()) return std::nullopt;
  return receipt;
}

Payload encode(const SurvivorPart& part) {
  ByteWriter out(part_head + tuple_bytes * part.tuples.size());
  write_name(out, part.name);
  out.number(part.parts);
  write(out, part.tuples);
  return out.take();
}

std::optional<SurvivorPart> decode_part(PayloadView payload) {
  if (payload.size() < part_head || payload.size() > longest_part_message) return std::nullopt;
  ByteReader in(payload.first(part_head));
  SurvivorPart part;
  part.name = read_name(in);
  part.parts = in.number<std::uint32_t>();
  auto tuples = decode_tuples(payload.subspan(part_head));
  if (!tuples || part.name.batch == 0 || part.name.part >= part.parts) return std::nullopt;
  part.tuples = std::move(*tuples);
  return part;
}

Payload encode(const PartName& name) {
  ByteWriter out;
  write_name(out, name);
  return out.take();
}

std::optional<PartName> decode_part_name(PayloadView payload) {
  ByteReader in(payload);
  const PartName name = read_name(in);
  if (!in.at_end()) return std::nullopt;
  return name;
}

Payload encode_model(const P2bTerms& terms, PayloadView model) {
  ByteWriter out;
  write_terms(out, terms);
  out.bytes(model);
  return out.take();
}

std::optional<ModelMessage> decode_model(PayloadView payload) {
  if (payload.size() < terms_bytes) return std::nullopt;
  const auto terms = decode_p2b_terms(payload.first(terms_bytes));
  if (!terms) return std::nullopt;
  return ModelMessage{*terms, payload.subspan(terms_bytes)};
}

Payload encode_tuples(std::span<const Tuple> tuples) {
  ByteWriter out(tuple_bytes * tuples.size());
  write(out, tuples);
  return out.take();
}

std::optional<std::vector<Tuple>> decode_tuples(PayloadView payload) {
  if (payload.size() % tuple_bytes != 0) return std::nullopt;
  std::vector<Tuple> tuples(payload.size() / tuple_bytes);
  ByteReader in(payload);
  for (Tuple& tuple : tuples) tuple = read_tuple(in);
  return tuples;
}

}  // namespace sotto::apps
