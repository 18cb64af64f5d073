#include "apps/bandit/model/sites.h"

#include <stdexcept>
#include <string>
#include <string_view>

#include "sotto/protocol/wire/coding.h"

namespace sotto::apps::bandit {
namespace {

template <class Part>
Part& brought(Part* part, const char* otherwise) {
  if (part == nullptr) throw std::logic_error(otherwise);
  return *part;
}

net::Digest sha256_of(std::span<const std::byte> bytes) {
  return net::sha256(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

}  // namespace

void Arms::pull(std::uint64_t, std::size_t) { throw std::logic_error("this role pulls no arm"); }
std::size_t Arms::logged_arm(std::uint64_t) { throw std::logic_error("this role has no log"); }
std::size_t Arms::logged_cell(std::uint64_t) { throw std::logic_error("this role has no log"); }
void CountNoise::draw_gram_noise(std::size_t, unsigned, std::span<std::uint64_t>) {
  throw std::logic_error("this role adds no noise in learning");
}

void CountNoise::draw_target_noise(unsigned, std::span<std::uint64_t>) {
  throw std::logic_error("this role adds no noise in learning");
}

void Arms::counts_shown(const OpenedCounts&) { throw std::logic_error("this role has no log"); }
CountQuestion Arms::count_question() { throw std::logic_error("this role has no log"); }
void Arms::question_answered(bool) { throw std::logic_error("this role has no log"); }

void Rewards::rewards(std::uint64_t first, std::span<std::uint64_t> out) {
  for (std::uint64_t& word : out) word = reward(first++);
}

Contexts& BanditSite::contexts() const { return brought(contexts_, "this role has no features"); }
Arms& BanditSite::arms() const { return brought(arms_, "this role pulls no arm"); }
Rewards& BanditSite::rewards() const { return brought(rewards_, "this role gets no reward"); }
CountNoise& BanditSite::count_noise() const { return brought(count_noise_, "this role adds no noise"); }
BestShares& BanditSite::best_shares() const { return brought(best_shares_, "this role has no shares of best arms"); }

void BanditSite::step_begins(std::uint64_t step) const {
  for (StepObserver* const observer : observers_) observer->step_begins(step);
}
void BanditSite::decided(std::uint64_t first, std::size_t steps) const {
  for (StepObserver* const observer : observers_) observer->decided(first, steps);
}
void BanditSite::step_done(std::uint64_t step) const {
  for (StepObserver* const observer : observers_) observer->step_done(step);
}

CheckpointId checkpoint_id(const CheckpointPlace& place, const net::Digest& public_words) {
  ByteWriter writer;
  writer.text("sotto checkpoint");
  writer.bytes(place.before);
  writer.bytes(place.session);
  writer.number(place.epoch);
  writer.number(place.steps);
  writer.bytes(public_words);
  return sha256_of(writer.take());
}

net::Digest digest_of(std::span<const std::uint64_t> words) { return sha256_of(std::as_bytes(words)); }

}  // namespace sotto::apps::bandit
