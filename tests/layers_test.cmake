# What may include what, and who may ask which role it is.
#   cmake -DROOT=.. -P layers_test.cmake
set(faults "")

# refuse(PATTERN REASON files...) notes each line of the files that matches the pattern.
function(refuse pattern reason)
  foreach(file IN LISTS ARGN)
    file(STRINGS ${ROOT}/${file} lines REGEX "${pattern}")
    foreach(line IN LISTS lines)
      string(APPEND faults "${file}: ${reason}\n    ${line}\n")
    endforeach()
  endforeach()
  set(faults "${faults}" PARENT_SCOPE)
endfunction()

function(sources_of result)
  set(globs "")
  foreach(folder IN LISTS ARGN)
    list(APPEND globs ${ROOT}/${folder}/*.h ${ROOT}/${folder}/*.cc)
  endforeach()
  file(GLOB_RECURSE files RELATIVE ${ROOT} ${globs})
  if(NOT files)
    message(FATAL_ERROR "no sources in ${ARGN}: the test looks in the wrong place")
  endif()
  set(${result} "${files}" PARENT_SCOPE)
endfunction()

# 1. Layers: apps -> net, protocols -> core.
set(include "^ *# *include *[<\"]")
sources_of(core core)
sources_of(protocols protocols)
sources_of(net net)
sources_of(apps apps)
refuse("${include}(protocols|net|apps|tests|bench)/" "core uses nothing of ours" ${core})
refuse("${include}(net|apps|tests|bench)/" "protocols use core only" ${protocols})
refuse("${include}(protocols|apps|tests|bench)/" "net uses core only" ${net})
refuse("${include}(tests|bench)/" "apps use the layers below only" ${apps})

# 2. Heavy headers stay in .cc files. The wrapper that includes Asio in the right order is for them.
set(headers ${core} ${protocols} ${net} ${apps})
list(FILTER headers INCLUDE REGEX "\\.h$")
list(FILTER headers EXCLUDE REGEX "^net/tcp/asio\\.h$")
refuse("${include}(Eigen/|CLI/|toml|boost/|openssl/|sqlite3|asio|net/tcp/asio\\.h)"
       "headers include no heavy library" ${headers})

# 3. Composed protocols and programs run alike at every role: only primitives ask which one it is.
set(primitives
    protocols/io/ protocols/lookup/ protocols/preprocessing/ protocols/simulate/ protocols/summation/
    protocols/arithmetic/product protocols/arithmetic/mask_trunc protocols/arithmetic/triples
    protocols/boolean/bit_and protocols/boolean/open_bool protocols/compare/below_zero protocols/compare/winners
    protocols/compare/samples protocols/compare/ranked_values
    protocols/convert/arith_to_bool protocols/convert/bool_to_arith)
set(composed ${protocols})
foreach(primitive IN LISTS primitives)
  set(before "${composed}")
  list(FILTER composed EXCLUDE REGEX "^${primitive}")
  if("${before}" STREQUAL "${composed}")
    message(FATAL_ERROR "there is no ${primitive} any more: correct the list of primitives")
  endif()
endforeach()
set(programs ${apps})
list(FILTER programs INCLUDE REGEX "^apps/bandit/")
set(role_test "(holds_shares|deals|adds_constants|at_dealer_only|correlations) *\\(|[.>]is *\\(")
refuse("${role_test}" "only primitives ask for the role" ${composed} ${programs})

if(faults)
  message(FATAL_ERROR "${faults}")
endif()
