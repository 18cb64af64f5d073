# The component `devel` has the library's headers, and `runtime` has the shared library.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sotto)

if(SOTTO_BUILD_APPS)
  install(TARGETS sotto RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
  if(NOT CMAKE_CROSSCOMPILING)  # sotto itself prints its man page and its completion
    foreach(page man completion)
      install(CODE "execute_process(COMMAND \"$<TARGET_FILE:sotto>\" help --${page} OUTPUT_FILE \"${PROJECT_BINARY_DIR}/sotto.${page}\" COMMAND_ERROR_IS_FATAL ANY)"
              COMPONENT programs)
    endforeach()
    install(FILES ${PROJECT_BINARY_DIR}/sotto.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME sotto.1 COMPONENT programs)
    install(FILES ${PROJECT_BINARY_DIR}/sotto.completion RENAME sotto
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT programs)
  endif()
  # A unit contains the prefix, which may be given only at `cmake --install`, so `cmake --install` writes the unit.
  install(CODE "set(CMAKE_INSTALL_FULL_BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
configure_file(\"${PROJECT_SOURCE_DIR}/apps/deploy/systemd/sotto@.service.in\" \"${PROJECT_BINARY_DIR}/deploy/sotto@.service\" @ONLY)"
          COMPONENT programs)
  install(FILES ${PROJECT_BINARY_DIR}/deploy/sotto@.service DESTINATION lib/systemd/system COMPONENT programs)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/deploy/systemd/sotto.sysusers.conf DESTINATION lib/sysusers.d RENAME sotto.conf
          COMPONENT programs)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/deploy/container/Containerfile ${PROJECT_SOURCE_DIR}/apps/deploy/kubernetes/role.yaml
                ${PROJECT_SOURCE_DIR}/apps/deploy/prometheus/alerts.yml
          DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto/deploy COMPONENT programs)
  install(FILES ${PROJECT_SOURCE_DIR}/apps/prepare/data/digits.csv ${PROJECT_SOURCE_DIR}/apps/prepare/data/digits.LICENSE
          DESTINATION ${CMAKE_INSTALL_DATADIR}/sotto COMPONENT programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs
          FILES_MATCHING PATTERN site EXCLUDE PATTERN "*.md" PATTERN "*.svg" PATTERN "*.json")
  file(GLOB records CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/results/*.md ${PROJECT_SOURCE_DIR}/bench/results/*.svg)
  install(FILES ${records} DESTINATION ${CMAKE_INSTALL_DOCDIR}/bench/results COMPONENT programs)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/apps/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/apps COMPONENT programs
          PATTERN CMakeLists.txt EXCLUDE PATTERN __pycache__ EXCLUDE)
  file(RELATIVE_PATH share ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_DATADIR}/sotto)
  file(READ ${PROJECT_SOURCE_DIR}/README.md readme)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
  string(REPLACE "(apps/prepare/data/" "(${share}/" readme "${readme}")
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/installed/README.md CONTENT "${readme}" @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/installed/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
  foreach(page CHANGELOG CODE_OF_CONDUCT CONTRIBUTING SECURITY)
    install(FILES ${PROJECT_SOURCE_DIR}/${page}.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
  endforeach()
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)

install(TARGETS sotto_static EXPORT sottoStatic ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel)
install(EXPORT sottoStatic NAMESPACE sotto:: DESTINATION ${package_dir} COMPONENT devel)
if(TARGET sotto_shared)
  install(TARGETS sotto_shared EXPORT sottoShared
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT devel)
  install(EXPORT sottoShared NAMESPACE sotto:: DESTINATION ${package_dir} COMPONENT devel)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sotto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel)
install(FILES ${PROJECT_SOURCE_DIR}/apps/run/sotto.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT devel)

# A program that links the shared library needs only the libraries of the public headers. A program that links the
# static library needs all libraries.
string(REPLACE ";" " " sotto_components "${SOTTO_LAYERS}")
sotto_dependencies(1 ${sotto_links_public})
list(TRANSFORM found REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE find_public)
sotto_dependencies(1 ${sotto_links})
list(TRANSFORM found REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE find_all)
list(JOIN find_public "\n" sotto_find_for_shared)
list(JOIN find_all "\n  " sotto_find_for_static)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/sottoConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/sottoConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sottoConfig.cmake ${PROJECT_BINARY_DIR}/sottoConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindPlainLibrary.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindSodium.cmake
              ${CMAKE_CURRENT_LIST_DIR}/FindUtf8proc.cmake
        DESTINATION ${package_dir} COMPONENT devel)

sotto_dependencies(2 ${sotto_links_public})
set(requires ${found})
set(flags ${found})
sotto_dependencies(2 ${sotto_links})
list(REMOVE_ITEM found ${requires})
set(flags ${found})
list(FILTER flags INCLUDE REGEX "^-")
list(FILTER found EXCLUDE REGEX "^-")
list(JOIN requires ", " sotto_pc_requires)
list(JOIN found ", " sotto_pc_requires_private)
list(JOIN flags " " sotto_pc_flags)
set(sotto_pc_private ".private")
if(NOT TARGET sotto_shared)
  set(sotto_pc_requires "${sotto_pc_requires}, ${sotto_pc_requires_private}")
  set(sotto_pc_requires_private "")
endif()
file(RELATIVE_PATH sotto_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/sotto.pc.in ${PROJECT_BINARY_DIR}/sotto.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sotto.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)

include(SottoPackages)
