/*
 * PatrolRoute: a source format of one's own. The reader tells the registry what a .route file
 * holds (scan) and makes objects of it (load); from there on it is a class like any other.
 *
 *     # metres
 *     -8 0 -8
 *      8 0 -8
 */
#include "arena.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define CLASS_NAME  "/Script/Arena.PatrolRoute"
#define OBJECT_NAME "Route"
#define MAX_POINTS  10000u

struct patrol_route {
    struct cook_object object;
    struct cook_array points; /* of struct cook_vec3, metres */
    float length_m;           /* derived: once around */
};

static const struct cook_property properties[] = {
    COOK_PROPERTY_ARRAY_OF(struct patrol_route, points, "Points", COOK_PROPERTY_STRUCT, "Vec3"),
    COOK_PROPERTY_END,
};

static enum cook_status route_pre_save(struct cook_context *context, void *object)
{
    struct patrol_route *self = object;
    const struct cook_vec3 *points = self->points.items;

    (void)context;
    self->length_m = 0;
    for (uint32_t i = 0; i < self->points.count; i++) {
        const struct cook_vec3 *a = &points[i], *b = &points[(i + 1) % self->points.count];
        float x = b->x - a->x, y = b->y - a->y, z = b->z - a->z;

        self->length_m += sqrtf(x * x + y * y + z * z);
    }
    return COOK_OK;
}

static void route_serialize(struct cook_archive *archive, void *object)
{
    struct patrol_route *self = object;

    if (cook_archive_phase(archive) != COOK_PHASE_LOAD)
        cook_field_f32(archive, "Length", &self->length_m);
}

static const struct cook_class patrol_route_class = {
    .name = "PatrolRoute",
    .size = sizeof(struct patrol_route),
    .properties = properties,
    .pre_save = route_pre_save,
    .serialize = route_serialize,
};

/* The registry asks this of every file once, so it does as little as it can. */
static enum cook_status route_scan(struct cook_scan *scan, const struct cook_source *source)
{
    (void)source;
    cook_scan_object(scan, OBJECT_NAME, CLASS_NAME, NULL);
    return COOK_OK;
}

/* The text is untrusted: every line is checked, and a fault names file and line. */
static enum cook_status parse_points(struct cook_loader *loader, struct cook_array *points,
                                     const char *text)
{
    struct cook_vec3 *items = points->items;
    uint32_t number = 0;

    for (const char *line = text; *line != '\0'; line += *line == '\n') {
        size_t size = strcspn(line, "\n");
        char copy[128];
        struct cook_vec3 point;

        number++;
        if (size >= sizeof(copy))
            return cook_load_fail(loader, number, "the line is too long");
        memcpy(copy, line, size);
        copy[size] = '\0';
        line += size;
        if (copy[0] == '#' || size == 0)
            continue;
        if (sscanf(copy, "%f %f %f", &point.x, &point.y, &point.z) != 3)
            return cook_load_fail(loader, number, "expected three numbers");
        if (points->count == points->capacity)
            return cook_load_fail(loader, number, "more than %u points", MAX_POINTS);
        items[points->count++] = point;
    }
    return COOK_OK;
}

static enum cook_status route_load(struct cook_context *context, struct cook_loader *loader,
                                   const struct cook_source *source)
{
    struct patrol_route *self = cook_load_object(loader, CLASS_NAME, OBJECT_NAME, NULL);
    uint32_t lines = 1;

    if (!self)
        return COOK_E_FAILED;
    for (size_t i = 0; i < source->size && lines < MAX_POINTS; i++)
        lines += source->data[i] == '\n';
    self->points.items = cook_alloc_array(context, lines, sizeof(struct cook_vec3));
    self->points.capacity = lines;
    if (!self->points.items)
        return COOK_E_NO_MEMORY;
    return parse_points(loader, &self->points, (const char *)source->data);
}

static const char *const extensions[] = { ".route", NULL };
static const struct cook_reader route_reader = {
    .name = "arena-route",
    .version = 1, /* bump when a file gives other objects */
    .extensions = extensions,
    .scan = route_scan,
    .load = route_load,
};

void arena_register_patrol_route(struct cook_registrar *registrar)
{
    cook_register_class(registrar, &patrol_route_class);
    cook_register_reader(registrar, &route_reader);
}
