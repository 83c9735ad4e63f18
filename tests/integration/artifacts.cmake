# Artifacts, additional files, chunks and staging: incremental against full.
cook_add_plugin(art artifacts/plugin.c)
cook_add_plugin(art_crashing artifacts/plugin.c)
target_compile_definitions(art_crashing PRIVATE CRASHING)
add_test(NAME integration_artifacts
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/artifacts.py
        ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(integration_artifacts PROPERTIES TIMEOUT 300)
