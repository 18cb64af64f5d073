#include "apps/live/order/entry.h"

#include <algorithm>
#include <string_view>

namespace sotto::apps::live {
namespace {

constexpr std::size_t most_arms = 1 << 10;
// Kinds that are only in encoded entries, not in EntryKind.
constexpr std::uint8_t secret_decide = 6;
constexpr std::uint8_t learn_from = 7;
constexpr std::uint8_t copy_from = 2;
constexpr std::uint8_t most_sum_bits = 62;

void refuse(ByteReader& in) { (void)in.bytes(in.left() + 1); }  // makes all further reads from `in` fail

bool are_different(std::vector<EventId> events) {
  std::sort(events.begin(), events.end());
  return std::adjacent_find(events.begin(), events.end()) == events.end();
}

template <class T>
bool are_ascending(const std::vector<T>& values) {
  return std::adjacent_find(values.begin(), values.end(), [](const T& a, const T& b) { return !(a < b); }) ==
         values.end();
}

bool is_valid_decide(const OrderEntry& e) {
  const auto in_batch = [&](const BarredArm& b) { return b.place < e.events.size() && b.arm < most_arms; };
  return e.program >= 1 && e.shape.size >= 1 && e.shape.size <= largest_decide && e.events.size() <= e.shape.size &&
         are_different(e.events) && (e.subjects.empty() || e.subjects.size() == e.events.size()) &&
         std::all_of(e.subjects.begin(), e.subjects.end(), is_subject) && are_ascending(e.barred) &&
         std::all_of(e.barred.begin(), e.barred.end(), in_batch) && e.cut_off <= longest_cut_off && e.batches.empty();
}

bool is_valid_learn(const OrderEntry& e) {
  return e.program >= 1 && e.shape.size >= 1 && e.shape.size <= largest_decide && !e.batches.empty() &&
         e.batches.size() <= e.shape.size && are_ascending(e.batches) && e.batches.front() >= 1 &&
         e.batches.back() < e.number && e.events.empty() && e.subjects.empty() && e.barred.empty() && e.cut_off == 0 &&
         !e.shape.secret;
}

bool is_bare(const OrderEntry& e) {
  return e.program == 0 && e.shape.size == 0 && e.events.empty() && e.subjects.empty() && e.barred.empty() &&
         e.batches.empty() && e.cut_off == 0 && !e.shape.secret;
}

bool is_valid_recovery(const OrderEntry& e) {
  const OrderRecovery& r = e.recovery;
  const bool has_model = r.model != bandit::CheckpointId{} || r.learned != 0;
  const bool has_kept_id = r.kept_id != bandit::CheckpointId{};
  return is_bare(e) && e.before == bandit::CheckpointId{} && (r.snapshot || r.actor || r.rewarder) &&
         r.kept < e.number && !((has_model || r.from.any()) && !r.snapshot) &&
         !(has_kept_id && (r.snapshot || r.kept == 0));
}

net::Digest sha256_of(const std::vector<std::byte>& bytes) {
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

bool is_subject(std::string_view text) {
  return !text.empty() && text.size() <= longest_subject &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

const char* name_of(EntryKind kind) {
  switch (kind) {
    case EntryKind::decide:
      return "decide";
    case EntryKind::learn:
      return "learn";
    case EntryKind::mode:
      return "mode";
    case EntryKind::snapshot:
      return "snapshot";
    case EntryKind::recovery:
      break;
  }
  return "recovery";
}

const char* name_of(LiveMode mode) {
  return mode == LiveMode::online ? "online" : mode == LiveMode::apprentice ? "apprentice" : "frozen";
}

bool is_valid(const OrderEntry& e) {
  if (e.number < 1 || e.number > last_number) return false;
  if (e.mode < LiveMode::online || e.mode > LiveMode::frozen) return false;
  if (e.shape.kind != EntryKind::recovery && e.recovery != OrderRecovery{}) return false;
  switch (e.shape.kind) {
    case EntryKind::decide:
      return e.mode == LiveMode::online && is_valid_decide(e);
    case EntryKind::learn:
      return e.mode == LiveMode::online && is_valid_learn(e);
    case EntryKind::mode:
      return is_bare(e);
    case EntryKind::snapshot:
      return e.mode == LiveMode::online && is_bare(e);
    case EntryKind::recovery:
      return is_valid_recovery(e);
  }
  return false;
}

void write(ByteWriter& out, const bandit::SumBits& bits) {
  out.octet(bits.gram);
  out.octet(bits.targets);
}

bandit::SumBits read_optional_sum_bits(ByteReader& in) {
  bandit::SumBits bits;
  bits.gram = in.octet();
  bits.targets = in.octet();
  const auto fits = [](std::uint8_t count) { return count >= 1 && count <= most_sum_bits; };
  if (bits.any() && (!fits(bits.gram) || !fits(bits.targets))) refuse(in);
  return bits;
}

bandit::SumBits read_sum_bits(ByteReader& in) {
  const bandit::SumBits bits = read_optional_sum_bits(in);
  if (!bits.any()) refuse(in);
  return bits;
}

void write(ByteWriter& out, const OrderRecovery& recovery) {
  out.octet(recovery.from.any() ? copy_from : recovery.snapshot ? 1 : 0);
  out.octet(recovery.actor ? 1 : 0);
  out.octet(recovery.rewarder ? 1 : 0);
  out.bytes(recovery.model);
  out.number(recovery.learned);
  out.number(recovery.kept);
  out.bytes(recovery.kept_id);
  if (recovery.from.any()) write(out, recovery.from);
}

OrderRecovery read_recovery(ByteReader& in) {
  OrderRecovery recovery;
  const std::uint8_t snapshot = in.octet();
  if (snapshot > copy_from) refuse(in);
  recovery.snapshot = snapshot != 0;
  recovery.actor = in.flag();
  recovery.rewarder = in.flag();
  recovery.model = in.array<sizeof(bandit::CheckpointId)>();
  recovery.learned = in.number<std::uint64_t>();
  recovery.kept = in.number<OrderNumber>();
  recovery.kept_id = in.array<sizeof(bandit::CheckpointId)>();
  if (snapshot == copy_from) recovery.from = read_sum_bits(in);
  return recovery;
}

void write(ByteWriter& out, const ProgramShape& shape) {
  out.octet(shape.secret ? secret_decide : shape.from.any() ? learn_from : static_cast<std::uint8_t>(shape.kind));
  out.number(shape.size);
  if (shape.from.any()) write(out, shape.from);
}

ProgramShape read_shape(ByteReader& in) {
  ProgramShape shape;
  const std::uint8_t kind = in.octet();
  shape.secret = kind == secret_decide;
  shape.kind = shape.secret ? EntryKind::decide : kind == learn_from ? EntryKind::learn : static_cast<EntryKind>(kind);
  shape.size = in.number<std::uint32_t>();
  if (kind == learn_from) shape.from = read_sum_bits(in);
  return shape;
}

void write(ByteWriter& out, const OrderEntry& e) {
  out.number(e.number);
  out.number(e.program);
  write(out, e.shape);
  out.number(e.cut_off);
  out.bytes(e.before);
  out.number(std::uint64_t{e.events.size()});
  for (const EventId& event : e.events) out.bytes(event);
  out.number(std::uint64_t{e.subjects.size()});
  for (const std::string& subject : e.subjects) out.long_text(subject);
  out.number(std::uint64_t{e.barred.size()});
  for (const BarredArm& barred : e.barred) {
    out.number(barred.place);
    out.number(barred.arm);
  }
  out.numbers(std::span(e.batches));
  out.number(e.mode);
  if (e.shape.kind == EntryKind::recovery) write(out, e.recovery);
}

OrderEntry read_entry(ByteReader& in) {
  OrderEntry e;
  e.number = in.number<OrderNumber>();
  e.program = in.number<std::uint64_t>();
  e.shape = read_shape(in);
  e.cut_off = in.number<std::uint32_t>();
  e.before = in.array<sizeof(bandit::CheckpointId)>();
  e.events.resize(in.length(sizeof(EventId)));
  for (EventId& event : e.events) event = in.array<sizeof(EventId)>();
  e.subjects.resize(in.length(sizeof(std::uint32_t)));
  for (std::string& subject : e.subjects) subject = in.long_text(longest_subject);
  e.barred.resize(in.length(sizeof(std::uint32_t) + sizeof(std::uint16_t)));
  for (BarredArm& barred : e.barred) {
    barred.place = in.number<std::uint32_t>();
    barred.arm = in.number<std::uint16_t>();
  }
  e.batches = in.numbers<OrderNumber>();
  e.mode = static_cast<LiveMode>(in.octet());
  if (e.shape.kind == EntryKind::recovery) e.recovery = read_recovery(in);
  if (!in.ok() || !is_valid(e)) refuse(in);
  return e;
}

std::vector<std::byte> encode(const OrderEntry& entry) {
  ByteWriter out;
  write(out, entry);
  return out.take();
}

std::optional<OrderEntry> decode_entry(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  OrderEntry entry = read_entry(in);
  if (!in.at_end()) return std::nullopt;
  return entry;
}

net::Digest digest_of(const OrderEntry& entry) { return sha256_of(encode(entry)); }

bandit::CheckpointId order_id(const OrderPlace& place, OrderNumber number, const net::Digest& entry,
                              const net::Digest& public_words) {
  ByteWriter out;
  out.text("sotto order");
  out.bytes(place.before);
  out.bytes(place.session);
  out.number(place.epoch);
  out.number(number);
  out.bytes(entry);
  out.bytes(public_words);
  return sha256_of(out.take());
}

}  // namespace sotto::apps::live
