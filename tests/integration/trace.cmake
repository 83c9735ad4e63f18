# What traced workers see, each access beside a clean twin.
cook_add_plugin(traced trace/plugin.c)
add_executable(refuse_seccomp trace/refuse_seccomp.c)
target_link_libraries(refuse_seccomp PRIVATE cook_flags)
add_test(NAME integration_trace
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/trace.py
        ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(integration_trace PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
