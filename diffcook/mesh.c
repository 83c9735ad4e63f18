#include "mesh.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cook/classes/mesh.h"
#include "fields.h"

#define VERTICES       "Vertices#bulk"
#define POSITION_BYTES 8u /* with the sign of the tangent */
#define GRID           65535.0 /* steps along each side of the bounds */

/* The vertices of one version. */
struct mesh {
    const uint8_t *bytes;
    uint32_t count;
    uint32_t stride;
    uint32_t attributes;
    double low[3];
    double extent[3];
};

static bool read_bounds(struct mesh *mesh, const struct diff_version *version, const char *path)
{
    static const char *const fields[2][3] = { { "BoundsMin.X", "BoundsMin.Y", "BoundsMin.Z" },
                                              { "BoundsMax.X", "BoundsMax.Y", "BoundsMax.Z" } };
    for (unsigned i = 0; i < 3; i++) {
        uint32_t bits[2];
        float values[2];
        if (!diff_object_u32(&bits[0], version, path, fields[0][i]) ||
            !diff_object_u32(&bits[1], version, path, fields[1][i]))
            return false;
        memcpy(values, bits, sizeof(values));
        mesh->low[i] = (double)values[0];
        mesh->extent[i] = (double)values[1] - (double)values[0];
        if (!isfinite(mesh->low[i]) || !isfinite(mesh->extent[i]))
            return false;
    }
    return true;
}

static bool read_mesh(struct mesh *mesh, const struct diff_version *version, size_t token,
                      uint64_t offset)
{
    if (!diff_is_write(version, token, offset, VERTICES))
        return false;
    const struct cook_token *of = &version->tokens->tokens[token];
    const char *path = cook_intern_text(&version->tokens->paths, of->path);
    mesh->bytes = version->bytes + offset;
    return diff_object_u32(&mesh->count, version, path, "VertexCount") &&
           diff_object_u32(&mesh->stride, version, path, "VertexStride") &&
           diff_object_u32(&mesh->attributes, version, path, "VertexAttributes") &&
           mesh->stride == cook_mesh_vertex_stride(mesh->attributes) &&
           (uint64_t)mesh->count * mesh->stride == of->size && read_bounds(mesh, version, path);
}

static double coordinate(const struct mesh *mesh, const uint8_t *vertex, unsigned axis)
{
    uint32_t step = vertex[2 * axis] | (uint32_t)vertex[2 * axis + 1] << 8;
    return mesh->low[axis] + mesh->extent[axis] * step / GRID;
}

static double distance(const struct mesh *a, const struct mesh *b, const uint8_t *old,
                       const uint8_t *new)
{
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double along = coordinate(b, new, i) - coordinate(a, old, i);
        sum += along * along;
    }
    return sqrt(sum);
}

/* The diagonal of a cell of the coarser grid: what rounding alone can move a vertex by. */
static double grid_step(const struct mesh *a, const struct mesh *b)
{
    double sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        double extent = fmax(fabs(a->extent[i]), fabs(b->extent[i])) / GRID;
        sum += extent * extent;
    }
    return sqrt(sum);
}

static uint64_t count_others(const struct mesh *a, const struct mesh *b, uint32_t at, uint32_t size)
{
    uint64_t others = 0;
    for (uint32_t i = 0; i < a->count; i++)
        others += memcmp(a->bytes + (size_t)i * a->stride + at, b->bytes + (size_t)i * b->stride + at,
                         size) != 0;
    return others;
}

/* Of the attributes after the position, those that differ. */
static void put_attributes(struct cook_buf *out, const struct mesh *a, const struct mesh *b)
{
    static const struct {
        uint32_t attribute; /* 0: always there */
        const char *name;
    } attributes[] = { { 0, "normals" },
                       { COOK_MESH_TANGENTS, "tangents" },
                       { COOK_MESH_UVS, "texture coordinates" },
                       { COOK_MESH_COLORS, "colours" } };
    uint32_t at = POSITION_BYTES;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
        if (attributes[i].attribute && !(a->attributes & attributes[i].attribute))
            continue;
        uint64_t others = count_others(a, b, at, 4);
        if (others)
            cook_buf_printf(out, ", other %s %" PRIu64, attributes[i].name, others);
        at += 4;
    }
}

static void put_shape(struct cook_buf *out, const struct mesh *a, const struct mesh *b)
{
    double farthest = 0, step = grid_step(a, b);
    uint32_t moved = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        double far = distance(a, b, a->bytes + (size_t)i * a->stride, b->bytes + (size_t)i * b->stride);
        moved += far > step;
        farthest = fmax(farthest, far);
    }
    cook_buf_printf(out, "%" PRIu32 " of %" PRIu32 " vertices moved", moved, a->count);
    if (moved)
        cook_buf_printf(out, ", the farthest by %.3g", farthest);
    put_attributes(out, a, b);
}

const char *diff_mesh_text(const struct diff_difference *d, const struct diff_version *old,
                           const struct diff_version *new, struct cook_arena *arena)
{
    struct mesh a, b;
    if (d->kind != DIFF_CHANGED || d->tokens != 1 || !read_mesh(&a, old, d->old_token, d->old_write) ||
        !read_mesh(&b, new, d->new_token, d->new_write))
        return NULL;
    struct cook_buf text = COOK_BUF_INIT;
    if (a.count != b.count)
        cook_buf_printf(&text, "%" PRIu32 " -> %" PRIu32 " vertices", a.count, b.count);
    else if (a.attributes != b.attributes)
        cook_buf_printf(&text, "%" PRIu32 " vertices with other attributes", a.count);
    else
        put_shape(&text, &a, &b);
    const char *whole = cook_buf_text(&text);
    const char *result = text.failed ? NULL : cook_arena_strdup(arena, whole);
    cook_buf_finish(&text);
    return result;
}
