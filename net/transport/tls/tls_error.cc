#include "net/transport/tls/tls_stream.h"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/tls1.h>

#include <string_view>

namespace sotto::net {
namespace {

constexpr std::string_view damaged =
    "bytes were changed, dropped or repeated on the way: what came is no authentic record";
constexpr std::string_view no_tls = "it does not speak TLS: it runs with insecure_plaintext, or is another program";

bool says_damaged(int alert, bool in_handshake) {
  switch (alert) {
    case SSL_AD_BAD_RECORD_MAC:
    case SSL_AD_DECRYPT_ERROR:
    case SSL_AD_DECODE_ERROR:
    case SSL_AD_RECORD_OVERFLOW:
      return true;
    // After the handshake, OpenSSL sends these two alerts for a record without a valid head.
    case SSL_AD_PROTOCOL_VERSION:
    case SSL_AD_UNEXPECTED_MESSAGE:
      return !in_handshake;
    default:
      return false;
  }
}

TlsError alert_of_peer(int alert, bool in_handshake, const std::string& own_fingerprint) {
  if (says_damaged(alert, in_handshake)) return {"it says that bytes from here were changed on the way", false};
  switch (alert) {
    case SSL_AD_CERTIFICATE_EXPIRED:
      return {fmt::format("it says that this role's certificate {} is not valid now: compare the clocks of both "
                          "machines, or make a new key with `sotto keys new`",
                          own_fingerprint),
              true};
    case SSL_AD_BAD_CERTIFICATE:
    case SSL_AD_UNSUPPORTED_CERTIFICATE:
    case SSL_AD_CERTIFICATE_REVOKED:
    case SSL_AD_CERTIFICATE_UNKNOWN:
    case SSL_AD_UNKNOWN_CA:
    case SSL_AD_ACCESS_DENIED:
    case TLS13_AD_CERTIFICATE_REQUIRED:
      return {fmt::format("it does not trust this role's certificate {}: enter that fingerprint for this role in "
                          "its config (`sotto keys trust`); a service takes it by `--trust`",
                          own_fingerprint),
              true};
    case SSL_AD_PROTOCOL_VERSION:
    case SSL_AD_HANDSHAKE_FAILURE:
    case SSL_AD_INSUFFICIENT_SECURITY:
      return {"it does not speak TLS 1.3 as this version of sotto does", false};
    default:
      return {
          fmt::format("it ended the link {}with the TLS alert {}", in_handshake ? "during the handshake " : "", alert),
          false};
  }
}

bool is_no_tls(int reason) {
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST || reason == SSL_R_HTTPS_PROXY_REQUEST ||
         reason == SSL_R_PACKET_LENGTH_TOO_LONG || reason == SSL_R_BAD_RECORD_TYPE ||
         reason == SSL_R_ENCRYPTED_LENGTH_TOO_LONG || reason == SSL_R_RECORD_TOO_SMALL;
}

}  // namespace

TlsError explain_tls_error(unsigned long code, bool in_handshake, const std::string& own_fingerprint) {
  const int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  if (reason > SSL_AD_REASON_OFFSET) return alert_of_peer(reason - SSL_AD_REASON_OFFSET, in_handshake, own_fingerprint);
  if (!in_handshake) return {std::string(damaged), false};
  if (is_no_tls(reason)) return {std::string(no_tls), false};
  switch (reason) {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
      return {"it shows no certificate", true};
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_VERSION_TOO_LOW:
    case SSL_R_NO_PROTOCOLS_AVAILABLE:
      return {"it does not speak TLS 1.3", false};
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC:
      return {std::string(damaged), false};
    default: {
      const char* const text = ERR_reason_error_string(code);
      return {fmt::format("the TLS handshake failed: {}", text == nullptr ? "unknown" : text), false};
    }
  }
}

}  // namespace sotto::net
