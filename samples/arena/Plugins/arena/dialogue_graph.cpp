/*
 * DialogueGraph: a class in C++. The object stays a plain struct, because the property table
 * finds its fields by offset; hooks are free functions. Two rules: no exception may leave a
 * hook, and nothing may depend on the order of an unordered container or on an address.
 */
#include "arena.h"

#include <cstddef>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace
{

struct dialogue_line {
    cook_name key;
    cook_name speaker;
    cook_string text;
    cook_array next; /* of cook_name: keys of the lines that may follow */
};

struct dialogue_graph {
    cook_object object;
    cook_name start;
    cook_array lines; /* of dialogue_line */
    uint32_t *order;  /* derived: indices of the lines that can be reached, nearest first */
    uint32_t order_count;
};

const cook_property line_properties[] = {
    COOK_PROPERTY(dialogue_line, key, "Key", COOK_PROPERTY_NAME),
    COOK_PROPERTY(dialogue_line, speaker, "Speaker", COOK_PROPERTY_NAME),
    COOK_PROPERTY(dialogue_line, text, "Text", COOK_PROPERTY_STRING),
    COOK_PROPERTY_ARRAY_OF(dialogue_line, next, "Next", COOK_PROPERTY_NAME, nullptr),
    COOK_PROPERTY_END,
};

const cook_property graph_properties[] = {
    COOK_PROPERTY(dialogue_graph, start, "Start", COOK_PROPERTY_NAME),
    COOK_PROPERTY_ARRAY_OF(dialogue_graph, lines, "Lines", COOK_PROPERTY_STRUCT,
                           "DialogueLine"),
    COOK_PROPERTY_END,
};

std::string text_of(cook_name name)
{
    return name.text ? name.text : "";
}

/* Breadth first from the start line. std::map: its order is that of the keys, on every run. */
std::vector<uint32_t> reachable(cook_context *context, const dialogue_graph &graph)
{
    const auto *lines = static_cast<const dialogue_line *>(graph.lines.items);
    std::map<std::string, uint32_t> index;
    std::vector<uint32_t> order;
    std::vector<bool> seen(graph.lines.count);

    for (uint32_t i = 0; i < graph.lines.count; i++)
        index[text_of(lines[i].key)] = i;
    auto visit = [&](cook_name key) {
        auto found = index.find(text_of(key));

        if (found == index.end()) {
            cook_log(context, COOK_SEVERITY_WARNING, "dialogue line '%s' does not exist",
                     text_of(key).c_str());
        } else if (!seen[found->second]) {
            seen[found->second] = true;
            order.push_back(found->second);
        }
    };
    visit(graph.start);
    for (size_t done = 0; done < order.size(); done++) {
        const dialogue_line &line = lines[order[done]];
        const auto *next = static_cast<const cook_name *>(line.next.items);

        for (uint32_t i = 0; i < line.next.count; i++)
            visit(next[i]);
    }
    return order;
}

cook_status graph_pre_save(cook_context *context, void *object)
{
    auto &self = *static_cast<dialogue_graph *>(object);

    try {
        std::vector<uint32_t> order = reachable(context, self);

        self.order = static_cast<uint32_t *>(
            cook_alloc_array(context, order.size() + 1, sizeof(*self.order)));
        if (!self.order)
            return COOK_E_NO_MEMORY;
        self.order_count = static_cast<uint32_t>(order.size());
        for (uint32_t i = 0; i < self.order_count; i++)
            self.order[i] = order[i];
        return COOK_OK;
    } catch (const std::bad_alloc &) {
        return COOK_E_NO_MEMORY;
    } catch (...) {
        return COOK_E_FAILED;
    }
}

void graph_serialize(cook_archive *archive, void *object)
{
    auto &self = *static_cast<dialogue_graph *>(object);

    if (cook_archive_phase(archive) == COOK_PHASE_LOAD)
        return;
    cook_field_array(archive, "Order", &self.order_count);
    for (uint32_t i = 0; i < self.order_count; i++) {
        cook_field_element(archive, i);
        cook_field_u32(archive, nullptr, &self.order[i]);
    }
    cook_field_array_end(archive);
}

void graph_append_to_class_schema(cook_schema *schema)
{
    cook_schema_add_version(schema, "arena.dialogue-graph", 1);
}

/* C++17 has no designated initialisers: fill the descriptions once, at first use. */
cook_struct make_line_struct()
{
    cook_struct description = {};

    description.name = "DialogueLine";
    description.size = sizeof(dialogue_line);
    description.properties = line_properties;
    return description;
}

cook_class make_graph_class()
{
    cook_class description = {};

    description.name = "DialogueGraph";
    description.size = sizeof(dialogue_graph);
    description.properties = graph_properties;
    description.pre_save = graph_pre_save;
    description.serialize = graph_serialize;
    description.append_to_class_schema = graph_append_to_class_schema;
    return description;
}

} // namespace

extern "C" void arena_register_dialogue_graph(cook_registrar *registrar)
{
    static const cook_struct line_struct = make_line_struct();
    static const cook_class graph_class = make_graph_class();

    cook_register_struct(registrar, &line_struct);
    cook_register_class(registrar, &graph_class);
}
