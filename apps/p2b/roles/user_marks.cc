#include "sotto/apps/p2b/roles/user_marks.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <cstring>

#include "sotto/core/error/errors.h"

namespace sotto::apps {
namespace {

[[noreturn]] void fail() {
  throw ResourceError("OpenSSL cannot run SipHash; check that its default provider is installed");
}

}  // namespace

UserMarks::UserMarks(const Seed& key) {
  EVP_MAC* mac = EVP_MAC_fetch(nullptr, "SIPHASH", nullptr);
  if (mac == nullptr) fail();
  context_ = EVP_MAC_CTX_new(mac);
  EVP_MAC_free(mac);  // the context holds it
  unsigned int size = sizeof(std::uint64_t);
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_uint(OSSL_MAC_PARAM_SIZE, &size), OSSL_PARAM_construct_end()};
  if (context_ == nullptr || EVP_MAC_init(context_, reinterpret_cast<const unsigned char*>(key.expose().data()),
                                          Seed::size, parameters) != 1) {
    EVP_MAC_CTX_free(context_);
    fail();
  }
}

UserMarks::~UserMarks() { EVP_MAC_CTX_free(context_); }

std::uint64_t UserMarks::of(const UserToken& user) {
  unsigned char out[sizeof(std::uint64_t)];
  std::size_t written = 0;
  // Without a key: the same one again.
  if (EVP_MAC_init(context_, nullptr, 0, nullptr) != 1 ||
      EVP_MAC_update(context_, reinterpret_cast<const unsigned char*>(user.data()), user.size()) != 1 ||
      EVP_MAC_final(context_, out, &written, sizeof out) != 1 || written != sizeof out) {
    fail();
  }
  std::uint64_t mark = 0;
  std::memcpy(&mark, out, sizeof mark);
  return mark;
}

}  // namespace sotto::apps
