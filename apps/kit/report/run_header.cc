#include "sotto/apps/kit/report/run_header.h"

#include "sotto/apps/kit/program/command_line.h"
#include "sotto/apps/kit/program/version.h"

namespace sotto::apps {

void RunHeader::stamp(const std::string& time) {
  version = apps::version();
  command = command_line();
  started = time;
}

}  // namespace sotto::apps
