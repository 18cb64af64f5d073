#include "apps/kit/http/client.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include "apps/kit/http/message_reader.h"
#include "apps/kit/program/option_values.h"
#include "net/transport/tcp/connector.h"
#include "net/transport/tls/context.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/transport/stream.h"

namespace sotto::apps {
namespace {

using AskTime = net::Clock::time_point;

constexpr std::string_view http_scheme = "http://";
constexpr std::string_view https_scheme = "https://";
constexpr std::size_t piece_bytes = std::size_t{16} << 10;
constexpr std::chrono::milliseconds between_looks{1};

[[noreturn]] void refuse_url(const std::string& where) {
  throw InputError(where,
                   "expected https://host:port/path, http://127.0.0.1:port/path or "
                   "http://unix:/run/features.sock:/path");
}

std::string host_line(const ListenAt& service) {
  const auto* const address = std::get_if<net::Address>(&service);
  return address == nullptr ? "localhost" : address->text();
}

std::unique_ptr<net::ByteStream> connect_unix(const std::filesystem::path& path, std::string& failure) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.native().size() + 1);
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool connected =
      made.get() >= 0 && ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (!connected) {
    failure = fmt::format("unix:{}: {}", path.string(), std::generic_category().message(errno));
    return nullptr;
  }
  const int descriptor = ::dup(made.get());
  if (descriptor < 0) {
    failure = "no descriptor is left";
    return nullptr;
  }
  return std::make_unique<net::DescriptorStream>(descriptor);
}

}  // namespace

HttpUrl parse_http_url(std::string_view text, const std::string& where) {
  const bool tls = text.starts_with(https_scheme);
  if (!tls && !text.starts_with(http_scheme)) refuse_url(where);
  text.remove_prefix(tls ? https_scheme.size() : http_scheme.size());
  const auto is_sound = [](char c) { return c > ' ' && c != '\x7f' && c != '#'; };
  if (!std::all_of(text.begin(), text.end(), is_sound)) refuse_url(where);
  if (text.starts_with("unix:")) {
    if (tls) refuse_url(where);
    const std::size_t end = text.find(":/", 5);
    const std::string_view socket = text.substr(0, end);
    const std::string_view path = end == std::string_view::npos ? "/" : text.substr(end + 1);
    return {parse_listen(socket, where), std::string(path)};
  }
  const std::size_t slash = text.find('/');
  std::string host(text.substr(0, slash));
  const bool has_port = host.rfind(':') != std::string::npos && !host.ends_with(']');
  if (host.find('@') != std::string::npos || host.find('?') != std::string::npos) refuse_url(where);
  if (!has_port) host += tls ? ":443" : ":80";
  const std::string_view path = slash == std::string_view::npos ? "/" : text.substr(slash);
  return {parse_peer(host, where), std::string(path), tls};
}

void require_private(const HttpUrl& url, const std::string& fingerprint, const UrlSettings& where) {
  if (!fingerprint.empty() && !net::is_fingerprint(fingerprint)) {
    throw InputError(where.fingerprint, "expected sha256: and 64 hex digits, the fingerprint of a certificate");
  }
  if (url.tls) {
    if (!fingerprint.empty()) return;
    throw InputError(where.fingerprint,
                     "is missing: https needs the SHA-256 of the service's certificate, as "
                     "sha256: and 64 hex digits");
  }
  if (!fingerprint.empty()) throw InputError(where.fingerprint, "is of an https url: leave it out, or set https");
  const auto* const address = std::get_if<net::Address>(&url.service);
  if (address == nullptr || net::is_loopback_itself(address->host)) return;
  throw InputError(where.url, fmt::format("everybody on the way to {} would read what is sent: use https and the "
                                          "service's fingerprint, or 127.0.0.1 or a Unix socket",
                                          address->text()));
}

WrapStream pinned_tls(const net::Identity& self, const std::string& fingerprint, const std::string& setting) {
  auto context = std::make_shared<net::TlsContext>(self, std::vector<std::string>{});
  context->call_other_services(fmt::format("ask its owner which is right, and set {} to that one", setting));
  return [context = std::shared_ptr<const net::TlsContext>(std::move(context)), fingerprint](
             std::unique_ptr<net::ByteStream> inner) { return context->connect(std::move(inner), fingerprint); };
}

