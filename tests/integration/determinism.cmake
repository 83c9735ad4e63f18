# Planted indeterminisms beside clean twins, and the sample project.
cook_add_plugin(determinism determinism/plugin.c)
# A sanitizer's runtime wants to be the first library of a process; the perturbations preload another.
if(COOK_SANITIZE)
    return()
endif()
add_test(NAME integration_determinism
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/determinism.py
        ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_BINARY_DIR}/samples/arena)
set_tests_properties(integration_determinism PROPERTIES TIMEOUT 300)
