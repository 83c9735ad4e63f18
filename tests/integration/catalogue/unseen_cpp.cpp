// Two unseen faults in C++: a set that goes by addresses, and a virtual function that changes.
#include <cook/cook.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#ifdef CHANGED
#define EDIT(before, after) after
#else
#define EDIT(before, after) before
#endif

extern "C" void catalogue_register_unseen_cpp(struct cook_registrar *registrar);

namespace {

struct Subject {
    cook_object object;
    bool clean;
};

const cook_property subject_properties[] = {
    COOK_PROPERTY(Subject, clean, "Clean", COOK_PROPERTY_BOOL),
    COOK_PROPERTY_END,
};

struct Less {
    bool by_number;
    bool operator()(const std::uint32_t *a, const std::uint32_t *b) const
    {
        auto mix = [](const void *p) {
            return reinterpret_cast<std::uintptr_t>(p) * UINT64_C(0x9e3779b97f4a7c15);
        };
        return by_number ? *a < *b : mix(a) < mix(b);
    }
};

void pointer_set_serialize(cook_archive *archive, void *object)
{
    auto *self = static_cast<Subject *>(object);
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    std::vector<std::unique_ptr<std::uint32_t>> numbers;
    std::set<std::uint32_t *, Less> order(Less{ self->clean });
    for (std::uint32_t i = 0; i < 50; i++) {
        numbers.push_back(std::make_unique<std::uint32_t>(i));
        order.insert(numbers.back().get());
    }
    auto count = static_cast<std::uint32_t>(order.size());
    std::uint32_t index = 0;
    cook_field_array(archive, "Items", &count);
    for (std::uint32_t *number : order) {
        cook_field_element(archive, index++);
        cook_field_u32(archive, nullptr, number);
    }
    cook_field_array_end(archive);
}

struct Shape {
    virtual ~Shape() = default;
    virtual std::uint64_t area() const = 0;
};
struct Square : Shape {
    std::uint64_t area() const override
    {
        return EDIT(16, 25);
    }
};

void virtual_call_serialize(cook_archive *archive, void *object)
{
    (void)object;
    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    std::unique_ptr<Shape> shape = std::make_unique<Square>();
    std::uint64_t area = shape->area();
    cook_field_u64(archive, "Area", &area);
}

void virtual_call_twin_schema(cook_schema *schema)
{
    cook_schema_add_version(schema, "virtual", EDIT(1, 2));
}

cook_class make(const char *name, void (*serialize)(cook_archive *, void *),
                void (*schema)(cook_schema *))
{
    cook_class description = {};
    description.name = name;
    description.size = sizeof(Subject);
    description.properties = subject_properties;
    description.serialize = serialize;
    description.append_to_class_schema = schema;
    return description;
}

const cook_class pointer_set_class = make("PointerSet", pointer_set_serialize, nullptr);
const cook_class virtual_call_class = make("VirtualCall", virtual_call_serialize, nullptr);
const cook_class virtual_call_twin_class =
    make("VirtualCallTwin", virtual_call_serialize, virtual_call_twin_schema);

} // namespace

void catalogue_register_unseen_cpp(cook_registrar *registrar)
{
    cook_register_class(registrar, &pointer_set_class);
    cook_register_class(registrar, &virtual_call_class);
    cook_register_class(registrar, &virtual_call_twin_class);
}
