#include "apps/demo/roles.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "apps/bandit/model/phases.h"
#include "apps/bandit/model/sites.h"
#include "apps/bandit/model/step/single_step.h"
#include "apps/kit/program/about.h"
#include "sotto/protocol/error/errors.h"
#include "sotto/protocol/mesh/driver/run.h"
#include "sotto/protocol/mesh/handshake/hello.h"
#include "sotto/protocol/mesh/mesh.h"
#include "sotto/protocol/mesh/peers.h"
#include "sotto/protocol/ring/fixed_point.h"
#include "sotto/protocol/transport/tcp/listener.h"
#include "sotto/protocol/transport/tls/identity.h"

namespace sotto::apps::bandit::demo {
namespace {

// The columns that a party brings.
class Columns final : public Contexts {
 public:
  Columns(const Digits& digits, unsigned bits) : digits_(digits), bits_(bits) {}
  void context(std::size_t holder, std::uint64_t step, std::span<std::uint64_t> out) override {
    std::ranges::transform(digits_.part(holder, step), out.begin(),
                           [&](double value) { return sotto::encode(value, bits_); });
  }

 private:
  const Digits& digits_;
  unsigned bits_;
};

// The labels that the actor brings. The actor names the digit of the opened arm, and learns whether it is right.
class Labels final : public Arms, public Rewards {
 public:
  Labels(const Digits& digits, std::uint64_t steps) : digits_(digits), curve_(steps) {}
  void pull(std::uint64_t, std::size_t arm) override { arm_ = arm; }
  std::uint64_t reward(std::uint64_t step) override {
    const double earned = digits_.reward(step, arm_);
    curve_.add(earned);
    return sotto::encode(earned, 0);
  }
  [[nodiscard]] const RewardCurve& curve() const { return curve_; }

