// Only this header includes Asio, and only .cc files include this header: no other header of this project exposes Asio.
// Asio is compiled once, in asio.cc. The memory fences of Asio are disabled. The fences are not needed, because in this
// project an io_context belongs to one thread, and calls posted by other threads go through its mutex. The thread
// sanitizer does not understand fences.
#pragma once

// Boost 1.74 uses std::exchange in its C++20 mode without including <utility>.
#include <utility>

#define BOOST_ASIO_SEPARATE_COMPILATION 1
#define BOOST_ASIO_DISABLE_FENCED_BLOCK 1

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

namespace sotto::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

}  // namespace sotto::net
