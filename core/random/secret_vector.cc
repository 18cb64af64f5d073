#include "core/random/secret_vector.h"

#include <openssl/crypto.h>

namespace sotto {

void wipe_memory(void* begin, std::size_t bytes) noexcept { OPENSSL_cleanse(begin, bytes); }

}  // namespace sotto
