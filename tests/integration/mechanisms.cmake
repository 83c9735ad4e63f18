# The Mechanisms sample: what each mechanism does, and two later builds of its plugin, in which a
# class and a struct have another version.
file(GLOB mechanisms_sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/samples/mechanisms/Plugins/mechanisms/*.[ch])
function(mechanisms_add_variant variant file from to)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/mechanisms_${variant})
    file(REMOVE_RECURSE ${folder})
    file(COPY ${mechanisms_sources} DESTINATION ${folder})
    file(READ ${folder}/${file} text)
    string(REPLACE "${from}" "${to}" changed "${text}")
    if(changed STREQUAL text)
        message(FATAL_ERROR "${file} has no '${from}'")
    endif()
    file(WRITE ${folder}/${file} "${changed}")
    file(GLOB sources ${folder}/*.c)
    cook_add_plugin(mechanisms_${variant} ${sources})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${mechanisms_sources})
endfunction()
mechanisms_add_variant(recipe schema.c "RECIPE_VERSION 1u" "RECIPE_VERSION 2u")
mechanisms_add_variant(stats creature.c "STATS_VERSION 1u" "STATS_VERSION 2u")
mechanisms_add_variant(walls helper.c "== '#') << i" "== '.') << i")

add_test(NAME integration_mechanisms
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/mechanisms.py
        ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR}
        ${CMAKE_BINARY_DIR}/samples/mechanisms)
set_tests_properties(integration_mechanisms PROPERTIES TIMEOUT 300)
