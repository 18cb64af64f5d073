// TLS 1.3 over any byte stream. The bytes that write_some accepts are encrypted and authenticated. They arrive in order
// and only once, or the stream is lost.
//
// OpenSSL reads from the stream below directly into its record buffer, and writes records directly from its own buffer.
// Output that the stream below does not take at once is kept by this object until push() sends the output: at most one
// call's records and an alert. To keep that bound, write_some accepts at most `most_records` records at a time, and no
// bytes while the stream still has output to send. A small head and body share one record.
//
// The handshake continues in read_some and write_some. If the stream ends without the close alert of TLS, it is lost,
// not closed: an attacker that cuts the wire cannot pretend that the peer had finished.
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

// Settings that the streams of one role share.
struct TlsSettings {
  std::string own_fingerprint;
  std::uint64_t records_per_key;
  bool release_buffers = false;  // release record buffers while no bytes come or go
  bool asks_clients = true;      // ask clients for a certificate
  bool takes_anyone = false;     // accept any peer that connects, whatever its certificate
  // The advice if the called peer shows a certificate other than the trusted one.
  std::string advice =
      "ask its owner which is right (`sotto keys show` prints it), and enter it with `sotto keys trust`, or give it to "
      "--trust";
};

class TlsStream final : public ByteStream {
 public:
  static constexpr std::size_t record_bytes = 16 * 1024;  // the most that TLS allows
  static constexpr std::size_t most_records = 4;

  // `accepted` says whether the peer connected. The peer must hold one of the certificates `trusted`. Throws
  // ResourceError if OpenSSL has no memory.
  TlsStream(std::unique_ptr<ByteStream> inner, ssl_ctx_st* context, std::shared_ptr<const TlsSettings> settings,
            bool accepted, std::vector<std::string> trusted);
  ~TlsStream() override;
  // Checks the peer's certificate. The context installs this function in OpenSSL, in place of the search for
  // authorities.
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
  struct Callbacks;  // the functions that OpenSSL calls
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

  // These functions move bytes between OpenSSL and the stream below.
  std::ptrdiff_t fetch(std::span<std::byte> into);
  void deliver(std::span<const std::byte> record);
  void clear_output() noexcept;

  std::unique_ptr<ByteStream> inner_;
  std::shared_ptr<const TlsSettings> settings_;
  std::vector<std::string> trusted_;
  bool accepted_;
  std::unique_ptr<ssl_st, FreeSession> session_;
  std::exception_ptr thrown_;  // thrown inside a callback; must not pass through OpenSSL

  bool begun_ = false;        // the handshake has begun
  bool established_ = false;  // the handshake is done
  bool broken_ = false;       // OpenSSL will do nothing more
  bool refused_ = false;
  bool closed_ = false;  // closed by this role
  std::string failure_;
  std::string peer_fingerprint_;
  WallTime peer_valid_until_{};
  std::string objection_;

  // Receiving.
  std::optional<State> read_end_;
  std::optional<State> inner_end_;  // how the stream below ended
  bool may_fetch_ = true;           // the stream below may be read
  bool starved_ = false;            // a read found no bytes in the stream below
  bool is_last_ = false;            // the last read took all bytes of the stream below
  bool more_here_ = false;          // OpenSSL may have more bytes to read

  // Sending.
  std::vector<std::byte> out_;  // records that the stream below has not taken
  std::size_t out_begin_ = 0;
  std::vector<std::byte> joined_;  // head and body of a small frame
  bool more_follow_ = false;       // keep the record: it is sent together with the next one
  bool write_lost_ = false;
  bool ending_ = false;
  bool ended_ = false;
  std::uint64_t records_ = 0;
};

// OpenSSL's errors, in words for the people at the two ends of a link.

struct TlsError {
  std::string text;      // one phrase that can follow "party 1 was lost: "
  bool refused = false;  // one end does not trust the other's certificate
};

// `code` comes from OpenSSL's queue of errors. `in_handshake` says whether the link was still being set up.
// `own_fingerprint` is the certificate that this role showed.
[[nodiscard]] TlsError explain_tls_error(unsigned long code, bool in_handshake, const std::string& own_fingerprint);

}  // namespace sotto::net
