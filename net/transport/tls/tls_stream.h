// TLS 1.3 over any byte stream. Bytes arrive in order and only once, or the stream is lost.
//
// TlsStream stores output that the stream below does not accept at once, and push() sends the stored output. To bound
// the stored output, write_some accepts at most `most_records` records at a time, and no bytes while output is stored.
//
// The handshake continues in read_some and write_some. A stream that ends without the close alert of TLS is lost, not
// closed, so an attacker that cuts the wire cannot pretend that the peer had finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sotto/protocol/transport/stream.h"
#include "sotto/protocol/transport/tls/identity.h"

struct ssl_ctx_st;
struct ssl_st;
struct x509_store_ctx_st;

namespace sotto::net {

struct TlsSettings {
  std::string own_fingerprint;
  std::uint64_t records_per_key;
  bool release_buffers = false;  // while idle
  bool asks_clients = true;      // for a certificate
  bool takes_anyone = false;     // any certificate
  // The advice in an error about a peer that shows another certificate.
  std::string advice =
      "ask its owner which is right (`sotto keys show` prints it), and enter it with `sotto keys trust`, or give it to "
      "--trust";
};

class TlsStream final : public ByteStream {
 public:
  static constexpr std::size_t record_bytes = 16 * 1024;  // limit of TLS
  static constexpr std::size_t most_records = 4;

  // `trusted` are the acceptable fingerprints. Throws ResourceError if OpenSSL has no memory.
  TlsStream(std::unique_ptr<ByteStream> inner, ssl_ctx_st* context, std::shared_ptr<const TlsSettings> settings,
            bool accepted, std::vector<std::string> trusted);
  ~TlsStream() override;
  // Called by OpenSSL.
  static int check_certificate(x509_store_ctx_st* shown, void* unused);

  [[nodiscard]] Transfer read_some(std::span<std::byte> into) override;
  [[nodiscard]] Transfer write_some(std::span<const std::byte> head, std::span<const std::byte> body) override;
  [[nodiscard]] bool push() override;
  [[nodiscard]] bool holds_output() const override;
  [[nodiscard]] Waitable wait_for(bool reading, bool writing) const override;
  void end_writing() noexcept override;
  void close() noexcept override;
  [[nodiscard]] std::string failure() const override { return failure_; }
  [[nodiscard]] std::string peer_fingerprint() const override;
  [[nodiscard]] std::optional<WallTime> peer_valid_until() const override;
  [[nodiscard]] bool refused() const override { return refused_; }

 private:
  struct Callbacks;
  friend struct Callbacks;
  struct FreeSession {
    void operator()(ssl_st* session) const noexcept;
  };

  bool shake_hands();
  bool encrypt(std::span<const std::byte> plain);
  bool take_new_key();
  void break_session(int error);
  void explain_failure(int error);
  void rethrow();
  [[nodiscard]] bool trusts(const std::string& fingerprint) const;
  [[nodiscard]] std::optional<std::string> objection(const Certificate& shown) const;

  std::ptrdiff_t fetch(std::span<std::byte> into);
  void deliver(std::span<const std::byte> record);
  void clear_output() noexcept;

  std::unique_ptr<ByteStream> inner_;
  std::shared_ptr<const TlsSettings> settings_;
  std::vector<std::string> trusted_;
  bool accepted_;
  std::unique_ptr<ssl_st, FreeSession> session_;
  std::exception_ptr thrown_;  // must not pass through OpenSSL

  bool begun_ = false;
  bool established_ = false;
  bool broken_ = false;  // OpenSSL has failed
  bool refused_ = false;
  bool closed_ = false;  // by this role
  std::string failure_;
  std::string peer_fingerprint_;
  WallTime peer_valid_until_{};
  std::string objection_;

  std::optional<State> read_end_;
  std::optional<State> inner_end_;  // how the inner stream ended
  bool may_fetch_ = true;           // the inner stream may be read
  bool starved_ = false;            // the inner stream had no bytes
  bool is_last_ = false;            // the last read emptied the inner stream
  bool more_here_ = false;          // OpenSSL may have bytes

  std::vector<std::byte> out_;  // records not accepted yet
  std::size_t out_begin_ = 0;
  std::vector<std::byte> joined_;  // joins the parts of a small frame
  bool more_follow_ = false;       // another record follows, so deliver() only stores
  bool write_lost_ = false;
  bool ending_ = false;
  bool ended_ = false;
  std::uint64_t records_ = 0;
};

struct TlsError {
  std::string text;      // such as "it shows no certificate"
  bool refused = false;  // a refused certificate
};

// `code` is from OpenSSL's queue of errors. `own_fingerprint` is the fingerprint of the certificate that this role
// showed.
[[nodiscard]] TlsError explain_tls_error(unsigned long code, bool in_handshake, const std::string& own_fingerprint);

}  // namespace sotto::net
