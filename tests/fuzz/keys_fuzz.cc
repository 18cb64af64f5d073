// The key file of a role and the certificate of another: what they hold, or InputError. Nobody is asked for a
// passphrase.
#include <array>

#include "sotto/core/error/errors.h"
#include "sotto/net/transport/tls/certificate.h"
#include "sotto/net/transport/tls/identity.h"
#include "tests/fuzz/target.h"

namespace {

using namespace sotto;

void check(const net::Certificate& certificate) {
  fuzz::require(net::is_fingerprint(certificate.fingerprint), "a certificate has a fingerprint");
  for (const char c : certificate.name) {
    fuzz::require(c >= ' ' && c <= '~', "a name is printable");
  }
  fuzz::require(!net::date_text(certificate.valid_until).empty(), "a date has a text");
}

template <class Read>
void read(Read&& action) {
  try {
    action();
  } catch (const InputError& error) {
    fuzz::require(error.what()[0] != '\0', "an error says something");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  read([&] { check(net::read_certificate(file.path())); });
  read([&] {
    const net::Identity identity = net::Identity::read(file.path());
    check(identity.certificate());
    std::array<std::byte, 32> secret{};
    identity.derive("fuzz", secret);
  });
  return 0;
}
