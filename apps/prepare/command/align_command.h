// `sotto align`: which rows of a company's table are about cases that all companies have, in one order.
#pragma once

namespace sotto::apps {
class Command;
class Keys;
}  // namespace sotto::apps

namespace sotto::apps::prepare {

void add_align_command(Command& app, const Keys& keys);

}  // namespace sotto::apps::prepare
