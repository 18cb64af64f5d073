set(faults "")
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/tmp)
set(ENV{TMPDIR} ${WORK}/tmp)  # for files that a killed program leaves
file(WRITE ${WORK}/a.csv "x\n0.5\n0.25\n")

# expect(CODE PATTERN arguments...) checks the exit code of `program arguments`, and its output: stdout if CODE is 0,
# otherwise stderr.
function(expect code pattern)
  execute_process(COMMAND ${program} ${ARGN} WORKING_DIRECTORY ${WORK} TIMEOUT 30
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE error)
  list(JOIN ARGN " " arguments)
  if(code EQUAL 0)
    set(shown "${output}")
  else()
    set(shown "${error}")
    string(REGEX REPLACE "\n$" "" line "${error}")
    if(line MATCHES "\n" OR line STREQUAL "")
      string(APPEND faults "sotto ${arguments}: not one line on stderr: ${error}\n")
    endif()
  endif()
  if(NOT status EQUAL code)
    string(APPEND faults "sotto ${arguments}: exit code ${status}, not ${code}: ${output}${error}\n")
  elseif(NOT shown MATCHES "${pattern}")
    string(APPEND faults "sotto ${arguments}: does not say '${pattern}': ${shown}\n")
  endif()
  set(faults "${faults}" PARENT_SCOPE)
endfunction()
