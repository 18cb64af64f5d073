# What the include roots of the targets (cmake/SottoOptions.cmake) and the linker cannot keep.
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

sources_of(core core)
sources_of(protocols protocols)
sources_of(library apps/library)
sources_of(net net)
sources_of(apps apps)
sources_of(lab bench/lab)
set(include "^ *# *include *[<\"]")

# 1. Heavy headers stay in .cc files. The wrappers of Asio and of toml++ are for them; a Matrix of the library is one of Eigen.
set(headers ${core} ${protocols} ${net} ${apps} ${lab})
list(FILTER headers INCLUDE REGEX "\\.h$")
list(FILTER headers EXCLUDE REGEX "^(net/transport/asio|apps/kit/settings/toml_file|apps/library/matrix)\\.h$")
refuse("${include}(Eigen/|CLI/|toml|boost/|openssl/|sodium|sqlite3|utf8proc|asio|sotto/net/transport/asio\\.h|sotto/apps/kit/settings/toml_file\\.h)"
       "headers include no heavy library" ${headers})

# 2. Composed protocols and programs run alike at every role: only primitives ask which one it is.
set(primitives
    protocols/io/ protocols/lookup/ protocols/preprocessing/ protocols/sets/ protocols/simulate/
    protocols/summation/
    protocols/arithmetic/product protocols/arithmetic/mask_trunc protocols/arithmetic/selection
    protocols/arithmetic/triples
    protocols/boolean/bit_and protocols/boolean/open_bool protocols/compare/below_zero protocols/compare/winners
    protocols/compare/choose
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
list(FILTER programs INCLUDE REGEX "^apps/bandit/(private_bandit|batch/(agree|decide|learn|private_batches|turns)|evaluate/private_evaluation)\\.cc$")
if(NOT programs)
  message(FATAL_ERROR "the program of the private bandit is somewhere else: correct its path")
endif()
set(role_test "(holds_shares|adds_constants|preprocessing) *\\(|[.>]is *\\(")
refuse("${role_test}" "only primitives ask for the role" ${composed} ${library} ${programs})

if(faults)
  message(FATAL_ERROR "${faults}")
endif()