 private:
  const Digits& digits_;
  std::size_t arm_ = 0;
  RewardCurve curve_;
};

// A role before its process begins.
struct Seat {
  NodeId node;
  net::Identity identity;
  std::optional<int> listener{};  // descriptor of a bound socket, if any role connects to this one
};

// The public facts of the run, which all roles have.
struct Meeting {
  Topology topology;
  net::SessionId session{};
  std::map<NodeId, std::string> certificates{};
  std::map<NodeId, net::Address> addresses{};
};

std::vector<Seat> take_seats(Meeting& meeting) {
  std::vector<Seat> seats;
  const auto add = [&](NodeId node) {
    Seat seat{node, net::Identity::create(net::peer_name(meeting.topology, node))};
    meeting.certificates[node] = seat.identity.fingerprint();
    if (net::listens(meeting.topology, node)) {
      net::TcpListener listener(net::Address{"127.0.0.1", 0});
      meeting.addresses[node] = listener.address();
      seat.listener = listener.release();
    }
    seats.push_back(std::move(seat));
  };
  add(net::dealer_id);
  for (NodeId node = 0; node < meeting.topology.nodes(); ++node) add(node);
  return seats;
}

net::Mesh connect(const Meeting& meeting, const Seat& seat) {
  net::MeshConfig mesh{meeting.topology, seat.node, meeting.session, "sotto demo", ""};
  mesh.certificates = meeting.certificates;
  mesh.addresses = meeting.addresses;
  mesh.software = version();
  if (seat.listener) mesh.listener.emplace(*seat.listener);
  mesh.wrap = net::encrypt_links(seat.identity, meeting.certificates);
  return net::set_up_mesh(std::move(mesh));
}

void play_role(const Meeting& meeting, const Seat& seat, const Digits& digits, const BanditPlan& plan,
               RoleFigures& figures) {
  net::Mesh mesh = connect(meeting, seat);
  Columns columns(digits, plan.context_bits);
  Labels labels(digits, plan.parameters.steps);
  BanditSite site;
  if (meeting.topology.is_party(seat.node)) site.add(columns);
  if (seat.node == actor_of(meeting.topology)) site.add(labels);
  const auto played = net::run_program(mesh, [&](Party& party) { return single_steps(party, plan, site, {}); });
  const Cost steps = cost_of_steps(played.ledger);
  figures.step_rounds = steps.rounds;
  figures.step_dealt_bytes = steps.dealt;
  if (seat.node == net::dealer_id) {
    figures.online_seconds = played.dealer.seconds;
    figures.bytes_sent = played.dealer.dealt_bytes;
  } else {
    figures.online_seconds = played.node.seconds;
    figures.step_bytes_sent = steps.sent[seat.node];
    figures.bytes_sent = played.node.total_bytes_sent();
  }
  const Curve curve = labels.curve().points();
  figures.curve_points = std::min(curve.size(), figures.curve.size());
  std::copy_n(curve.begin(), figures.curve_points, figures.curve.begin());
  figures.cpu_seconds = process_cpu_seconds();
  figures.peak_memory_bytes = peak_memory_bytes();
}

[[noreturn]] void cannot(const char* what) {
  throw ResourceError(fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

// Figures of all roles, in memory that the processes share.
class SharedFigures {
 public:
  explicit SharedFigures(std::size_t roles) : bytes_(roles * sizeof(RoleFigures)) {
    void* const memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) cannot("no memory for the roles");
    figures_ = {new (memory) RoleFigures[roles], roles};
  }
  SharedFigures(const SharedFigures&) = delete;
  SharedFigures& operator=(const SharedFigures&) = delete;
  ~SharedFigures() { ::munmap(figures_.data(), bytes_); }

  [[nodiscard]] RoleFigures& operator[](std::size_t role) const { return figures_[role]; }

 private:
  std::size_t bytes_;
  std::span<RoleFigures> figures_;
};

// The processes of the roles. The destructor ends those that still run.
class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  ~Processes() {
    for (const pid_t process : running_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }

  // `body` runs in a process of its own, which ends when this one ends. An exception's message goes to `error`.
  template <class Body>
  void start(const Body& body, std::span<char> error) {
    const pid_t parent = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) cannot("no process for a role");
    if (child > 0) return running_.push_back(child);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    try {
      body();
      ::_exit(0);
    } catch (const std::exception& failure) {
      std::strncpy(error.data(), failure.what(), error.size() - 1);
      ::_exit(1);
    }
  }

  // Waits until all processes have ended well, or until one has not. Returns false in the second case.
  [[nodiscard]] bool all_end_well() {
    while (!running_.empty()) {
      int status = 0;
      const pid_t ended = ::waitpid(-1, &status, 0);
      if (ended < 0 && errno == EINTR) continue;
      if (ended < 0) cannot("the roles cannot be waited for");
      std::erase(running_, ended);
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return false;
    }
    return true;
  }

 private:
  std::vector<pid_t> running_;
};

}  // namespace

DemoRun play(const Digits& digits, const BanditPlan& plan) {
  Meeting meeting{plan.parameters.topology()};
  const std::vector<Seat> seats = take_seats(meeting);
  const SharedFigures figures(seats.size());
  Processes processes;
  for (std::size_t role = 0; role < seats.size(); ++role) {
    const auto body = [&] {
      for (const Seat& other : seats) {
        if (other.listener && other.node != seats[role].node) ::close(*other.listener);
      }
      ::prctl(PR_SET_NAME, net::peer_name(meeting.topology, seats[role].node).c_str());
      play_role(meeting, seats[role], digits, plan, figures[role]);
    };
    processes.start(body, figures[role].error);
  }
  for (const Seat& seat : seats) {
    if (seat.listener) ::close(*seat.listener);
  }
  const bool well = processes.all_end_well();
  DemoRun run;
  for (std::size_t role = 0; role < seats.size(); ++role) {
    const NodeId node = seats[role].node;
    if (!well && figures[role].error[0] != '\0') {
      throw ResourceError(fmt::format("{}: {}", net::peer_name(meeting.topology, node), figures[role].error.data()));
    }
    if (node == net::dealer_id) {
      run.dealer = figures[role];
    } else if (node == actor_of(meeting.topology)) {
      run.actor = figures[role];
    } else {
      run.parties.push_back(figures[role]);
    }
  }
  if (!well) throw ResourceError("a role ended before its time");
  return run;
}

}  // namespace sotto::apps::bandit::demo
