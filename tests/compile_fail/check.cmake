# A case of refusals.cc must compile, and with -DIS_WRONG must be refused at its line marked "refused": the control shows that
# nothing else is wrong with it.
#   cmake -DCOMPILER=.. -DINCLUDES=.. -DSOURCE=.. -DCASE=.. -P check.cmake
set(compile ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${INCLUDES}/core -I${INCLUDES}/protocols -I${INCLUDES}/net
    -D${CASE} ${SOURCE})

execute_process(COMMAND ${compile} RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(FATAL_ERROR "${CASE} must compile without -DIS_WRONG:\n${errors}")
endif()

file(READ ${SOURCE} text)
string(FIND "${text}" "#ifdef ${CASE}\n" begin)
string(SUBSTRING "${text}" ${begin} -1 rest)
string(FIND "${rest}" "// refused" within)
math(EXPR end "${begin} + ${within}")
string(SUBSTRING "${text}" 0 ${end} before)
string(REGEX REPLACE "[^\n]" "" lines "${before}")
string(LENGTH "${lines}" number)
math(EXPR number "${number} + 1")

execute_process(COMMAND ${compile} -DIS_WRONG RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(NOT failed)
  message(FATAL_ERROR "${CASE}, line ${number}, compiles, and must not")
endif()
if(NOT errors MATCHES "refusals.cc:${number}:[0-9]+: error")
  message(FATAL_ERROR "${CASE} is refused, but not at line ${number}:\n${errors}")
endif()
