/* The command `cook`: finds `cook-VERB` and becomes it, as git does. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct verb {
    const char *name;
    const char *does;
};

static const struct verb verbs[] = {
    { "init", "start a project over existing content" },
    { "doctor", "check that this machine and the plugins let the instruments see" },
    { "full", "cook everything the root set reaches" },
    { "incremental", "the same, skipping packages whose inputs are unchanged" },
    { "incremental-validate", "recook what would be skipped, and show what differs" },
    { "determinism", "cook twice under named perturbations, and name what makes it differ" },
    { "reproduce", "cook a finding's package as the finding did, and show the difference" },
    { "churn", "replay the history of a project, and validate after each step" },
    { "incremental-compare", "cook incrementally, then in full, and show what differs" },
    { "diff", "say what differs between two cooks, or two folders" },
    { "explain", "why packages were recooked and what it cost, what depends on what" },
    { "report", "what validations found and cooks cost: a page, Markdown, JUnit, SARIF" },
    { "nightly", "cook, validate, report and gate in one, going on where it stopped" },
    { "gate", "say whether a build may ship, by a policy of rules and waivers" },
    { "serve", "show stores, packages and findings in a browser, on this machine" },
    { "stage", "write the cooked files, chunk by chunk" },
    { "resave", "write into assets what an editor would record when it saves them" },
    { "store", "look into the store: stats, log, list, cat, verify" },
};
#define VERB_COUNT (sizeof(verbs) / sizeof(verbs[0]))

static void print_usage(FILE *out)
{
    fputs("usage: cook VERB [OPTION...]\n\n", out);
    for (size_t i = 0; i < VERB_COUNT; i++)
        fprintf(out, "    %-22s %s\n", verbs[i].name, verbs[i].does);
    fputs("\n'cook VERB --help' tells a verb's options; 'man cook-VERB' tells all.\n", out);
}

/* Beside this program, or in the installation's libexec folder. The verb is named in full, as it
 * shows in lists of processes, and in messages of others that wait for it. */
static void become(const char *verb, char **argv)
{
    char name[128];
    (void)snprintf(name, sizeof(name), "cook-%.64s", verb);
    argv[0] = name;
    static const char *const places[] = { "", "/../libexec/cookproof" };
    char self[4096];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (size <= 0)
        return;
    self[size] = '\0';
    char *slash = strrchr(self, '/');
    if (!slash)
        return;
    *slash = '\0';
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        char path[sizeof(self) + sizeof(name) + 32];
        (void)snprintf(path, sizeof(path), "%s%s/%s", self, places[i], name);
        execv(path, argv);
    }
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "--help";
    if (strcmp(verb, "--help") == 0 || strcmp(verb, "-h") == 0 || strcmp(verb, "help") == 0) {
        print_usage(argc > 1 ? stdout : stderr);
        return argc > 1 ? 0 : 2;
    }
    if (strcmp(verb, "--version") == 0) {
        puts("cook 0.1.0");
        return 0;
    }
    bool known = false;
    for (size_t i = 0; i < VERB_COUNT; i++)
        known |= strcmp(verbs[i].name, verb) == 0;
    if (known && !strchr(verb, '/'))
        become(verb, argv + 1);
    if (known) {
        fprintf(stderr, "cook: cannot start cook-%s: %s\n", verb, strerror(errno));
        return 4;
    }
    fprintf(stderr, "cook: unknown verb '%s'\n\n", verb);
    print_usage(stderr);
    return 2;
}
