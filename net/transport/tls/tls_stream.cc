#include "net/transport/tls/tls_stream.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <utility>

#include "sotto/protocol/error/errors.h"

namespace sotto::net {
namespace {

// A peer that sends only key updates must not keep a role from serving its other links.
constexpr int most_reads_at_once = 16;
constexpr int most_discards = 64;
// Limits the bytes of OpenSSL's own answers that are stored while the peer does not read them.
constexpr std::size_t most_held = 2 * TlsStream::most_records * TlsStream::record_bytes;

constexpr std::span<const std::byte> none;

// OpenSSL needs an empty error queue before each call that may fail. Emptying a queue that is already empty would take
// a tenth of the time of a small record.
void forget_errors() noexcept {
  if (ERR_peek_error() != 0) ERR_clear_error();
}

}  // namespace

// The callbacks of OpenSSL's C interface need private members.
struct TlsStream::Callbacks {
  static TlsStream& stream_of(BIO* bio) { return *static_cast<TlsStream*>(BIO_get_data(bio)); }

  static int read(BIO* bio, char* into, int size) {
    BIO_clear_retry_flags(bio);
    TlsStream& stream = stream_of(bio);
    try {
      const std::ptrdiff_t bytes =
          stream.fetch(std::as_writable_bytes(std::span(into, static_cast<std::size_t>(std::max(size, 0)))));
      if (bytes < 0 && !stream.inner_end_) BIO_set_retry_read(bio);
      return static_cast<int>(bytes);
    } catch (...) {
      stream.thrown_ = std::current_exception();
      return -1;
    }
  }

  static int write(BIO* bio, const char* from, int size) {
    BIO_clear_retry_flags(bio);
    TlsStream& stream = stream_of(bio);
    try {
      stream.deliver(std::as_bytes(std::span(from, static_cast<std::size_t>(std::max(size, 0)))));
      return size;
    } catch (...) {
      stream.thrown_ = std::current_exception();
      return -1;
    }
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_FLUSH) return 1;
    if (command == BIO_CTRL_EOF) return stream_of(bio).inner_end_ == State::closed ? 1 : 0;
    return 0;
  }

  static BIO_METHOD* method() {
    static BIO_METHOD* const made = [] {
      BIO_METHOD* const m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "byte stream");
      if (m == nullptr) throw ResourceError("OpenSSL has no memory");
      BIO_meth_set_read(m, read);
      BIO_meth_set_write(m, write);
      BIO_meth_set_ctrl(m, control);
      return m;
    }();
    return made;
  }

  static bool trusts(TlsStream& stream, X509_STORE_CTX* chain) {
    try {
      const Certificate shown = describe(X509_STORE_CTX_get0_cert(chain));
      const bool known = stream.trusts(shown.fingerprint);
      const std::optional<std::string> why = stream.objection(shown);
      if (!why) {
        stream.peer_fingerprint_ = shown.fingerprint;
        stream.peer_valid_until_ = shown.valid_until;
        X509_STORE_CTX_set_error(chain, X509_V_OK);
        return true;
      }
      stream.objection_ = *why;
      // The error decides which alert the peer receives.
      X509_STORE_CTX_set_error(chain, known ? X509_V_ERR_CERT_HAS_EXPIRED : X509_V_ERR_CERT_REJECTED);
    } catch (const InputError& error) {
      stream.objection_ = fmt::format("it shows {}", error.what());
      X509_STORE_CTX_set_error(chain, X509_V_ERR_CERT_REJECTED);
    } catch (...) {
      stream.thrown_ = std::current_exception();
      X509_STORE_CTX_set_error(chain, X509_V_ERR_UNSPECIFIED);
    }
    return false;
  }
};

int TlsStream::check_certificate(x509_store_ctx_st* shown, void*) {
  auto* const session = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(shown, SSL_get_ex_data_X509_STORE_CTX_idx()));
  return Callbacks::trusts(*static_cast<TlsStream*>(SSL_get_app_data(session)), shown) ? 1 : 0;
}

void TlsStream::FreeSession::operator()(ssl_st* session) const noexcept { SSL_free(session); }

