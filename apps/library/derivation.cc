#include "apps/library/form.h"

#include <fmt/format.h>

#include <algorithm>

#include "sotto/protocol/wire/coding.h"
#include "sotto/protocol/wire/hash.h"

namespace sotto::detail {
namespace {

constexpr std::size_t longest_line = 80;

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class Number>
void append(std::string& to, std::span<const Number> numbers) {
  ByteWriter writer;
  writer.numbers(numbers);
  to += text_of(writer.take());
}

std::string in_a_line(std::string_view whole) {
  std::string text(whole.substr(0, longest_line));
  if (text.size() < whole.size()) text += "...";
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return text;
}

}  // namespace

std::size_t Trace::operation(std::string_view what, const Digest& how) {
  all_ = sha256(text_of(all_) + text_of(how));
  if (operations_.size() < most_told) {
    operations_.push_back(fmt::format("{} [{}]", in_a_line(what), hex(std::span(how).first(4))));
  }
  return ++count_;
}

std::string Trace::digest(const Ledger& ledger) const {
  std::string all(text_of(all_));
  const auto add = [&all](const std::string& name, const Cost& cost) {
    all += fmt::format("\n{} {}: {} {} {}", name.size(), name, cost.rounds, fmt::join(cost.sent, " "), cost.dealt);
  };
  for (const Ledger::Phase& phase : ledger.phases()) {
    add(phase.name, phase.total);
    for (const RoundCost& round : phase.rounds) add(round.labels, round.cost);
  }
  return hex(sha256(all));
}

Derivation::Derivation(Session& session, std::string_view what) : trace_(SecretAccess::trace(session)), what_(what) {}

Derivation& Derivation::from(const Secret& x) {
  const Origin& origin = SecretAccess::form(x).origin;
  bits_ = std::min(bits_, origin.bits);
  if (trace_ == nullptr) return *this;
  operands_ += (operands_.empty() ? "" : ", ") + origin.text;
  made_of_ += text_of(origin.digest);
  return by(x.shape()).by(x.bits()).within(x.bound());
}

Derivation& Derivation::by(std::uint64_t number) { return by(std::span<const std::uint64_t>(&number, 1)); }

Derivation& Derivation::by(std::span<const std::uint64_t> numbers) {
  if (trace_ != nullptr) append(made_of_, numbers);
  return *this;
}

Derivation& Derivation::by(std::span<const std::uint32_t> places) {
  if (trace_ != nullptr) append(made_of_, places);
  return *this;
}

Derivation& Derivation::by(Shape shape) { return by(shape.rows).by(shape.columns); }

Derivation& Derivation::within(double number) {
  const auto shown = static_cast<float>(number);
  if (trace_ != nullptr) append(made_of_, std::span<const float>(&shown, 1));
  return *this;
}

Derivation& Derivation::rounded_to(unsigned bits) {
  bits_ = std::min(bits_, bits);
  return *this;
}

Derivation& Derivation::with(std::string_view how, double number) {
  if (trace_ != nullptr) what_ += fmt::format(" {} {:.6g}", how, number);
  return *this;
}

Origin Derivation::origin() const {
  if (trace_ == nullptr) return {{}, bits_, {}};
  std::string text = in_a_line(operands_.empty() ? what_ : fmt::format("{} ({})", what_, operands_));
  return {sha256(fmt::format("{}\n{}", what_, made_of_)), bits_, std::move(text)};
}

Origin origin_of_constant(Session& session, Shape shape, std::span<const std::uint64_t> words, unsigned bits,
                          bool whole) {
  return Derivation(session, "constant").by(shape).by(words).by(bits).rounded_to(whole ? exact_bits : bits).origin();
}

Origin Derivation::operation(Shape shape) {
  by(shape);
  Origin made = origin();
  if (trace_ == nullptr) return made;
  const std::string from = operands_.empty() ? "" : " from " + operands_;
  const std::size_t number = trace_->operation(fmt::format("{} of {}{}", what_, to_string(shape), from), made.digest);
  made.text = fmt::format("#{}", number);
  return made;
}

}  // namespace sotto::detail
