#include "sotto/apps/p2b/roles/messages.h"

#include <openssl/sha.h>

#include <bit>
#include <cstring>

#include "sotto/net/handshake/coding.h"

namespace sotto::apps {
namespace {

using net::Reader;
using net::Writer;

static_assert(std::endian::native == std::endian::little, "fields are copied as they are");

constexpr std::size_t terms_bytes = 24;

void put(std::byte*& at, const auto& value) {
  std::memcpy(at, &value, sizeof value);
  at += sizeof value;
}

template <class Value>
Value get(const std::byte*& at) {
  Value value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

void put_tuple(std::byte*& at, const Tuple& tuple) {
  put(at, static_cast<std::uint32_t>(tuple.code));
  put(at, static_cast<std::uint32_t>(tuple.arm));
  put(at, tuple.reward);
}

Tuple get_tuple(const std::byte*& at) {
  Tuple tuple;
  tuple.code = get<std::uint32_t>(at);
  tuple.arm = get<std::uint32_t>(at);
  tuple.reward = get<double>(at);
  return tuple;
}

void put_tuples(Payload& payload, std::span<const Tuple> tuples) {
  const std::size_t begin = payload.size();
  payload.resize(begin + tuple_bytes * tuples.size());
  std::byte* at = payload.data() + begin;
  for (const Tuple& tuple : tuples) put_tuple(at, tuple);
}

void write_terms(Writer& out, const P2bTerms& terms) {
  out.number(terms.codes);
  out.number(terms.arms);
  out.number(terms.p);
  out.number(terms.threshold);
}

P2bTerms read_terms(Reader& in) {
  P2bTerms terms;
  terms.codes = in.number<std::uint32_t>();
  terms.arms = in.number<std::uint32_t>();
  terms.p = in.number<double>();
  terms.threshold = in.number<std::uint64_t>();
  return terms;
}

void write_name(Writer& out, const PartName& name) {
  out.bytes(name.queue);
  out.number(name.batch);
  out.number(name.part);
}

PartName read_name(Reader& in) {
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
  Writer out;
  write_terms(out, terms);
  return out.take();
}

std::optional<P2bTerms> decode_p2b_terms(PayloadView payload) {
  Reader in(payload);
  const P2bTerms terms = read_terms(in);
  if (!in.at_end() || !fault_of(terms).empty()) return std::nullopt;
  return terms;
}

Payload encode_reports(std::uint64_t number, std::span<const Report> reports) {
  Payload payload(sizeof number + report_bytes * reports.size());
  std::byte* at = payload.data();
  put(at, number);
  for (const Report& report : reports) {
    put(at, report.user);
    put(at, report.nonce);
    put_tuple(at, report.tuple);
  }
  return payload;
}

std::optional<std::uint64_t> decode_reports(PayloadView payload, std::vector<Report>& reports) {
  constexpr std::size_t head = sizeof(std::uint64_t);
  if (payload.size() < head || payload.size() > longest_report_message ||
      (payload.size() - head) % report_bytes != 0) {
    return std::nullopt;
  }
  const std::byte* at = payload.data();
  const auto number = get<std::uint64_t>(at);
  const std::size_t count = (payload.size() - head) / report_bytes;
  reports.reserve(reports.size() + count);
  for (std::size_t i = 0; i < count; ++i) {
    Report report;
    report.user = get<UserToken>(at);
    report.nonce = get<std::uint64_t>(at);
    report.tuple = get_tuple(at);
    reports.push_back(report);
  }
  return number;
}

Payload encode(const Receipt& receipt) {
  Writer out;
  out.number(receipt.number);
  for (const std::uint32_t count :
       {receipt.taken, receipt.bad_code, receipt.bad_arm, receipt.bad_reward}) {
    out.number(count);
  }
  return out.take();
}

std::optional<Receipt> decode_receipt(PayloadView payload) {
  Reader in(payload);
  Receipt receipt;
  receipt.number = in.number<std::uint64_t>();
  for (std::uint32_t* count :
       {&receipt.taken, &receipt.bad_code, &receipt.bad_arm, &receipt.bad_reward}) {
    *count = in.number<std::uint32_t>();
  }
  if (!in.at_end()) return std::nullopt;
  return receipt;
}

Payload encode(const SurvivorPart& part) {
  Writer out;
  write_name(out, part.name);
  out.number(part.parts);
  Payload payload = out.take();
  put_tuples(payload, part.tuples);
  return payload;
}

std::optional<SurvivorPart> decode_part(PayloadView payload) {
  constexpr std::size_t head = 32;
  if (payload.size() < head || payload.size() > longest_part_message) return std::nullopt;
  Reader in(payload.first(head));
  SurvivorPart part;
  part.name = read_name(in);
  part.parts = in.number<std::uint32_t>();
  auto tuples = decode_tuples(payload.subspan(head));
  if (!tuples || part.name.batch == 0 || part.name.part >= part.parts) return std::nullopt;
  part.tuples = std::move(*tuples);
  return part;
}

Payload encode(const PartName& name) {
  Writer out;
  write_name(out, name);
  return out.take();
}

std::optional<PartName> decode_part_name(PayloadView payload) {
  Reader in(payload);
  const PartName name = read_name(in);
  if (!in.at_end()) return std::nullopt;
  return name;
}

Payload encode_model(const P2bTerms& terms, PayloadView model) {
  Writer out;
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
  Payload payload;
  put_tuples(payload, tuples);
  return payload;
}

std::optional<std::vector<Tuple>> decode_tuples(PayloadView payload) {
  if (payload.size() % tuple_bytes != 0) return std::nullopt;
  std::vector<Tuple> tuples(payload.size() / tuple_bytes);
  const std::byte* at = payload.data();
  for (Tuple& tuple : tuples) tuple = get_tuple(at);
  return tuples;
}

}  // namespace sotto::apps
