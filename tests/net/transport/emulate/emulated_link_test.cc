#include "net/transport/emulate/emulated_link.h"
#include "sotto/protocol/transport/emulate/conditions.h"
#include "tests/net/transport/emulate/fake_stream.h"
#include "tests/properties.h"

namespace sotto::net::testing {
namespace {

using namespace std::chrono_literals;
using State = ByteStream::State;

std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 251);
  return bytes;
}

std::size_t written(ByteStream& stream, std::span<const std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto out = stream.write_some(bytes.subspan(done), {});
    if (out.state != State::moved) break;
    done += out.bytes;
  }
  return done;
}

std::vector<std::byte> readable(ByteStream& stream) {
  std::vector<std::byte> all;
  std::byte buffer[4096];
  for (;;) {
    const auto in = stream.read_some(buffer);
    if (in.state != State::moved) return all;
    all.insert(all.end(), buffer, buffer + in.bytes);
  }
}

TEST(EmulatedLink, BytesArriveAfterTheDelayAndNotBefore) {
  FakePair pair({20ms, 0ms, 0});
  const auto sent = numbered(1000);
  ASSERT_EQ(written(*pair.a, sent), sent.size());
  EXPECT_TRUE(readable(*pair.b).empty());
  EXPECT_EQ(pair.b->wait_for(true, false).ready_at, pair.clock.time + 20ms);
  EXPECT_EQ(pair.b->wait_for(false, false).ready_at, Clock::time_point::max());
  pair.clock.time += 20ms - 1ns;
  EXPECT_TRUE(readable(*pair.b).empty());
  pair.clock.time += 1ns;
  EXPECT_LE(pair.b->wait_for(true, false).ready_at, pair.clock.time);
  EXPECT_EQ(readable(*pair.b), sent);
  EXPECT_EQ(pair.b->wait_for(true, false).ready_at, Clock::time_point::max());
}

TEST(EmulatedLink, AReceiverThatLooksLateLosesNothing) {
  FakePair pair({20ms, 0ms, 0});
  const auto sent = numbered(100);
  ASSERT_EQ(written(*pair.a, sent), sent.size());
  pair.clock.time += 20ms;
  EXPECT_EQ(readable(*pair.b), sent);
}

TEST(EmulatedLink, BothDirectionsAreDelayedOnce) {
  FakePair pair({3ms, 0ms, 0});
  const Clock::time_point begin = pair.clock.time;
  for (int trip = 0; trip < 10; ++trip) {
    for (const auto& [from, to] : {std::pair{pair.a.get(), pair.b.get()}, std::pair{pair.b.get(), pair.a.get()}}) {
      const auto sent = numbered(50);
      ASSERT_EQ(written(*from, sent), sent.size());
      EXPECT_TRUE(readable(*to).empty());
      pair.clock.time = to->wait_for(true, false).ready_at;
      EXPECT_EQ(readable(*to), sent);
    }
  }
  EXPECT_EQ(pair.clock.time - begin, 60ms);
}

