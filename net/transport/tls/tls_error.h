// What OpenSSL's errors mean to the people at the two ends of a link.
#pragma once

#include <string>

namespace sotto::net {

struct TlsError {
  std::string text;      // one phrase that can follow "party 1 was lost: "
  bool refused = false;  // one end does not trust the other's certificate
};

// `code` is of OpenSSL's queue. `in_handshake` says whether the link was still being set up, and `own_fingerprint`
// which certificate this role showed.
[[nodiscard]] TlsError explain_tls_error(unsigned long code, bool in_handshake, const std::string& own_fingerprint);

}  // namespace sotto::net