class HttpClient::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(net::Io& io, HttpClientConfig config)
      : io_(io),
        config_(std::move(config)),
        timer_(io, [this] { tick(); }),
        wait_(std::in_place, io, [this] { proceed(); }) {
    if (const auto* const at = std::get_if<UnixPath>(&config_.service)) {
      if (at->path.native().size() > longest_unix_path) throw InputError(at->path.string(), "the path is too long");
    }
  }

  void ask(std::string bytes, bool head, AskTime deadline, Done done);
  void tick();
  [[nodiscard]] std::size_t waiting() const noexcept { return asked_.size(); }
  [[nodiscard]] const ListenAt& service() const noexcept { return config_.service; }

 private:
  struct Asked {
    std::string bytes;
    bool head = false;
    AskTime deadline{};
    Done done;
    std::size_t sent = 0;
    bool again = false;  // sent again on a second connection
  };
  [[nodiscard]] AskTime now() const { return config_.now ? config_.now() : net::Clock::now(); }

  void proceed();
  bool step();
  bool connect();
  bool send();
  bool receive();
  void take_end(const std::string& why);
  void finish(HttpResult result);
  void disconnect();
  void watch();

  net::Io& io_;
  HttpClientConfig config_;
  std::deque<Asked> asked_;
  std::optional<net::TcpConnector> connector_;
  std::unique_ptr<net::ByteStream> stream_;
  bool used_ = false;
  std::string input_;
  std::optional<ResponseReader> reader_;
  net::Wait timer_;
  std::optional<net::Wait> wait_;
  bool in_turn_ = false;
};

void HttpClient::Core::ask(std::string bytes, bool head, AskTime deadline, Done done) {
  if (asked_.size() >= config_.most_waiting) {
    io_.post([weak = weak_from_this(), done = std::move(done)] {
      if (!weak.expired()) done({"too many requests wait already", 0, {}, {}});
    });
    return;
  }
  asked_.push_back({std::move(bytes), head, deadline, std::move(done)});
  proceed();
}

void HttpClient::Core::tick() {
  const auto self = shared_from_this();
  const AskTime time = now();
  // The client closes the connection of a request without an answer, because the late answer could still arrive on it.
  while (!asked_.empty() && asked_.front().deadline <= time) {
    std::string why = "it has not answered in time";
    if (!stream_)
      why = connector_ && !connector_->last_failure().empty() ? connector_->last_failure() : "no connection";
    disconnect();
    finish({why, 0, {}, {}});
  }
  for (std::size_t i = 1; i < asked_.size();) {
    if (asked_[i].deadline > time) {
      ++i;
      continue;
    }
    const Done done = std::move(asked_[i].done);
    asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(i));
    done({"those before it took too long", 0, {}, {}});
  }
  proceed();
}

void HttpClient::Core::proceed() {
  if (in_turn_) return;
  const auto self = shared_from_this();
  in_turn_ = true;
  while (step()) continue;
  in_turn_ = false;
  watch();
}

bool HttpClient::Core::step() {
  if (asked_.empty()) {
    // A service sends nothing on an idle connection. If something arrives nevertheless, the connection has ended or
    // cannot be used any more.
    if (stream_ && receive()) disconnect();
    return false;
  }
  if (!stream_) return connect();
  const bool sent = send();
  return receive() || sent;
}

bool HttpClient::Core::connect() {
  if (const auto* const address = std::get_if<net::Address>(&config_.service)) {
    if (!connector_) connector_.emplace(io_, *address);
    stream_ = connector_->take();
    if (!stream_) return false;
    connector_.reset();
  } else {
    std::string failure;
    stream_ = connect_unix(std::get<UnixPath>(config_.service).path, failure);
    if (!stream_) finish({failure, 0, {}, {}});
  }
  if (stream_ && config_.wrap) stream_ = config_.wrap(std::move(stream_));
  return true;
}

