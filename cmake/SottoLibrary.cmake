include_guard()

# Each layer comes after the layers that it uses.
set(SOTTO_LAYERS core protocols library net kit prepare bandit_model bandit_run run)

# Columns: the target; its CMake package; its name in pkg-config, or its linker flags; its Debian package.
set(SOTTO_DEPENDENCIES
    "Eigen3::Eigen|Eigen3 3.4|eigen3|libeigen3-dev"
    "fmt::fmt|fmt|fmt|libfmt-dev"
    "OpenSSL::Crypto|OpenSSL 3.0 COMPONENTS Crypto SSL|libcrypto|libssl-dev"
    "OpenSSL::SSL|OpenSSL 3.0 COMPONENTS Crypto SSL|libssl|libssl-dev"
    "Sodium::Sodium|Sodium|libsodium|libsodium-dev"
    "SQLite::SQLite3|SQLite3|sqlite3|libsqlite3-dev"
    "Threads::Threads|Threads|-pthread|"
    "tomlplusplus::tomlplusplus|tomlplusplus|tomlplusplus|libtomlplusplus-dev"
    "Utf8proc::Utf8proc|Utf8proc|libutf8proc|libutf8proc-dev")

function(sotto_dependencies column)
  set(all "")
  foreach(target IN LISTS ARGN)
    set(row ${SOTTO_DEPENDENCIES})
    list(FILTER row INCLUDE REGEX "^${target}[|]")
    if(NOT row)
      message(FATAL_ERROR "libsotto links ${target}, which SOTTO_DEPENDENCIES lacks")
    endif()
    string(REPLACE "|" ";" row "${row}")
    list(GET row ${column} cell)
    list(APPEND all "${cell}")
  endforeach()
  list(REMOVE_DUPLICATES all)
  list(REMOVE_ITEM all "")
  set(found "${all}" PARENT_SCOPE)
endfunction()

# Makes sotto_static, and sotto_shared if BUILD_SHARED_LIBS is on, without compiling anything again. Sets
# sotto_links_public to the libraries in libsotto's headers, and sotto_links to all libraries that libsotto links.
function(sotto_add_library)
  set(layers "")
  foreach(layer IN LISTS SOTTO_LAYERS)
    if(TARGET sotto_${layer})
      list(APPEND layers ${layer})
    endif()
  endforeach()
  set(SOTTO_LAYERS ${layers})
  set(SOTTO_LAYERS ${layers} PARENT_SCOPE)
  set(objects "")
  set(public "")
  set(private "")
  foreach(layer IN LISTS SOTTO_LAYERS)
    list(APPEND objects $<TARGET_OBJECTS:sotto_${layer}>)
    get_target_property(links sotto_${layer} INTERFACE_LINK_LIBRARIES)
    foreach(link IN LISTS links)
      string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" name "${link}")
      if(NOT SOTTO_DEPENDENCIES MATCHES "(^|;)${name}[|]" OR (name STREQUAL "Eigen3::Eigen" AND NOT link STREQUAL name))
        continue()  # a layer, or a library whose headers no public header includes
      elseif(link STREQUAL name)
        list(APPEND public ${name})
      else()
        list(APPEND private ${name})
      endif()
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES public)
  list(REMOVE_DUPLICATES private)
  list(REMOVE_ITEM private ${public})
  sotto_dependencies(1 ${public} ${private})
  foreach(package IN LISTS found)  # again here, because each layer's folder found them only for itself
    separate_arguments(package UNIX_COMMAND "${package}")
    find_package(${package} REQUIRED)
  endforeach()

  set(kinds static)
  add_library(sotto_static STATIC ${objects})
  if(BUILD_SHARED_LIBS)
    list(APPEND kinds shared)
    add_library(sotto_shared SHARED ${objects})
    set(script ${PROJECT_SOURCE_DIR}/cmake/sotto.map)
    set_target_properties(sotto_shared PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION 0 LINK_DEPENDS ${script})
    target_link_options(sotto_shared PRIVATE -Wl,--version-script=${script})
    if(NOT SOTTO_SANITIZE)
      target_link_options(sotto_shared PRIVATE -Wl,-z,defs)
    endif()
  endif()
  foreach(kind IN LISTS kinds)
    add_library(sotto::${kind} ALIAS sotto_${kind})
    set_target_properties(sotto_${kind} PROPERTIES OUTPUT_NAME sotto LINKER_LANGUAGE CXX EXPORT_NAME ${kind})
    target_compile_features(sotto_${kind} INTERFACE cxx_std_20)
    target_include_directories(sotto_${kind} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(sotto_${kind} PUBLIC ${public} PRIVATE ${private})
    if(NOT PROJECT_IS_TOP_LEVEL)
      set_target_properties(sotto_${kind} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
  endforeach()
  list(GET kinds -1 kind)
  add_library(sotto::sotto ALIAS sotto_${kind})
  set(sotto_links_public ${public} PARENT_SCOPE)
  set(sotto_links ${public} ${private} PARENT_SCOPE)
endfunction()