TEST(EmulatedLink, TheRateHoldsAndAWriterAheadOfItWaits) {
  FakePair pair({20ms, 0ms, 80'000'000});  // 10 bytes a microsecond
  const auto sent = numbered(1'000'000);
  const Clock::time_point begin = pair.clock.time;
  std::vector<std::byte> got;
  std::size_t done = 0;
  std::size_t most_ahead = 0;
  while (got.size() < sent.size()) {
    done += written(*pair.a, std::span(sent).subspan(done));
    const auto more = readable(*pair.b);
    got.insert(got.end(), more.begin(), more.end());
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(pair.clock.time - begin).count();
    const double arrived = 10.0 * static_cast<double>(std::max<std::int64_t>(0, microseconds - 20'000));
    EXPECT_LE(static_cast<double>(got.size()), arrived + 10);
    most_ahead = std::max(most_ahead, done - got.size());
    pair.clock.time += 50us;
  }
  EXPECT_EQ(got, sent);
  // Sending the bytes takes 100 ms, and the last byte travels for 20 ms.
  EXPECT_LE(pair.clock.time - begin, 120ms + 100us);
  EXPECT_LE(most_ahead, 200'000 + send_buffer + 2 * 16 * 1024 + 500);
}

TEST(EmulatedLink, AWriterAheadOfTheRateIsToldWhenToGoOn) {
  FakePair pair({0ms, 0ms, 80'000'000});
  const auto sent = numbered(1'000'000);
  const std::size_t done = written(*pair.a, sent);
  EXPECT_LT(done, send_buffer + 16 * 1024 + 1);
  const Waitable waitable = pair.a->wait_for(false, true);
  EXPECT_FALSE(waitable.writing);  // not watched for writing, because the descriptor would always be ready at once
  EXPECT_GT(waitable.ready_at, pair.clock.time);
  pair.clock.time = waitable.ready_at;
  EXPECT_TRUE(pair.a->wait_for(false, true).writing);
  EXPECT_GT(written(*pair.a, std::span(sent).subspan(done)), 0u);
}

TEST(EmulatedLink, AReceiverKeepsNoMoreThanItsWindow) {
  FakePair pair({1s, 0ms, 8'000'000});
  pair.to_b->capacity = 100'000'000;
  const auto sent = numbered(3'000'000);
  std::size_t done = 0;
  for (int i = 0; i < 30; ++i) {
    done += written(*pair.a, std::span(sent).subspan(done));
    EXPECT_LE(pair.to_b->moved - pair.to_b->bytes.size(), 4'000'000u);
    pair.clock.time += 10ms;
  }
  EXPECT_TRUE(readable(*pair.b).empty());
  EXPECT_LE(done - pair.to_b->bytes.size(), 1'000'000 + send_buffer + 64 * 1024);
}

TEST(EmulatedLink, WhatWasWrittenBeforeTheEndIsReadBeforeIt) {
  FakePair pair({20ms, 0ms, 0});
  const auto sent = numbered(100);
  ASSERT_EQ(written(*pair.a, sent), sent.size());
  pair.a->end_writing();
  std::byte buffer[200];
  EXPECT_EQ(pair.b->read_some(buffer).state, State::would_block);
  EXPECT_FALSE(pair.b->wait_for(true, false).reading);
  EXPECT_EQ(pair.b->wait_for(true, false).ready_at, pair.clock.time + 20ms);
  pair.clock.time += 20ms;
  EXPECT_EQ(pair.b->read_some(buffer).bytes, 100u);
  EXPECT_LE(pair.b->wait_for(true, false).ready_at, pair.clock.time);
  EXPECT_EQ(pair.b->read_some(buffer).state, State::closed);
}

TEST(EmulatedLink, IsCutAtBothEndsAtOnce) {
  LinkConditions conditions{20ms, 0ms, 0};
  conditions.cut_after = 1s;
  FakePair pair(conditions);
  const Clock::time_point cut = pair.clock.time + 1s;
  ASSERT_EQ(written(*pair.a, numbered(10)), 10u);
  pair.clock.time += 990ms;
  EXPECT_EQ(readable(*pair.b).size(), 10u);
  ASSERT_EQ(written(*pair.b, numbered(10)), 10u);
  EXPECT_TRUE(readable(*pair.a).empty());
  for (ByteStream* end : {static_cast<ByteStream*>(pair.a.get()), static_cast<ByteStream*>(pair.b.get())}) {
    EXPECT_EQ(end->wait_for(true, false).ready_at, cut);
  }
  pair.clock.time = cut;
  for (ByteStream* end : {static_cast<ByteStream*>(pair.a.get()), static_cast<ByteStream*>(pair.b.get())}) {
    std::byte buffer[10];
    EXPECT_LE(end->wait_for(true, true).ready_at, cut);
    EXPECT_EQ(end->read_some(buffer).state, State::lost);
    EXPECT_EQ(end->write_some(buffer, {}).state, State::lost);
    EXPECT_EQ(end->failure(), "the emulated link was cut");
  }
  EXPECT_EQ(written(*pair.a, numbered(10)), 0u);
}

TEST(EmulatedLink, AnEndThatEmulatesNothingIsFound) {
  auto to_a = std::make_shared<FakeWire>();
  auto to_b = std::make_shared<FakeWire>();
  FakeClock clock;
  const auto all = [] { return SIZE_MAX; };
  FakeStream plain(to_a, to_b, all);
  EmulatedLink b(std::make_unique<FakeStream>(to_b, to_a, all), {20ms, 0ms, 0}, true, 1, clock.now());
  ASSERT_EQ(written(plain, numbered(24)), 24u);
  std::byte buffer[10];
  EXPECT_EQ(b.read_some(buffer).state, State::lost);
  EXPECT_NE(b.failure().find("emulates nothing"), std::string::npos);
}

TEST(EmulatedLink, ADamagedStretchIsFound) {
  FakePair pair({20ms, 0ms, 0});
  ASSERT_EQ(written(*pair.a, numbered(5)), 5u);
  for (int i = 16; i < 20; ++i) pair.to_b->bytes[static_cast<std::size_t>(i)] = std::byte{0xff};
  std::byte buffer[10];
  EXPECT_EQ(pair.b->read_some(buffer).state, State::lost);
  EXPECT_NE(pair.b->failure().find("damaged"), std::string::npos);
}

PROPERTY(EmulatedLink, CarriesEveryByteInOrder) {
  const auto seed = draw_in_range<std::uint32_t>(0, 1u << 31);
  std::mt19937 random(seed);
  const auto up_to = [&](std::size_t most) { return random() % (most + 1); };
  LinkConditions conditions{std::chrono::microseconds(up_to(3000)), std::chrono::microseconds(up_to(2000)), 0};
  if (up_to(1) == 1) conditions.bits_per_second = 1'000'000 * (1 + up_to(999));
  const std::size_t coarse = 1 + up_to(5000);
  FakePair pair(conditions, [&] { return up_to(coarse); });
  pair.to_b->capacity = 100 + up_to(50'000);

  const auto sent = numbered(up_to(40'000));
  std::vector<std::byte> got;
  const Clock::time_point begin = pair.clock.time;
  std::size_t done = 0;
  std::vector<std::byte> buffer(1 + up_to(3000));
  for (int idle = 0; got.size() < sent.size() && idle < 200'000; ++idle) {
    const std::size_t head = up_to(std::min<std::size_t>(100, sent.size() - done));
    const std::size_t body = up_to(std::min<std::size_t>(20'000, sent.size() - done - head));
    if (head + body > 0) {
      const auto out =
          pair.a->write_some(std::span(sent).subspan(done, head), std::span(sent).subspan(done + head, body));
      HOLDS(out.state == (out.bytes > 0 ? State::moved : State::would_block));
      done += out.bytes;
    }
    const auto in = pair.b->read_some(buffer);
    HOLDS(in.state == (in.bytes > 0 ? State::moved : State::would_block));
    got.insert(got.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(in.bytes));
    HOLDS(in.bytes == 0 || pair.clock.time - begin >= conditions.delay);
    pair.clock.time += std::chrono::microseconds(up_to(100));
  }
  HOLDS(got == sent);
}

}  // namespace
}  // namespace sotto::net::testing

namespace sotto::net {

namespace {

using namespace std::chrono_literals;

TEST(LinkConditions, UnitsAreRead) {
  EXPECT_EQ(parse_delay("20ms", "x"), 20ms);
  EXPECT_EQ(parse_delay("0.5ms", "x"), 500us);
  EXPECT_EQ(parse_delay("7us", "x"), 7us);
  EXPECT_EQ(parse_delay("2s", "x"), 2s);
  EXPECT_EQ(parse_delay("0us", "x"), 0s);
  EXPECT_EQ(parse_rate("10kbit", "x"), 10'000u);
  EXPECT_EQ(parse_rate("100mbit", "x"), 100'000'000u);
  EXPECT_EQ(parse_rate("2.5gbit", "x"), 2'500'000'000u);
  LinkConditions conditions;
  parse_loss("1.5s", "x", conditions);
  EXPECT_EQ(conditions.cut_after, std::optional<std::chrono::nanoseconds>(1500ms));
  EXPECT_EQ(loss_text(conditions), "1.5s");
  conditions = {};
  parse_loss("0.25/s", "x", conditions);
  EXPECT_EQ(conditions.cut_probability, 0.25);
  EXPECT_EQ(loss_text(conditions), "0.25/s");
  EXPECT_EQ(loss_text({}), "");
}

TEST(LinkConditions, WhatIsNoQuantityIsRefused) {
  for (const char* text : {"", "20", "ms", "20 ms", "20min", "-1ms", "-0ms", "3s", "1e300s", "nanms", "infs", "20msx",
                           "0x10ms", "20MS", "+1ms", "20ms "}) {
    const std::string says = error_of<InputError>([&] { (void)parse_delay(text, "--link-delay"); });
    EXPECT_EQ(says.find("--link-delay: '" + std::string(text) + "' is no time of a link"), 0u) << says;
  }
  for (const char* text :
       {"", "100", "mbit", "100mbps", "0mbit", "1kbit", "-5mbit", "2000gbit", "inf gbit", "infgbit", "1e99gbit"}) {
    const std::string says = error_of<InputError>([&] { (void)parse_rate(text, "--link-rate"); });
    EXPECT_EQ(says.find("--link-rate: '" + std::string(text) + "' is no rate of a link"), 0u) << says;
  }
  for (const char* text : {"", "0s", "0/s", "1/s", "2/s", "-0.1/s", "0.1", "nan/s", "0.1/m"}) {
    LinkConditions conditions;
    const std::string says = error_of<InputError>([&] { parse_loss(text, "--link-loss", conditions); });
    EXPECT_EQ(says.find("--link-loss: '" + std::string(text) + "' is no loss of a link"), 0u) << says;
    EXPECT_FALSE(conditions.emulated());
  }
}

PROPERTY(LinkConditions, TextsParseToTheSameValue) {
  const std::chrono::nanoseconds delay(draw_in_range<std::int64_t>(0, 2'000'000'001));
  HOLDS(parse_delay(delay_text(delay), "x") == delay);
  const auto rate = draw_in_range<std::uint64_t>(10'000, 1'000'000'000'000);
  HOLDS(parse_rate(rate_text(rate), "x") == rate);
}

TEST(LinkConditions, AreDescribed) {
  EXPECT_EQ(describe({}), "");
  LinkConditions conditions{20ms, 1500us, 100'000'000};
  conditions.cut_after = 90s;
  EXPECT_EQ(describe(conditions), "delay 20ms, jitter 1.5ms, rate 100mbit, loss 90s");
  EXPECT_EQ(describe({0ms, 0ms, 1'000'000'000}), "rate 1gbit");
}

TEST(LinkConditions, TransferTakesBytesOverRate) {
  EXPECT_EQ(transfer_time({}, 1'000'000), 0s);
  EXPECT_EQ(transfer_time({0ms, 0ms, 100'000'000}, 1'250'000), 100ms);
  EXPECT_EQ(transfer_time({0ms, 0ms, 3'000'000'000}, 1), 3ns);  // rounded up
}

constexpr Clock::time_point start{std::chrono::hours(5)};

TEST(SendSchedule, DelaysAndSerializes) {
  SendSchedule schedule({20ms, 0ms, 8'000'000}, 1);  // a byte a microsecond
  EXPECT_EQ(schedule.send(1000, start), start + 21ms);
  EXPECT_EQ(schedule.send(500, start), start + 21500us);         // sent behind the first bytes
  EXPECT_EQ(schedule.send(500, start + 10ms), start + 30500us);  // the link was idle until these bytes were sent
}

TEST(SendSchedule, WithoutRateBytesOnlyTravel) {
  SendSchedule schedule({5ms, 0ms, 0}, 1);
  EXPECT_EQ(schedule.send(100'000'000, start), start + 5ms);
  EXPECT_LE(schedule.open_at(), start);
}

TEST(SendSchedule, TakesASendBufferAheadOfTheRate) {
  SendSchedule schedule({20ms, 0ms, 8'000'000}, 1);
  (void)schedule.send(send_buffer, start);
  EXPECT_EQ(schedule.open_at(), start);
  (void)schedule.send(1000, start);
  EXPECT_EQ(schedule.open_at(), start + 1ms);
}

TEST(SendSchedule, JitterIsUniformAndKeepsOrder) {
  SendSchedule spread({20ms, 4ms, 0}, 7);
  double sum = 0;
  double squares = 0;
  constexpr int draws = 20000;
  Clock::time_point now = start;
  for (int i = 0; i < draws; ++i) {
    now += 100ms;  // sends are far apart, so that no send waits for an earlier send
    const double ms = std::chrono::duration<double, std::milli>(spread.send(1, now) - now).count();
    EXPECT_GE(ms, 20.0);
    EXPECT_LE(ms, 24.0);
    sum += ms - 20;
    squares += (ms - 20) * (ms - 20);
  }
  // The mean of n draws has a standard deviation of 4 / sqrt(12 n) = 0.008.
  EXPECT_NEAR(sum / draws, 2.0, 0.05);
  EXPECT_NEAR(squares / draws, 16.0 / 3, 0.2);

  SendSchedule close({20ms, 4ms, 0}, 7);
  Clock::time_point last{};
  for (int i = 0; i < 1000; ++i) {
    now += 10us;
    const Clock::time_point arrival = close.send(1, now);
    EXPECT_GE(arrival, last);
    EXPECT_GE(arrival, now + 20ms);
    EXPECT_LE(arrival, now + 24ms);
    last = arrival;
  }
}

TEST(SendSchedule, CutsAtTheStatedTimeOrAtTheStatedRate) {
  EXPECT_EQ(SendSchedule({}, 1).cut_time(start), Clock::time_point::max());
  LinkConditions at;
  at.cut_after = 3s;
  EXPECT_EQ(SendSchedule(at, 1).cut_time(start), start + 3s);
  LinkConditions rate;
  rate.cut_probability = 0.2;
  int survive = 0;
  constexpr int draws = 20000;
  for (std::uint64_t seed = 0; seed < draws; ++seed) {
    const Clock::time_point cut = SendSchedule(rate, seed).cut_time(start);
    EXPECT_GE(cut, start);
    if (cut > start + 3s) ++survive;
  }
  EXPECT_NEAR(survive / double{draws}, std::pow(0.8, 3), 0.02);
}

}  // namespace

}  // namespace sotto::net
