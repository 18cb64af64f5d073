// Asks one role who it is: connects like a role of the run, asks, and receives the answer.
//
// Like the set-up of a run, an inquiry tries again if the peer is not there yet. Unlike the set-up of a run, an inquiry
// keeps what it has found out and never throws because of anything that the peer does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/transport/tcp/connector.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"

namespace sotto::net {

// An inquiry to a role, and the answer: the role, its version, its time and its parameters. A role that sets up its
// links answers, and so does a role that itself inquires.
//
//     magic "sotto/pr"  8 bytes     clock: microseconds since 1970, UTC     8 bytes
//     wire version      4           length and text of the version of sotto 4 + at most 64
//     sender            1           length and text of the parameters       4 + at most 64 KiB
//     what              1           length and text of the announcement     4 + at most 64 KiB
//     zero              2
//
// An inquiry and an answer have the same format. If certificates say who the roles are, inquiries and answers go only
// to roles of the run.

inline constexpr std::size_t longest_version = 64;
inline constexpr std::size_t longest_probe = 32 + longest_version + 2 * longest_text;

struct Probe {
  enum class What : std::uint8_t {
    inquiry = 0,
    role = 1,      // the answer of a role that sets up its links
    inquirer = 2,  // the answer of a role that itself inquires
  };
  using Clock = std::chrono::system_clock;

  std::uint32_t version = wire_version;
  NodeId sender = 0;
  What what = What::inquiry;
  std::chrono::microseconds clock{};  // since 1970
  std::string software;               // the version of sotto, such as "0.4.0"
  std::string parameters;             // as in the hello
  std::string announcement;           // as in the hello

  friend bool operator==(const Probe&, const Probe&) = default;
};

// The wall clock of this machine.
[[nodiscard]] std::chrono::microseconds wall_clock();

// Throws InputError if a text is longer than its limit.
[[nodiscard]] std::vector<std::byte> encode(const Probe& probe);

// Returns nothing if the bytes are not a probe. Only the version is read from a probe of another wire version.
[[nodiscard]] std::optional<Probe> decode_probe(std::span<const std::byte> payload);

class Inquiry {
 public:
  // The progress of the inquiry. All states except `unreachable` and `silent` are final.
  enum class State : std::uint8_t {
    unreachable,  // no address, no route, or nobody listens
    silent,       // the peer accepted the connection but has not answered
    not_trusted,  // one end does not trust the other's certificate
    no_sotto,     // the answer does not come from a role of sotto
    answered,
  };
  // `question` is sent with the time of sending. `io` and `config` must outlive this object. Each connection is wrapped
  // by the config's `wrap`. Throws InputError if the config has no address for `peer`.
  Inquiry(Io& io, const MeshConfig& config, NodeId peer, Probe question);

  // Must be called whenever `io` has run. `io` wakes when there is something to do.
  void make_progress();
  [[nodiscard]] bool done() const noexcept { return state_ > State::silent; }

  [[nodiscard]] NodeId peer() const noexcept { return peer_; }
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] const Address& address() const noexcept { return connector_.address(); }
  // True if the name of the peer's host is known.
  [[nodiscard]] bool resolved() const noexcept { return connector_.resolved(); }
  // True if a connection was made, which means that the port is open.
  [[nodiscard]] bool reached() const noexcept { return reached_; }
  // The reason why there is no answer, in one phrase that may follow "party 1 at 10.0.0.7:7100: ".
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  // The certificate that the peer has proved to hold; empty if the links have no certificates.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
  // The time when the peer's certificate expires.
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> valid_until() const noexcept {
    return valid_until_;
  }
  // True if the peer's certificate is the second one that is trusted for the role.
  [[nodiscard]] bool shows_next() const;

  // May be called only once the state is `answered`.
  [[nodiscard]] const Probe& answer() const { return answer_.value(); }
  // The time by which the peer's clock is ahead of this machine's clock. The value of ahead() may be off by
  // uncertainty(), which is half of the time that question and answer took.
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
  std::optional<Wait> wait_;      // waits for the link
  Clock::time_point gives_up_{};  // the end of the time for this connection
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
