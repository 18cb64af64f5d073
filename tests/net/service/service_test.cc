// A service and its clients over loopback.
#include "net/service/service.h"

#include <gtest/gtest.h>

#include "core/error/errors.h"
#include "tests/net/service/rooms.h"

namespace sotto::net::testing {
namespace {

Message said(const std::string& text, std::uint16_t type = say_again) {
  return Message{type, octets(text)};
}

TEST(Service, AnswersItsClients) {
  Room<Echo> room(plain_service());
  room.open();
  ServiceClient client(plain_client(room.service.address()));
  for (int i = 0; i < 100; ++i) {
    const Message word = said("word " + std::to_string(i));
    EXPECT_EQ(client.ask(word, soon()), word);
  }
  client.send(Message{stop, {}});
  EXPECT_TRUE(client.finish(soon()));
  room.wait();
  EXPECT_EQ(room.failure, "");
  EXPECT_EQ(room.handler.arrivals.size(), 1U);
  EXPECT_EQ(room.handler.messages, 101U);
}

}  // namespace
}  // namespace sotto::net::testing
