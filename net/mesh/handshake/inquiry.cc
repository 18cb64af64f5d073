#include "net/mesh/handshake/inquiry.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/wire/coding.h"

namespace sotto::net {
namespace {

// An inquiry asks twice and measures the clock with the second answer, because the first answer includes the time for
// setting up the link.
constexpr int questions = 2;

const Address& address_of(const MeshConfig& config, NodeId peer) {
  const auto found = config.addresses.find(peer);
  if (found == config.addresses.end()) {
    throw InputError(fmt::format("no address is given for {}", peer_name(config.topology, peer)));
  }
  return found->second;
}

constexpr std::string_view probe_magic = "sotto/pr";

}  // namespace

Inquiry::Inquiry(Io& io, const MeshConfig& config, NodeId peer, Probe question)
    : io_(&io),
      config_(config),
      peer_(peer),
      question_(std::move(question)),
      connector_(io, address_of(config, peer)) {}

void Inquiry::make_progress() {
  if (done()) return;
  if (!link_) {
    if (auto stream = connector_.take()) {
      ask(std::move(stream));
    } else if (!connector_.last_failure().empty()) {
      trouble_ = connector_.last_failure();
    }
  }
  if (link_) listen();
  if (!link_) return;
  Waitable wanted = link_->wait_for(true);
  wanted.ready_at = std::min(wanted.ready_at, gives_up_);
  wait_->wait(wanted);
}

void Inquiry::ask(std::unique_ptr<ByteStream> stream) {
  if (config_.wrap) stream = config_.wrap(std::move(stream), false, peer_);
  link_ = std::make_unique<Link>(peer_, config_.topology, std::move(stream));
  wait_.emplace(*io_, [] {});
  reached_ = true;
  state_ = State::silent;
  trouble_ = "it took the connection and says nothing";
  gives_up_ = Clock::now() + config_.hello_deadline;
  asked_times_ = 0;
  post_question();
}

bool Inquiry::shows_next() const {
  const auto first = config_.certificates.find(peer_);
  return !fingerprint_.empty() && first != config_.certificates.end() && first->second != fingerprint_;
}

void Inquiry::post_question() {
  ++asked_times_;
  question_.clock = wall_clock();
  asked_ = Clock::now();
  link_->post(FrameType::probe, 0, encode(question_));
}

void Inquiry::listen() {
  try {
    link_->flush();
    const auto header = link_->next();
    if (header) {
      receive(*header);
    } else if (link_->closed()) {
      fingerprint_ = link_->peer_fingerprint();
      lose(link_->refused() ? State::not_trusted : State::silent, link_->loss());
    } else if (Clock::now() >= gives_up_) {
      lose(State::silent, trouble_);
    }
  } catch (const RemoteFailure& failure) {
    lose(State::silent, failure.what());
  } catch (const ProtocolError&) {
    lose(State::no_sotto, "what answers there is no sotto: another program holds the port");
  }
}

void Inquiry::receive(const FrameHeader& header) {
  if (header.type != FrameType::probe || header.length > longest_probe) {
    return lose(State::no_sotto, "what answers there is no sotto that knows this question");
  }
  if (!link_->receive(header.length)) return;
  std::optional<Probe> answer = decode_probe(link_->payload(header.length));
  if (!answer || answer->what == Probe::What::inquiry) return lose(State::no_sotto, "it sent a malformed answer");
  link_->consume(header.length);
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - asked_);
  fingerprint_ = link_->peer_fingerprint();
  valid_until_ = link_->peer_valid_until();
  uncertainty_ = took / 2;
  ahead_ = answer->clock - (question_.clock + uncertainty_);
  answer_ = std::move(answer);
  if (answer_->version == wire_version && asked_times_ < questions) return post_question();
  state_ = State::answered;
  trouble_.clear();
  drop_link();
}

void Inquiry::lose(State state, const std::string& trouble) {
  if (answer_) state = State::answered;  // one answer is enough
  state_ = state;
  trouble_ = state == State::answered ? "" : trouble;
  drop_link();
  if (!done()) connector_.failed(trouble);
}

void Inquiry::drop_link() {
  wait_.reset();
  link_.reset();
}

std::chrono::microseconds wall_clock() {
  return std::chrono::duration_cast<std::chrono::microseconds>(Probe::Clock::now().time_since_epoch());
}

std::vector<std::byte> encode(const Probe& probe) {
  if (probe.software.size() > longest_version || probe.parameters.size() > longest_text ||
      probe.announcement.size() > longest_text) {
    throw InputError(fmt::format("the parameters of a run are longer than {} bytes", longest_text));
  }
  ByteWriter writer;
  writer.text(probe_magic);
  writer.number(probe.version);
  writer.octet(probe.sender);
  writer.octet(static_cast<std::uint8_t>(probe.what));
  writer.zeros(2);
  writer.number(std::int64_t{probe.clock.count()});
  writer.long_text(probe.software);
  writer.long_text(probe.parameters);
  writer.long_text(probe.announcement);
  return writer.take();
}

std::optional<Probe> decode_probe(std::span<const std::byte> payload) {
  ByteReader reader(payload);
  reader.expect(probe_magic);
  Probe probe;
  probe.version = reader.number<std::uint32_t>();
  if (!reader.ok()) return std::nullopt;
  if (probe.version != wire_version) return probe;
  probe.sender = reader.octet();
  const std::uint8_t what = reader.octet();
  reader.zeros(2);
  probe.clock = std::chrono::microseconds(reader.number<std::int64_t>());
  probe.software = reader.long_text(longest_version);
  probe.parameters = reader.long_text();
  probe.announcement = reader.long_text();
  if (!reader.at_end() || what > static_cast<std::uint8_t>(Probe::What::inquirer)) return std::nullopt;
  probe.what = static_cast<Probe::What>(what);
  return probe;
}

}  // namespace sotto::net
