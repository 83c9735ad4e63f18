# Findings over time: their states, bundles of them, and the replay that proves a fix. A variant of the
# plugin is one "build".
function(lineage_add_variant name)
    cook_add_plugin(lineage_${name} lineage/lineage.c)
    target_compile_definitions(lineage_${name} PRIVATE ${ARGN})
endfunction()
lineage_add_variant(hidden DECLARED=0 NUMBER=1 VERSION=1)
lineage_add_variant(changed DECLARED=0 NUMBER=2 VERSION=1)
lineage_add_variant(versioned DECLARED=0 NUMBER=2 VERSION=2)
lineage_add_variant(content DECLARED=0 NUMBER=1 VERSION=1 "LEVEL=\"Content/level.txt\"")
lineage_add_variant(declared DECLARED=1 NUMBER=1 VERSION=3)

foreach(name states bundle replay churn)
    add_test(NAME integration_${name}
        COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/lineage_${name}.py
            ${CMAKE_BINARY_DIR}/bin ${CMAKE_CURRENT_BINARY_DIR})
    set_tests_properties(integration_${name} PROPERTIES TIMEOUT 300)
endforeach()

# Some steps of one history; all of all histories, with a full cook after each: churn_corpus.py without
# --steps and with --compare.
add_test(NAME integration_churn_corpus
    COMMAND ${COOK_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/churn_corpus.py --bin ${CMAKE_BINARY_DIR}/bin
        --plugin $<TARGET_FILE:lineage_content> --unpacked ${CMAKE_BINARY_DIR}/corpus --steps 6
        kenney-platformer)
set_tests_properties(integration_churn_corpus PROPERTIES
    SKIP_RETURN_CODE 77 TIMEOUT 600 RESOURCE_LOCK corpus)
