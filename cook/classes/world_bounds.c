#include "cook/classes/world_bounds.h"

#include <math.h>

#include "cook/base/alloc.h"

/* An affine transform: columns x, y, z and the place. */
struct affine {
    double m[3][4];
};

enum visit {
    VISIT_NEW = 0,
    VISIT_OPEN, /* on the way up from some actor: met again, it is a cycle */
    VISIT_DONE,
};

struct forest {
    const struct cook_world_actor *actors;
    uint32_t count;
    struct affine *transforms; /* to the world, where DONE */
    uint8_t *visits;           /* enum visit */
    uint32_t *path;            /* actors on the way up */
};

static const char *actor_name(const struct cook_world_actor *actor)
{
    return actor->name.text != NULL ? actor->name.text : "None";
}

/* From a quaternion of any length but 0, which counts as no rotation. */
static struct affine actor_transform(const struct cook_world_actor *actor)
{
    double x = (double)actor->rotation.x, y = (double)actor->rotation.y;
    double z = (double)actor->rotation.z, w = (double)actor->rotation.w;
    double square = x * x + y * y + z * z + w * w;
    double s = square > 0.0 ? 2.0 / square : 0.0;
    double scale_x = (double)actor->scale.x, scale_y = (double)actor->scale.y;
    double scale_z = (double)actor->scale.z;

    return (struct affine){ {
        { (1.0 - s * (y * y + z * z)) * scale_x, s * (x * y - w * z) * scale_y,
          s * (x * z + w * y) * scale_z, (double)actor->location.x },
        { s * (x * y + w * z) * scale_x, (1.0 - s * (x * x + z * z)) * scale_y,
          s * (y * z - w * x) * scale_z, (double)actor->location.y },
        { s * (x * z - w * y) * scale_x, s * (y * z + w * x) * scale_y,
          (1.0 - s * (x * x + y * y)) * scale_z, (double)actor->location.z },
    } };
}

static struct affine combine(const struct affine *parent, const struct affine *child)
{
    struct affine out;

    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 4; column++) {
            double sum = column == 3 ? parent->m[row][3] : 0.0;
            for (int k = 0; k < 3; k++)
                sum += parent->m[row][k] * child->m[k][column];
            out.m[row][column] = sum;
        }
    }
    return out;
}

/* Climb from `actor` to a finished ancestor or a root; the actors passed are left in `path`. */
static enum cook_status climb(uint32_t *depth, struct forest *forest, uint32_t actor,
                              struct cook_error *error)
{
    uint32_t at = actor;

    *depth = 0;
    while (forest->visits[at] != VISIT_DONE) {
        int32_t parent = forest->actors[at].parent;
        if (forest->visits[at] == VISIT_OPEN)
            return cook_error_set(error, COOK_E_MALFORMED, "actor '%s' is its own ancestor",
                                  actor_name(&forest->actors[at]));
        if (parent < -1 || (parent >= 0 && (uint32_t)parent >= forest->count))
            return cook_error_set(error, COOK_E_MALFORMED, "actor '%s' has a parent %d of %u",
                                  actor_name(&forest->actors[at]), parent, forest->count);
        forest->visits[at] = VISIT_OPEN;
        forest->path[(*depth)++] = at;
        if (parent < 0)
            break;
        at = (uint32_t)parent;
    }
    return COOK_OK;
}

static enum cook_status finish_transform(struct forest *forest, uint32_t actor,
                                         struct cook_error *error)
{
    uint32_t depth = 0;

    enum cook_status status = climb(&depth, forest, actor, error);
    if (status != COOK_OK)
        return status;
    while (depth > 0) {
        uint32_t at = forest->path[--depth];
        const struct cook_world_actor *self = &forest->actors[at];
        struct affine own = actor_transform(self);
        if (self->parent >= 0)
            own = combine(&forest->transforms[self->parent], &own);
        for (int i = 0; i < 12; i++) {
            if (!isfinite(own.m[i / 4][i % 4]))
                return cook_error_set(error, COOK_E_MALFORMED,
                                      "the transform of actor '%s' is not finite",
                                      actor_name(self));
        }
        forest->transforms[at] = own;
        forest->visits[at] = VISIT_DONE;
    }
    return COOK_OK;
}

/* Grow min[3], max[3] by the box's image: per axis the ends of an interval sum. */
static void include_box(double min[3], double max[3], const struct affine *transform,
                        const struct cook_actor_box *box)
{
    double low[3] = { (double)box->min.x, (double)box->min.y, (double)box->min.z };
    double high[3] = { (double)box->max.x, (double)box->max.y, (double)box->max.z };

    for (int row = 0; row < 3; row++) {
        double from = transform->m[row][3], to = from;
        for (int k = 0; k < 3; k++) {
            double a = transform->m[row][k] * low[k], b = transform->m[row][k] * high[k];
            from += a < b ? a : b;
            to += a < b ? b : a;
        }
        min[row] = from < min[row] ? from : min[row];
        max[row] = to > max[row] ? to : max[row];
    }
}

static enum cook_status grow_all(double min[3], double max[3], struct forest *forest,
                                 const struct cook_actor_box *boxes, struct cook_error *error)
{
    for (uint32_t i = 0; i < forest->count; i++) {
        enum cook_status status = finish_transform(forest, i, error);
        if (status != COOK_OK)
            return status;
        if (boxes[i].known)
            include_box(min, max, &forest->transforms[i], &boxes[i]);
    }
    return COOK_OK;
}

enum cook_status cook_world_compute_bounds(struct cook_vec3 *min, struct cook_vec3 *max,
                                           const struct cook_world_actor *actors,
                                           const struct cook_actor_box *boxes, uint32_t count,
                                           struct cook_error *error)
{
    double low[3] = { INFINITY, INFINITY, INFINITY };
    double high[3] = { -INFINITY, -INFINITY, -INFINITY };
    enum cook_status status;

    *min = *max = (struct cook_vec3){ 0 };
    if (count == 0)
        return COOK_OK;
    struct forest forest = {
        .actors = actors,
        .count = count,
        .transforms = cook_calloc(count, sizeof(struct affine)),
        .visits = cook_calloc(count, sizeof(uint8_t)),
        .path = cook_calloc(count, sizeof(uint32_t)),
    };
    if (forest.transforms != NULL && forest.visits != NULL && forest.path != NULL)
        status = grow_all(low, high, &forest, boxes, error);
    else
        status = cook_error_set(error, COOK_E_NO_MEMORY, "out of memory for a world's bounds");
    if (status == COOK_OK && low[0] <= high[0]) {
        *min = (struct cook_vec3){ (float)low[0], (float)low[1], (float)low[2] };
        *max = (struct cook_vec3){ (float)high[0], (float)high[1], (float)high[2] };
    }
    cook_free(forest.transforms);
    cook_free(forest.visits);
    cook_free(forest.path);
    return status;
}
