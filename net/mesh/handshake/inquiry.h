// Asks one role who it is: connects as a role of the run would, asks, and hears.
//
// Like the set-up of a run it tries again where nobody is there yet; unlike it, it never throws for what the peer does,
// but keeps what it has found out.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "net/mesh/handshake/probe.h"
#include "net/transport/tcp/connector.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::net {

class Inquiry {
 public:
  // How far it has come. The later ones are final but for `unreachable` and `silent`.
  enum class State : std::uint8_t {
    unreachable,  // no address, no route, nobody listens
    silent,       // it took the connection, and has not answered
    not_trusted,  // one end does not trust the other's certificate
    no_sotto,     // what answers is no role of sotto
    answered,
  };
  // `question` is sent with the clock of the moment. Both references must outlive this; the config's wrap is put around
  // each connection. Throws InputError if the config has no address of `peer`.
  Inquiry(Io& io, const MeshConfig& config, NodeId peer, Probe question);

  // To be called whenever `io` has run, which wakes when there is something to do.
  void make_progress();
  [[nodiscard]] bool done() const noexcept { return state_ > State::silent; }

  [[nodiscard]] NodeId peer() const noexcept { return peer_; }
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] const Address& address() const noexcept { return connector_.address(); }
  // The name of its host is known.
  [[nodiscard]] bool resolved() const noexcept { return connector_.resolved(); }
  // A connection was made: the port is open.
  [[nodiscard]] bool reached() const noexcept { return reached_; }
  // Why it has no answer, in one phrase that may follow "party 1 at 10.0.0.7:7100: ".
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  // The certificate that the peer has proved to hold; empty where the links prove nothing.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
  // When it ends.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> valid_until() const noexcept {
    return valid_until_;
  }
  // It is the second one that is trusted for the role.
  [[nodiscard]] bool shows_next() const;

  // Once answered.
  [[nodiscard]] const Probe& answer() const { return answer_.value(); }
  // How far the peer's clock is ahead of this machine's, and how far that may be off: half of the time that question
  // and answer took.
  [[nodiscard]] std::chrono::microseconds ahead() const noexcept { return ahead_; }
  [[nodiscard]] std::chrono::microseconds uncertainty() const noexcept { return uncertainty_; }

 private:
  void ask(std::unique_ptr<ByteStream> stream);
  void post_question();
  void listen();
  void hear(const FrameHeader& header);
  void lose(State state, const std::string& trouble);
  void drop_link();

  Io* io_;
  const MeshConfig& config_;
  NodeId peer_;
  Probe question_;
  TcpConnector connector_;
  std::unique_ptr<Link> link_;
  std::optional<Wait> wait_;      // for the link
  Clock::time_point gives_up_{};  // on this connection
  Clock::time_point asked_{};
  State state_ = State::unreachable;
  bool reached_ = false;
  int asked_times_ = 0;
  std::string trouble_;
  std::string fingerprint_;
  std::optional<std::chrono::system_clock::time_point> valid_until_;
  std::optional<Probe> answer_;
  std::chrono::microseconds ahead_{};
  std::chrono::microseconds uncertainty_{};
};

}  // namespace sotto::net
