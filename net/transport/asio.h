// Only this header includes Asio, and only .cc files include this header. Asio's memory fences are disabled, because
// they confuse the thread sanitizer. They are not needed, because an io_context belongs to one thread, and other
// threads post through its mutex.
#pragma once

// Boost 1.74 uses std::exchange without including <utility>.
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
