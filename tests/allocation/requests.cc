// Replaces malloc and its related functions in this program, and passes each call to the C library's own function. The
// calls of operator new and of OpenSSL are counted too.
#include "tests/allocation/requests.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

namespace {

thread_local std::uint64_t requests = 0;

std::atomic<const std::vector<std::uint64_t>*> wanted = nullptr;
std::atomic<std::uint64_t> found = 0;
std::atomic<std::uint64_t> searched = 0;

void search(void* block) noexcept {
  const auto* words = wanted.load();
  if (words == nullptr || block == nullptr) return;
  const std::size_t size = malloc_usable_size(block);
  searched += size;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, static_cast<const std::byte*>(block) + at, sizeof(word));
    if (std::binary_search(words->begin(), words->end(), word)) ++found;
  }
}

}  // namespace

extern "C" {
void __libc_free(void* block);
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept {
  ++requests;
  return __libc_malloc(size);
}
void free(void* block) noexcept {
  search(block);
  __libc_free(block);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++requests;
  return __libc_calloc(count, size);
}
void* realloc(void* block, std::size_t size) noexcept {
  ++requests;
  return __libc_realloc(block, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++requests;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  ++requests;
  *block = __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}
}

namespace sotto::testing {

std::uint64_t memory_requests() noexcept { return requests; }

FreedMemory::FreedMemory(std::vector<std::uint64_t> words) : words_(std::move(words)) {
  std::sort(words_.begin(), words_.end());
  found = searched = 0;
  wanted = &words_;
}
FreedMemory::~FreedMemory() { wanted = nullptr; }

std::uint64_t FreedMemory::words_found() const noexcept { return found; }
std::uint64_t FreedMemory::bytes_searched() const noexcept { return searched; }

}  // namespace sotto::testing
