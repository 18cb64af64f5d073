#include "sotto/protocol/mesh/driver/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

constexpr std::chrono::milliseconds between_words{2000};
constexpr std::chrono::milliseconds between_looks{100};
constexpr std::chrono::milliseconds longest_poll{100};  // a signal just before the poll does not end the poll
constexpr std::size_t progress_bytes = 1024;

}  // namespace

Watch::Watch(const Mesh& mesh, const DriverOptions& options)
    : links_(mesh.links()),
      options_(options),
      usual_spin_time_(options.spin.value_or(spin_time(mesh.topology().parties()))),
      spin_time_(usual_spin_time_),
      longest_chain_(options.round_deadline * (links_.size() + 2)),
      last_heard_(links_.size(), Clock::now()),
      progress_(links_.size(), Progress{Clock::now()}),
      between_words_(std::min(between_words, options.round_deadline / 4)),
      next_look_(Clock::now() + between_looks),
      next_word_(Clock::now() + between_words_) {
  waitables_.reserve(links_.size() + 2);
}

void Watch::lost(const Link& link, std::uint64_t round) const {
  throw NetworkError(
      link.name(), fmt::format("{} was lost in round {}: {}; it crashed, was killed or was cut off, see its own output",
                               link.name(), round, link.loss()));
}

void Watch::silent(const Link& link, std::uint64_t round) const {
  throw NetworkError(link.name(),
                     fmt::format("{} has sent nothing for {:.3g} s in round {}: it hangs, or the way to it is cut",
                                 link.name(), std::chrono::duration<double>(options_.round_deadline).count(), round));
}

void Watch::stuck(const Link& link, std::uint64_t round) const {
  const double seconds = std::chrono::duration<double>(longest_chain_).count();
  throw ProtocolError(ProtocolError::Kind::truncated, link.name(), round,
                      fmt::format("{} has not gone on for {:.3g} s in round {}, though it says that it waits: it runs "
                                  "another program, or holds back what it owes",
                                  link.name(), seconds, round));
}

void Watch::passed(const Link& link, std::uint64_t round) const {
  throw ProtocolError(ProtocolError::Kind::truncated, link.name(), round,
                      fmt::format("{} says that it is in round {} but has left out its frame of round {}: it runs "
                                  "another program, or another version",
                                  link.name(), link.announced_round(), round));
}

void Watch::note_progress(std::size_t i, Clock::time_point now) {
  const Link& link = *links_[i];
  Progress& progress = progress_[i];
  const std::size_t bytes = link.data_here();
  if (link.announced_round() > progress.round || bytes >= progress.bytes + progress_bytes) {
    progress = {now, link.announced_round(), bytes};
  } else {
    progress.bytes = std::min(progress.bytes, bytes);  // a new frame begins with fewer bytes
  }
}

bool Watch::receive(std::size_t i, Clock::time_point now) {
  if (!links_[i]->take_sign_of_life()) return false;
  last_heard_[i] = now;
  note_progress(i, now);
  return true;
}

void Watch::check_not_lost(const Link& link, std::uint64_t round) const {
  if (!link.holds_data() && link.closed() && !link.finished()) lost(link, round);
}

void Watch::speak(LinkSet awaited, std::uint64_t round, Clock::time_point now) {
  next_look_ = now + between_looks;
  if (options_.interrupted != nullptr && options_.interrupted->load()) throw Interrupted();
  const bool is_due = now >= next_word_;
  if (is_due) next_word_ = now + between_words_;
  for (const auto& each : links_) {
    Link& link = *each;
    if (is_due && !link.posting() && !link.closed()) {
      const NodeId whom = awaited == 0 ? nobody : links_[static_cast<std::size_t>(std::countr_zero(awaited))]->peer();
      const std::byte word{whom};
      link.post(FrameType::waiting, round, std::span(&word, 1));
    }
    link.flush();
  }
}

bool Watch::look(LinkSet awaited, std::uint64_t round) {
  const Clock::time_point now = Clock::now();
  bool received = false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    (void)links_[i]->next();
    received = receive(i, now) || received;
    check_not_lost(*links_[i], round);
  }
  speak(awaited, round, now);
  return received;
}

void Watch::wait(LinkSet awaited, std::uint64_t round, Clock::time_point start, Clock::time_point now) {
  // The function look() moves bytes from the links into buffers, and poll() does not see bytes in buffers.
  if (look(awaited, round)) return;
  waitables_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = *links_[i];
    const bool wanted = (awaited >> i & 1) != 0;
    if (wanted && now - std::max(start, last_heard_[i]) >= options_.round_deadline) silent(link, round);
    if (wanted && now - std::max(start, progress_[i].at) >= longest_chain_) stuck(link, round);
    waitables_.push_back(link.wait_for(wanted || reads(i)));
  }
  wait_any(waitables_, std::min<std::chrono::nanoseconds>(longest_poll, between_words_));
}

bool Watch::idle(std::uint64_t round, int wake, Clock::time_point end) {
  speak(0, round, Clock::now());
  waitables_.clear();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    check_not_lost(*links_[i], round);
    waitables_.push_back(links_[i]->wait_for(reads(i) && !links_[i]->finished()));
  }
  waitables_.push_back({wake, wake >= 0, false});
  waitables_.push_back({-1, false, false, end});
  const std::uint64_t ready = wait_any(waitables_, std::min<std::chrono::nanoseconds>(longest_poll, between_words_));
  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = *links_[i];
    if ((ready >> i & 1) != 0) (void)links_[i]->next();
    (void)receive(i, now);
    if (reads(i) && !link.finished() && now - last_heard_[i] >= options_.round_deadline) silent(link, round);
  }
  return (ready >> links_.size() & 1) != 0;
}

}  // namespace sotto::net
