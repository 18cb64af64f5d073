#include "sotto/apps/kit/deploy/link_options.h"

#include "sotto/apps/kit/program/command.h"

namespace sotto::apps {
namespace {

constexpr const char* group = "Emulated links (every link, one way)";

template <class Take>
void add(Command& command, const char* flag, const char* unit, const char* what, Take take) {
  command.add_option_function(flag, take, what)->type_name(unit)->group(group);
}

}  // namespace

void add_link_options(Command& command, net::LinkConditions& link) {
  add(command, "--link-delay", "TIME", "Delay, such as 20ms",
      [&link](const std::string& text) { link.delay = net::parse_delay(text, "--link-delay"); });
  add(command, "--link-jitter", "TIME", "Further delay, uniform from 0 to this, such as 2ms",
      [&link](const std::string& text) { link.jitter = net::parse_delay(text, "--link-jitter"); });
  add(command, "--link-rate", "RATE", "Rate, such as 100mbit (a second)",
      [&link](const std::string& text) { link.bits_per_second = net::parse_rate(text, "--link-rate"); });
  add(command, "--link-loss", "TIME|P/s",
      "Cut each link after this time, such as 30s, or with this probability a second, such as 0.01/s",
      [&link](const std::string& text) { net::parse_loss(text, "--link-loss", link); });
}

}  // namespace sotto::apps
