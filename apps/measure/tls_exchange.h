// What TLS adds to an exchange: two processes on loopback, TLS 1.3 over the socket.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sotto::apps {

// Microseconds an exchange, of each batch: both processes send `bytes` bytes and read as many,
// spinning on non-blocking sockets, with AES-128-GCM, under a certificate made for this measurement
// that the connecting side checks. Errors as of run_processes(); ResourceError where OpenSSL has
// no TLS 1.3.
[[nodiscard]] std::vector<double> tls_exchanges(std::size_t bytes,
                                                std::uint64_t exchanges_of_a_batch,
                                                std::size_t batches,
                                                const std::atomic<bool>& interrupted);

}  // namespace sotto::apps
