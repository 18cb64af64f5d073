# A count within the tolerance passes, a count above the tolerance fails, and a count from another compiler never fails.
#   cmake -DPROGRAM=sotto_instructions -DWORK=folder -P check.cmake
cmake_minimum_required(VERSION 3.22)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(baseline ${WORK}/baseline.json)
set(counts ${WORK}/counts)

function(write_counts a b)
  file(WRITE ${counts} "avx2\tone step\t${a}\nbaseline\tone step\t${b}\n")
endfunction()

# run(COMMAND STATUS PATTERN): COMMAND must exit with STATUS and print a text that matches PATTERN.
function(run command status pattern)
  execute_process(COMMAND ${PROGRAM} ${command} ${baseline} ${counts} RESULT_VARIABLE ended
                  OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT ended EQUAL status OR NOT said MATCHES "${pattern}")
    message(FATAL_ERROR "${command} ended with ${ended}, not ${status}, or did not say '${pattern}':\n${said}")
  endif()
endfunction()

write_counts(100000 200000)
run(compare 2 "baseline.json: cannot be read")
run(update 0 "")
run(compare 0 "none above the baseline")
write_counts(102900 194100)
run(compare 0 "none above the baseline")
write_counts(103100 200000)
run(compare 1 "1 above the baseline by more than 3%.*--update")
write_counts(90000 200000)
run(compare 0 "1 fewer by more than 3%")

file(WRITE ${counts} "avx2\tanother step\t5\n")
run(compare 1 "1 not counted any more")
file(WRITE ${counts} "avx2\tone step\t90000\n")
run(update 0 "")
write_counts(90000 300000)
run(compare 1 "1 above the baseline")

file(READ ${baseline} text)
string(REGEX REPLACE "\"compiler\": \"[^\"]*\"" "\"compiler\": \"g++ 1.0\"" text "${text}")
file(WRITE ${baseline} "${text}")
run(compare 0 "another compiler")
file(WRITE ${baseline} "{}")
run(compare 2 "not a baseline")
