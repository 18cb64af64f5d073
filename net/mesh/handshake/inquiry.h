// Asks one role who it is, and never throws because of anything that the peer does.
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
    role = 1,      // an answer: the sender sets up its links
    inquirer = 2,  // an answer: the sender only inquires too
  };
  using Clock = std::chrono::system_clock;

  std::uint32_t version = wire_version;
  NodeId sender = 0;
  What what = What::inquiry;
  std::chrono::microseconds clock{};  // since 1970
  std::string software;               // such as "0.4.0"
  std::string parameters;
  std::string announcement;

  friend bool operator==(const Probe&, const Probe&) = default;
};

[[nodiscard]] std::chrono::microseconds wall_clock();

// Throws InputError if a text is longer than its limit.
[[nodiscard]] std::vector<std::byte> encode(const Probe& probe);

// Only the version is read from a probe of another wire version.
[[nodiscard]] std::optional<Probe> decode_probe(std::span<const std::byte> payload);

class Inquiry {
 public:
  // All states except `unreachable` and `silent` are final.
  enum class State : std::uint8_t {
    unreachable,  // nobody listens there
    silent,       // connected, but no answer
    not_trusted,
    no_sotto,  // answer of another program
    answered,
  };
  // `io` and `config` must outlive this object. Throws InputError if the config has no address for `peer`.
  Inquiry(Io& io, const MeshConfig& config, NodeId peer, Probe question);

  void make_progress();
  [[nodiscard]] bool done() const noexcept { return state_ > State::silent; }

  [[nodiscard]] NodeId peer() const noexcept { return peer_; }
  [[nodiscard]] State state() const noexcept { return state_; }
  [[nodiscard]] const Address& address() const noexcept { return connector_.address(); }
  [[nodiscard]] bool resolved() const noexcept { return connector_.resolved(); }
  [[nodiscard]] bool reached() const noexcept { return reached_; }
  // The text may follow "party 1 at 10.0.0.7:7100: ".
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }
  // Empty without certificates.
  [[nodiscard]] const std::string& fingerprint() const noexcept { return fingerprint_; }
  [[nodiscard]] std::optional<std::chrono::system_clock::time_point> valid_until() const noexcept {
    return valid_until_;
  }
  [[nodiscard]] bool shows_next() const;

  // To be called only in the state `answered`.
  [[nodiscard]] const Probe& answer() const { return answer_.value(); }
  // The time of the peer's clock less the time of this machine's clock. The error is at most uncertainty(), which is
  // half of the time that question and answer took.
  [[nodiscard]] std::chrono::microseconds ahead() const noexcept { return ahead_; }
  [[nodiscard]] std::chrono::microseconds uncertainty() const noexcept { return uncertainty_; }

 private:
  void ask(std::unique_ptr<ByteStream> stream);
  void post_question();
  void listen();
  void receive(const FrameHeader& header);
  void lose(State state, const std::string& trouble);
  void drop_link();

  Io* io_;
  const MeshConfig& config_;
  NodeId peer_;
  Probe question_;
  TcpConnector connector_;
  std::unique_ptr<Link> link_;
  std::optional<Wait> wait_;
  Clock::time_point gives_up_{};  // for this connection
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
