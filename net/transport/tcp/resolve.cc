#include "net/transport/tcp/resolve.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "net/transport/asio.h"

namespace sotto::net {
namespace {

constexpr int names_at_once = 4;

// Asio's async_resolve() resolves one name after another, and its io_context cannot end during a lookup that hangs.
// Nobody waits for the threads of this pool, which is never destroyed.
asio::thread_pool& resolvers() {
  static asio::thread_pool& pool = *new asio::thread_pool(names_at_once);
  return pool;
}

Resolved ask(const std::string& host) {
  tcp::resolver resolver(resolvers());
  error_code error;
  Resolved resolved;
  for (const auto& entry : resolver.resolve(host, "", tcp::resolver::flags(), error)) {
    const std::string numeric = entry.endpoint().address().to_string();
    if (std::find(resolved.hosts.begin(), resolved.hosts.end(), numeric) == resolved.hosts.end()) {
      resolved.hosts.push_back(numeric);
    }
  }
  if (resolved.hosts.empty()) resolved.failure = error ? error.message() : "it has no address";
  return resolved;
}

bool is_numeric(const std::string& host) {
  error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

}  // namespace

void resolve(Io& io, const std::string& host, std::function<void(Resolved)> done) {
  const auto answer = [done = std::move(done), context = io.context()](Resolved resolved) {
    asio::post(*context, [done, resolved = std::move(resolved)] { done(resolved); });
  };
  if (is_numeric(host)) return answer(Resolved{{host}, ""});
  try {
    asio::post(resolvers(), [answer, host] {
      try {
        answer(ask(host));
      } catch (const std::exception& error) {
        answer(Resolved{{}, error.what()});
      }
    });
  } catch (const boost::system::system_error&) {
    answer(Resolved{{}, "no thread is left to ask for it (ulimit -u)"});
  }
}

Resolved resolve_now(const std::string& host, std::chrono::milliseconds at_most) {
  Io io;
  const auto result = std::make_shared<std::optional<Resolved>>();
  resolve(io, host, [result](Resolved resolved) { *result = std::move(resolved); });
  const Clock::time_point end = Clock::now() + at_most;
  while (!*result) {
    const Clock::time_point now = Clock::now();
    if (now >= end) return Resolved{{}, "no name server answers"};
    io.run_for(end - now);
  }
  return std::move(**result);
}

}  // namespace sotto::net