TlsStream::TlsStream(std::unique_ptr<ByteStream> inner, ssl_ctx_st* context,
                     std::shared_ptr<const TlsSettings> settings, bool accepted, std::vector<std::string> trusted)
    : inner_(std::move(inner)),
      settings_(std::move(settings)),
      trusted_(std::move(trusted)),
      accepted_(accepted),
      session_(SSL_new(context)) {
  BIO* const bio = session_ ? BIO_new(Callbacks::method()) : nullptr;
  if (bio == nullptr) throw ResourceError("OpenSSL has no memory for another link");
  BIO_set_data(bio, this);
  BIO_set_init(bio, 1);
  SSL_set_bio(session_.get(), bio, bio);
  SSL_set_app_data(session_.get(), this);
  if (accepted_) {
    SSL_set_accept_state(session_.get());
    if (!settings_->asks_clients) SSL_set_verify(session_.get(), SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_set_connect_state(session_.get());
  }
}

TlsStream::~TlsStream() { close(); }

// Only the end that accepts connections may trust any peer.
bool TlsStream::trusts(const std::string& fingerprint) const {
  return (accepted_ && settings_->takes_anyone) ||
         std::find(trusted_.begin(), trusted_.end(), fingerprint) != trusted_.end();
}

std::optional<std::string> TlsStream::objection(const Certificate& shown) const {
  if (!trusts(shown.fingerprint)) {
    return accepted_ || trusted_.empty()
               ? fmt::format("it shows the certificate {}, which is no role's in [trust]", shown.fingerprint)
               : fmt::format("it shows the certificate {}, but {} is trusted for it: {}", shown.fingerprint,
                             fmt::join(trusted_, " or "), settings_->advice);
  }
  if (const auto why = invalid_at(shown, std::chrono::system_clock::now())) {
    return fmt::format(
        "its certificate {} {}: set the clock that is wrong, or let it make a new key with `sotto keys new`",
        shown.fingerprint, *why);
  }
  return std::nullopt;
}

// Returns -1 if there are no bytes now, and 0 at the end of the stream.
std::ptrdiff_t TlsStream::fetch(std::span<std::byte> into) {
  if (inner_end_) return *inner_end_ == State::closed ? 0 : -1;
  if (!may_fetch_) return -1;
  const Transfer in = inner_->read_some(into);
  is_last_ = in.is_last;
  if (in.state == State::moved) return static_cast<std::ptrdiff_t>(in.bytes);
  if (in.state == State::would_block) {
    starved_ = true;
    return -1;
  }
  inner_end_ = in.state;
  return in.state == State::closed ? 0 : -1;
}

// Bytes that the stream below does not accept are kept in out_.
void TlsStream::deliver(std::span<const std::byte> record) {
  if (write_lost_) return;
  std::size_t of_record = 0;
  if (!more_follow_) {
    const std::span<const std::byte> kept = std::span<const std::byte>(out_).subspan(out_begin_);
    const Transfer out = kept.empty() ? inner_->write_some(record, none) : inner_->write_some(kept, record);
    if (out.state == State::lost) {
      write_lost_ = true;
      failure_ = inner_->failure();
      clear_output();
      return;
    }
    const std::size_t of_kept = std::min(out.bytes, kept.size());
    of_record = out.bytes - of_kept;
    out_begin_ += of_kept;
    if (out_begin_ == out_.size()) clear_output();
  }
  const auto rest = record.subspan(of_record);
  out_.insert(out_.end(), rest.begin(), rest.end());
}

void TlsStream::clear_output() noexcept {
  out_begin_ = 0;
  out_.clear();
  if (settings_->release_buffers) std::vector<std::byte>().swap(out_);
}

bool TlsStream::push() {
  while (out_begin_ < out_.size()) {
    const Transfer out = inner_->write_some(std::span<const std::byte>(out_).subspan(out_begin_), none);
    if (out.state == State::would_block) return false;
    if (out.state == State::moved) {
      out_begin_ += out.bytes;
      continue;
    }
    write_lost_ = true;
    if (failure_.empty()) failure_ = inner_->failure();
    break;
  }
  clear_output();
  if (ending_ && !ended_) {
    ended_ = true;
    inner_->end_writing();
  }
  return inner_->push();
}

bool TlsStream::holds_output() const { return !out_.empty() || inner_->holds_output(); }

void TlsStream::rethrow() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool TlsStream::shake_hands() {
  if (broken_) return false;
  begun_ = true;
  may_fetch_ = true;
  more_follow_ = false;
  if (!push()) return false;
  forget_errors();
  const int result = SSL_do_handshake(session_.get());
  rethrow();
  if (result == 1) {
    established_ = true;
    // The peer's first data may have come with its last handshake message.
    more_here_ = SSL_has_pending(session_.get()) == 1;
    return true;
  }
  const int error = SSL_get_error(session_.get(), result);
  if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) break_session(error);
  return false;
}

ByteStream::Transfer TlsStream::read_some(std::span<std::byte> into) {
  if (read_end_) return {0, *read_end_};
  if (!established_ && !shake_hands()) return {0, read_end_.value_or(State::would_block)};
  if (out_.size() > most_held && !push()) return {0, State::would_block};
  std::size_t bytes = 0;
  more_here_ = true;
  for (int reads = 0; reads < most_reads_at_once && bytes < into.size(); ++reads) {
    // A second read of the stream below would mostly find nothing.
    may_fetch_ = bytes == 0;
    starved_ = false;
    std::size_t more = 0;
    forget_errors();
    const int result = SSL_read_ex(session_.get(), into.data() + bytes, into.size() - bytes, &more);
    rethrow();
    if (result == 1) {
      bytes += more;
      more_here_ = SSL_has_pending(session_.get()) == 1;
      if (!more_here_) break;
      continue;
    }
    const int error = SSL_get_error(session_.get(), result);
    if (error != SSL_ERROR_WANT_READ) {
      if (error == SSL_ERROR_ZERO_RETURN) {
        read_end_ = State::closed;
      } else {
        break_session(error);
      }
      break;
    }
    if (starved_ || !may_fetch_) {
      more_here_ = false;  // at most a partial record is left
      break;
    }
    if (out_.size() > most_held) break;
  }
  if (bytes > 0) return {bytes, State::moved, is_last_ && !more_here_};
  return {0, read_end_.value_or(State::would_block)};
}

