/*
 * The native format: scan, then load and save through a session, of one class with every kind
 * of property. What the scan takes, the load takes too unless a property is at fault, and both
 * name the same objects; what is saved parses as a cooked package.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cook/archive/cooked.h"
#include "cook/base/path.h"
#include "cook/reader/readers.h"
#include "cook/registry/facts.h"
#include "cook/worker/session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct thing {
    struct cook_object base;
    bool flag;
    int8_t small;
    uint64_t large;
    float real;
    struct cook_string text;
    struct cook_name name;
    struct cook_bytes bytes;
    struct cook_ref ref;
    struct cook_soft_ref soft;
    struct cook_array things; /* of struct pair */
    struct cook_map numbers;  /* of double */
    int32_t kind;
};
struct pair {
    struct cook_ref ref;
    struct cook_array names;
};

static const struct cook_property pair_properties[] = {
    COOK_PROPERTY(struct pair, ref, "R", COOK_PROPERTY_REF),
    COOK_PROPERTY_ARRAY_OF(struct pair, names, "N", COOK_PROPERTY_NAME, NULL),
    COOK_PROPERTY_END,
};
static const struct cook_struct pair_struct = { .name = "Pair",
                                                .size = sizeof(struct pair),
                                                .properties = pair_properties };
static const struct cook_enum_entry entries[] = { { "A", 1 }, { "B", 2 }, { NULL, 0 } };
static const struct cook_enum kinds = { "Kind", entries };
static const struct cook_property properties[] = {
    COOK_PROPERTY(struct thing, flag, "Flag", COOK_PROPERTY_BOOL),
    COOK_PROPERTY(struct thing, small, "Small", COOK_PROPERTY_I8),
    COOK_PROPERTY(struct thing, large, "Large", COOK_PROPERTY_U64),
    COOK_PROPERTY(struct thing, real, "Real", COOK_PROPERTY_F32),
    COOK_PROPERTY(struct thing, text, "Text", COOK_PROPERTY_STRING),
    COOK_PROPERTY(struct thing, name, "Name", COOK_PROPERTY_NAME),
    COOK_PROPERTY(struct thing, bytes, "Bytes", COOK_PROPERTY_BYTES),
    COOK_PROPERTY(struct thing, ref, "Ref", COOK_PROPERTY_REF),
    COOK_PROPERTY(struct thing, soft, "Soft", COOK_PROPERTY_SOFT_REF),
    COOK_PROPERTY_ARRAY_OF(struct thing, things, "Things", COOK_PROPERTY_STRUCT, "Pair"),
    COOK_PROPERTY_MAP_OF(struct thing, numbers, "Numbers", COOK_PROPERTY_F64, NULL),
    COOK_PROPERTY_TYPED(struct thing, kind, "Kind", COOK_PROPERTY_ENUM, "Kind"),
    COOK_PROPERTY_END,
};
static const struct cook_class thing = { .name = "Thing",
                                         .size = sizeof(struct thing),
                                         .properties = properties };

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* One session for all inputs: packages come and go, types stay. */
static struct cook_session *session(void)
{
    static struct cook_session made;
    if (made.async)
        return &made;
    require(cook_session_init(&made, NULL) == COOK_OK);
    cook_register_module(&made.types, "T");
    cook_register_class(&made.types, &thing);
    cook_register_struct(&made.types, &pair_struct);
    cook_register_enum(&made.types, &kinds);
    require(cook_types_link(&made.types, NULL, NULL) == COOK_OK);
    made.target = "Desktop";
    made.project_fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return &made;
}

static void check_objects(const struct cook_package *package, const struct cook_facts *facts)
{
    require(!facts->fault && facts->object_count == package->object_count);
    for (uint32_t i = 0; i < package->object_count; i++) {
        require(strcmp(facts->objects[i].path, package->objects[i]->inner_path) == 0);
        require(strcmp(facts->objects[i].class_name, package->objects[i]->class_info->name) ==
                0);
    }
}

static void save(struct cook_package *package, struct cook_arena *arena)
{
    struct cook_context context;
    struct cook_save_result result;
    struct cook_cooked cooked;
    require(cook_context_init(&context, session(), package) == COOK_OK);
    if (cook_session_save(session(), package, &context, &result) == COOK_OK && result.ok &&
        result.bytes.size)
        require(cook_cooked_parse(&cooked, result.bytes.data, result.bytes.size, arena, NULL) ==
                COOK_OK);
    cook_save_result_finish(&result);
    cook_context_finish(&context);
}

static void load(const struct cook_source *source, const struct cook_facts *facts,
                 struct cook_arena *arena)
{
    struct cook_package package = { .name = source->package,
                                    .path = source->path,
                                    .folder = cook_path_folder(arena, source->path) };
    struct cook_loader loader = { session(), &package, &package.load, source };
    pthread_mutex_init(&package.arena_lock, NULL);
    require(cook_context_init(&package.load, session(), &package) == COOK_OK);
    if (cook_reader_asset.load(&package.load, &loader, source) == COOK_OK &&
        !cook_context_has_errors(&package.load)) {
        check_objects(&package, facts);
        save(&package, arena);
    }
    cook_context_finish(&package.load);
    cook_free(package.objects);
    cook_intern_finish(&package.inner_paths);
    cook_arena_finish(&package.arena);
    pthread_mutex_destroy(&package.arena_lock);
}

/* The input, up to a byte 0, is the main file; what follows, if anything, the side file. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cook_arena arena = COOK_ARENA_INIT;
    struct cook_facts facts = { 0 };
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t main_size = zero ? (size_t)(zero - data) : size;
    size_t side_size = zero ? size - main_size - 1 : 0;
    struct cook_source source = {
        .package = "/Game/A",
        .path = "Content/A.asset",
        .data = (const uint8_t *)cook_arena_strndup(&arena, (const char *)data, main_size),
        .size = main_size,
    };
    if (zero) {
        uint8_t *side = cook_arena_alloc(&arena, side_size + 1);
        memcpy(side, zero + 1, side_size);
        source.side_data = side;
        source.side_size = side_size;
    }
    if (cook_facts_scan_typed(&facts, &cook_reader_asset, &source, &session()->types, &arena,
                              NULL) == COOK_OK)
        load(&source, &facts, &arena);
    cook_arena_finish(&arena);
    return 0;
}
