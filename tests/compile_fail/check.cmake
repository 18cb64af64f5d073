# One file must compile without -DWRONG, and with it must be refused at the line marked "refused":
# the control shows that nothing else is wrong with the file.
#   cmake -DCOMPILER=.. -DINCLUDES=.. -DSOURCE=.. -P check.cmake
set(compile ${COMPILER} -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I${INCLUDES}/core -I${INCLUDES}/protocols -I${INCLUDES}/net)

execute_process(COMMAND ${compile} ${SOURCE} RESULT_VARIABLE failed ERROR_VARIABLE errors)
if(failed)
  message(FATAL_ERROR "${SOURCE} must compile without -DWRONG:\n${errors}")
endif()

file(STRINGS ${SOURCE} lines)
set(number 0)
set(marked 0)
foreach(line IN LISTS lines)
  math(EXPR number "${number} + 1")
  if(line MATCHES "// refused")
    set(marked ${number})
  endif()
endforeach()
if(marked EQUAL 0)
  message(FATAL_ERROR "${SOURCE} marks no line as refused")
endif()

execute_process(COMMAND ${compile} -DWRONG ${SOURCE} RESULT_VARIABLE failed ERROR_VARIABLE errors)
get_filename_component(name ${SOURCE} NAME)
if(NOT failed)
  message(FATAL_ERROR "${SOURCE}:${marked} compiles, and must not")
endif()
if(NOT errors MATCHES "${name}:${marked}:[0-9]+: error")
  message(FATAL_ERROR "${SOURCE} is refused, but not at line ${marked}:\n${errors}")
endif()