bool HttpClient::Core::send() {
  if (stream_->holds_output()) static_cast<void>(stream_->push());
  Asked& asked = asked_.front();
  bool moved = false;
  while (asked.sent < asked.bytes.size()) {
    const auto rest = std::as_bytes(std::span(asked.bytes)).subspan(asked.sent);
    const net::ByteStream::Transfer out = stream_->write_some({}, rest);
    // A service may refuse a request and close early; its answer can still be read.
    if (out.state != net::ByteStream::State::moved) break;
    asked.sent += out.bytes;
    moved = true;
  }
  return moved;
}

bool HttpClient::Core::receive() {
  std::array<std::byte, piece_bytes> piece;
  const net::ByteStream::Transfer in = stream_->read_some(piece);
  using State = net::ByteStream::State;
  if (in.state == State::would_block) return false;
  if (asked_.empty()) return true;
  if (in.state != State::moved) {
    take_end(in.state == State::lost ? stream_->failure() : "it closed the connection before its answer was whole");
    return true;
  }
  if (!reader_) reader_.emplace(config_.longest_answer, asked_.front().head);
  input_.append(reinterpret_cast<const char*>(piece.data()), in.bytes);
  std::string_view rest = input_;
  const ResponseReader::Event event = reader_->read(rest);
  input_.erase(0, input_.size() - rest.size());
  if (event == ResponseReader::Event::more) return true;
  if (event == ResponseReader::Event::failed) {
    const std::string why = reader_->fault();
    disconnect();
    finish({why, 0, {}, {}});
    return true;
  }
  HttpResult result{{}, reader_->status(), reader_->type(), std::move(reader_->body())};
  const bool keep = reader_->keep_alive() && input_.empty() && asked_.front().sent == asked_.front().bytes.size();
  reader_.reset();
  used_ = true;
  if (!keep) disconnect();
  finish(std::move(result));
  return true;
}

void HttpClient::Core::take_end(const std::string& why) {
  Asked& asked = asked_.front();
  const bool begun = reader_ && reader_->begun();
  if (begun && reader_->end() == ResponseReader::Event::done) {
    HttpResult result{{}, reader_->status(), reader_->type(), std::move(reader_->body())};
    disconnect();
    return finish(std::move(result));
  }
  const bool stale = used_ && !begun && !asked.again;
  disconnect();
  if (!stale) return finish({why, 0, {}, {}});
  asked.sent = 0;
  asked.again = true;
}

void HttpClient::Core::finish(HttpResult result) {
  const Done done = std::move(asked_.front().done);
  asked_.pop_front();
  done(std::move(result));
}

void HttpClient::Core::disconnect() {
  wait_.emplace(io_, [this] { proceed(); });
  stream_.reset();
  connector_.reset();
  reader_.reset();
  input_.clear();
  used_ = false;
}

void HttpClient::Core::watch() {
  net::Waitable wanted;
  if (stream_) {
    const bool unsent = !asked_.empty() && asked_.front().sent < asked_.front().bytes.size();
    const bool writing = unsent || stream_->holds_output();
    wanted = stream_->wait_for(true, writing);
  } else if (connector_) {
    wanted.ready_at = net::Clock::now() + between_looks;
  }
  wait_->wait(wanted);
  AskTime first = AskTime::max();
  for (const Asked& asked : asked_) first = std::min(first, asked.deadline);
  if (!config_.now) timer_.wait({-1, false, false, first});
}

HttpClient::HttpClient(net::Io& io, HttpClientConfig config) : core_(std::make_shared<Core>(io, std::move(config))) {}
HttpClient::~HttpClient() = default;

void HttpClient::post_json(const std::string& path, std::string body, AskTime deadline, Done done) {
  ask("POST", path, "Content-Type: application/json\r\nAccept: application/json\r\n", std::move(body), deadline,
      std::move(done));
}

void HttpClient::ask(const std::string& method, const std::string& path, const std::string& headers, std::string body,
                     AskTime deadline, Done done) {
  const bool has_body = !body.empty() || method == "POST" || method == "PUT";
  std::string bytes = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}{}\r\n", method, path, host_line(core_->service()),
                                  headers, has_body ? fmt::format("Content-Length: {}\r\n", body.size()) : "");
  bytes += body;
  core_->ask(std::move(bytes), method == "HEAD", deadline, std::move(done));
}

void HttpClient::tick() { core_->tick(); }
std::size_t HttpClient::waiting() const noexcept { return core_->waiting(); }

}  // namespace sotto::apps
