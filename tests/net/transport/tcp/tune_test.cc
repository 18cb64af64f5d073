#include "sotto/protocol/transport/descriptor_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/framework.h"

namespace sotto::net {
namespace {

std::string congestion_control(int descriptor) {
  char name[32] = {};
  socklen_t size = sizeof name;
  EXPECT_EQ(getsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, name, &size), 0);
  return name;
}

int no_delay(int descriptor) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(getsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &value, &size), 0);
  return value;
}

int value_of(int descriptor, int level, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  EXPECT_EQ(getsockopt(descriptor, level, option, &value, &size), 0);
  return value;
}

TEST(Tuning, SendsAtOnceAndDoesNotPaceOnLoopback) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), size), 0);
  const int server = accept(listener, nullptr, nullptr);
  ASSERT_GE(server, 0);
  for (const int descriptor : {client, server}) {
    tune_for_frames(descriptor);
    EXPECT_EQ(no_delay(descriptor), 1);
    EXPECT_EQ(congestion_control(descriptor), "reno");
    EXPECT_EQ(value_of(descriptor, SOL_SOCKET, SO_KEEPALIVE), 1);
    const int lost_after =
        value_of(descriptor, IPPROTO_TCP, TCP_KEEPINTVL) * value_of(descriptor, IPPROTO_TCP, TCP_KEEPCNT);
    EXPECT_GE(lost_after, 600);  // long after any round deadline has spoken
    close(descriptor);
  }
  close(listener);
}

TEST(Tuning, LeavesWhatIsNotConnectedAsItIs) {
  const int lonely = socket(AF_INET, SOCK_STREAM, 0);
  const std::string before = congestion_control(lonely);
  tune_for_frames(lonely);
  EXPECT_EQ(congestion_control(lonely), before);
  close(lonely);
  tune_for_frames(-1);
}

}  // namespace
}  // namespace sotto::net
