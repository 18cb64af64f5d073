# This script runs in every build, because a commit changes no source file. The script writes OUTPUT only if the text
# changes.
#   cmake -DSOURCE=.. -DTEMPLATE=.. -DOUTPUT=.. -DSOTTO_BUILD_TYPE=.. -DSOTTO_VERSION=.. -P GitCommit.cmake
set(SOTTO_GIT_COMMIT "unknown")
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
                RESULT_VARIABLE status OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
get_filename_component(source "${SOURCE}" REALPATH)
# A copy of SOURCE inside another repository must not get that repository's commit.
if(status EQUAL 0 AND top STREQUAL source)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude=*
                  RESULT_VARIABLE status OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(status EQUAL 0 AND described MATCHES "^[0-9a-f]+(-dirty)?$")
    set(SOTTO_GIT_COMMIT ${described})
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