// OpenSSL does not recover from this error. Afterwards out_ may have an alert for the peer.
void TlsStream::break_session(int error) {
  broken_ = true;
  write_lost_ = true;
  read_end_ = State::lost;
  explain_failure(error);
  forget_errors();
}

void TlsStream::explain_failure(int error) {
  if (!objection_.empty()) {
    failure_ = objection_;
    refused_ = true;
    return;
  }
  if (inner_end_ == State::lost) {
    failure_ = inner_->failure();
    return;
  }
  if (inner_end_ == State::closed) {
    failure_ = !established_ ? "it closed the link in the middle of the TLS handshake: it speaks no TLS, or has "
                               "refused this role, see its own output"
               : SSL_has_pending(session_.get()) == 1 ? "the link was cut in the middle of a record"
                                                      : "it closed the link without a word";
    return;
  }
  TlsError explained =
      explain_tls_error(error == SSL_ERROR_SSL ? ERR_peek_error() : 0, !established_, settings_->own_fingerprint);
  failure_ = std::move(explained.text);
  refused_ = explained.refused;
}

// The key update is sent together with the next record.
bool TlsStream::take_new_key() {
  more_follow_ = true;
  return SSL_key_update(session_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 && SSL_do_handshake(session_.get()) == 1;
}

bool TlsStream::encrypt(std::span<const std::byte> plain) {
  forget_errors();
  const bool more_follow = more_follow_;
  bool done = true;
  if (records_ == settings_->records_per_key) {
    done = take_new_key();
    records_ = 0;
    more_follow_ = more_follow;
  }
  std::size_t taken = 0;
  done = done && SSL_write_ex(session_.get(), plain.data(), plain.size(), &taken) == 1;
  rethrow();
  if (!done) break_session(SSL_ERROR_SSL);
  ++records_;
  return done && !write_lost_;
}

ByteStream::Transfer TlsStream::write_some(std::span<const std::byte> head, std::span<const std::byte> body) {
  if (write_lost_ || ending_) return {0, State::lost};
  if (!established_ && !shake_hands()) return {0, write_lost_ ? State::lost : State::would_block};
  if (!push()) return {0, State::would_block};
  const std::size_t total = std::min(head.size() + body.size(), most_records * record_bytes);
  std::size_t taken = 0;
  while (taken < total && !write_lost_) {
    const std::size_t bytes = std::min(total - taken, record_bytes);
    more_follow_ = taken + bytes < total;
    if (taken >= head.size()) {
      encrypt(body.subspan(taken - head.size(), bytes));
    } else if (taken + bytes <= head.size()) {
      encrypt(head.subspan(taken, bytes));
    } else {
      const auto of_head = head.subspan(taken);
      joined_.assign(of_head.begin(), of_head.end());
      const auto of_body = body.first(bytes - of_head.size());
      joined_.insert(joined_.end(), of_body.begin(), of_body.end());
      encrypt(joined_);
      OPENSSL_cleanse(joined_.data(), joined_.size());
    }
    taken += bytes;
  }
  if (write_lost_) return {0, State::lost};
  return {taken, State::moved};
}

Waitable TlsStream::wait_for(bool reading, bool writing) const {
  const bool wanted = reading || writing;
  const bool held = !out_.empty();
  Waitable waitable;
  if (established_ || read_end_) {
    waitable = inner_->wait_for(reading && !read_end_, writing || held);
  } else {
    waitable = inner_->wait_for(wanted, held);
  }
  const bool at_once = (reading && (read_end_ || more_here_)) || (writing && write_lost_) || (wanted && !begun_);
  if (at_once) waitable.ready_at = Clock::time_point{};
  return waitable;
}

void TlsStream::end_writing() noexcept {
  if (ending_) return;
  ending_ = true;
  more_follow_ = false;
  if (established_ && !write_lost_) {
    forget_errors();
    SSL_shutdown(session_.get());  // this direction ends
    thrown_ = nullptr;
  }
  try {
    static_cast<void>(push());
  } catch (...) {
    write_lost_ = true;
  }
}

void TlsStream::close() noexcept {
  clear_output();
  if (refused_ && !closed_) {
    // Closing with unread bytes resets the connection. A reset could overtake the alert that tells the peer why.
    inner_->end_writing();
    try {
      std::byte dump[4096];
      for (int i = 0; i < most_discards; ++i) {
        if (inner_->read_some(dump).state != State::moved) break;
      }
    } catch (...) {
      thrown_ = nullptr;  // resets the connection
    }
  }
  closed_ = true;
  inner_->close();
}

std::string TlsStream::peer_fingerprint() const { return established_ ? peer_fingerprint_ : ""; }

std::optional<WallTime> TlsStream::peer_valid_until() const {
  return established_ && !peer_fingerprint_.empty() ? std::optional(peer_valid_until_) : std::nullopt;
}

}  // namespace sotto::net
