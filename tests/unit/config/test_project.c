#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/config/project.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_project_options options;
    struct cook_project project;
    struct cook_arena arena;
    struct cook_error error;
};

static int set_up(void **state)
{
    struct fixture *f = cook_calloc(1, sizeof(*f));
    *state = f;
    if (!f || test_folder_open(&f->folder) != 0)
        return -1;
    f->project.fd = -1;
    f->options.folder = f->folder.path;
    return cook_fs_make_folders(f->folder.fd, "Content/Sub", NULL) == COOK_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    cook_alloc_fail_after(-1);
    cook_project_finish(&f->project);
    cook_arena_finish(&f->arena);
    int result = test_folder_close(&f->folder);
    cook_free(f);
    return result;
}

static void write_file(struct fixture *f, const char *path, const char *text)
{
    assert_int_equal(test_folder_write(&f->folder, path, text), 0);
}

static enum cook_status open_project(struct fixture *f)
{
    cook_project_finish(&f->project);
    return cook_project_open(&f->project, &f->options, &f->error);
}

static void assert_opens(struct fixture *f, const char *ini)
{
    write_file(f, "cook.ini", ini);
    enum cook_status status = open_project(f);
    if (status != COOK_OK)
        print_error("%s\n", f->error.message);
    assert_int_equal(status, COOK_OK);
}

static void assert_fault(struct fixture *f, const char *ini, const char *message)
{
    write_file(f, "cook.ini", ini);
    assert_int_equal(open_project(f), COOK_E_CONFIG);
    assert_string_equal(f->error.message, message);
}

static void open__reads_what_the_file_says(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Engine/Content/x", "");
    assert_opens(f, "[Project]\nName=Arena\n+ContentRoot=/Game=Content/\n"
                    "+ContentRoot=/Engine=./Engine//Content\n");
    assert_string_equal(f->project.name, "Arena");
    assert_string_equal(f->project.target, "Desktop");
    assert_int_equal(f->project.root_count, 2);
    assert_string_equal(f->project.roots[0].mount, "/Engine");
    assert_string_equal(f->project.roots[0].folder, "Engine/Content");
    assert_string_equal(f->project.roots[1].folder, "Content");
    assert_int_equal(f->project.plugin_count, 0);
    assert_true(f->project.path[0] == '/');
}

static void open__missing_file_names_init(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(open_project(f), COOK_E_NOT_FOUND);
    assert_non_null(strstr(f->error.message, "cook init"));
    f->options.folder = "/nowhere/at/all";
    assert_int_equal(open_project(f), COOK_E_NOT_FOUND);
}

static void open__chooses_the_target(void **state)
{
    struct fixture *f = *state;
    const char *ini = "[Project]\nDefaultTarget=Console\n+ContentRoot=/Game=Content\n";
    write_file(f, "Config/Console/A.ini", "[A]\nB=console\n");
    write_file(f, "Config/Phone/A.ini", "[A]\nB=phone\n");
    assert_opens(f, ini);
    assert_string_equal(f->project.target, "Console");
    assert_string_equal(cook_config_string(f->project.config, "A", "B", ""), "console");
    f->options.target = "Phone";
    assert_opens(f, ini);
    assert_string_equal(f->project.target, "Phone");
    assert_string_equal(cook_config_string(f->project.config, "A", "B", ""), "phone");
    f->options.target = "../Phone";
    assert_fault(f, ini, "'../Phone' cannot be the name of a target");
}

static void open__checks_content_roots(void **state)
{
    struct fixture *f = *state;
    write_file(f, "file", "");
    assert_fault(f, "[Project]\nName=X\n",
                 "cook.ini: [Project] has no content root: add +ContentRoot=/Game=Content");
    assert_fault(f, "[Project]\n+ContentRoot=/Game\n",
                 "cook.ini:2: content root '/Game' is not written /Mount=Folder");
    assert_fault(f, "[Project]\n+ContentRoot=Game=Content\n",
                 "cook.ini:2: content root 'Game=Content' has no mount of the form /Name");
    assert_fault(f, "[Project]\n+ContentRoot=/A/B=Content\n",
                 "cook.ini:2: content root '/A/B=Content' has no mount of the form /Name");
    assert_fault(f, "[Project]\n+ContentRoot=/Script=Content\n",
                 "cook.ini:2: content root '/Script=Content' takes the mount of class names");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=../Content\n",
                 "cook.ini:2: content root '/Game=../Content' does not name a folder inside "
                 "the project");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=.\n",
                 "cook.ini:2: content root '/Game=.' does not name a folder inside the "
                 "project");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=None\n",
                 "cook.ini:2: content root '/Game=None' names a folder that is not there");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=file\n",
                 "cook.ini:2: content root '/Game=file' does not name a folder");
}

static void open__checks_roots_against_each_other(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Content2/x", "");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=Content\n+ContentRoot=/Game=Content2\n",
                 "cook.ini:3: content root '/Game=Content2' takes a mount that another one "
                 "has");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=Content\n+ContentRoot=/Sub=Content/Sub\n",
                 "cook.ini:3: content root '/Sub=Content/Sub' lies in another one, or another "
                 "one in it");
    assert_fault(f, "[Project]\n+ContentRoot=/Sub=Content/Sub\n+ContentRoot=/Game=Content\n",
                 "cook.ini:3: content root '/Game=Content' lies in another one, or another "
                 "one in it");
    assert_opens(f, "[Project]\n+ContentRoot=/Game=Content\n+ContentRoot=/Two=Content2\n");
}

static void open__finds_plugins(void **state)
{
    struct fixture *f = *state;
    const char *ini = "[Project]\n+ContentRoot=/Game=Content\n+Plugin=Plugins/arena\n";
    write_file(f, "Plugins/arena/readme", "");
    assert_fault(f, ini,
                 "cook.ini:3: plugin 'Plugins/arena' is not built: its shared object is not "
                 "there");
    write_file(f, "Plugins/arena/arena.so", "");
    assert_opens(f, ini);
    assert_int_equal(f->project.plugin_count, 1);
    assert_string_equal(f->project.plugins[0], "Plugins/arena/arena.so");
    write_file(f, "Plugins/arena/build/arena.so", "");
    assert_opens(f, ini);
    assert_string_equal(f->project.plugins[0], "Plugins/arena/build/arena.so");
    assert_opens(f, "[Project]\n+ContentRoot=/Game=Content\n"
                    "+Plugin=./Plugins/arena/arena.so\n");
    assert_string_equal(f->project.plugins[0], "Plugins/arena/arena.so");
    assert_fault(f, "[Project]\n+ContentRoot=/Game=Content\n+Plugin=../arena.so\n",
                 "cook.ini:3: plugin '../arena.so' does not name a path inside the project");
}

static void open__takes_absolute_plugins(void **state)
{
    struct fixture *f = *state;
    char ini[256];
    write_file(f, "elsewhere/tool/build/tool.so", "");
    snprintf(ini, sizeof(ini), "[Project]\n+ContentRoot=/Game=Content\n+Plugin=%s/%s\n",
             f->folder.path, "elsewhere/tool/");
    assert_opens(f, ini);
    assert_int_equal(f->project.plugin_count, 1);
    assert_true(f->project.plugins[0][0] == '/');
}

static void open__fails_cleanly_when_memory_is_short(void **state)
{
    struct fixture *f = *state;
    write_file(f, "Plugins/arena/arena.so", "");
    write_file(f, "cook.ini", "[Project]\n+ContentRoot=/Game=Content\n+Plugin=Plugins/arena\n");
    enum cook_status status = COOK_E_NO_MEMORY;
    for (long n = 0; status != COOK_OK; n++) {
        cook_project_finish(&f->project);
        cook_alloc_fail_after(n);
        status = cook_project_open(&f->project, &f->options, &f->error);
        cook_alloc_fail_after(-1);
        assert_true(status == COOK_OK || status == COOK_E_NO_MEMORY);
        assert_true(n < 1000);
    }
}

static void names__map_both_ways(void **state)
{
    struct fixture *f = *state;
    assert_opens(f, "[Project]\n+ContentRoot=/Game=Content\n");
    const struct cook_project *p = &f->project;
    assert_string_equal(cook_project_package_name(p, "Content/A/b.png", &f->arena),
                        "/Game/A/b.png");
    assert_string_equal(cook_project_package_name(p, "Content/A/b.ASSET", &f->arena),
                        "/Game/A/b");
    assert_string_equal(cook_project_package_name(p, "Content/b.asset.asset", &f->arena),
                        "/Game/b.asset");
    assert_null(cook_project_package_name(p, "Content2/b.png", &f->arena));
    assert_null(cook_project_package_name(p, "Content", &f->arena));
    assert_string_equal(cook_project_package_folder(p, "/Game/A/b", &f->arena), "Content/A");
    assert_string_equal(cook_project_package_folder(p, "/Game/b", &f->arena), "Content");
    assert_null(cook_project_package_folder(p, "/Games/b", &f->arena));
    assert_null(cook_project_package_folder(p, "/Game", &f->arena));
    assert_null(cook_project_package_folder(p, "b", &f->arena));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(open__reads_what_the_file_says),
        TEST(open__missing_file_names_init),
        TEST(open__chooses_the_target),
        TEST(open__checks_content_roots),
        TEST(open__checks_roots_against_each_other),
        TEST(open__finds_plugins),
        TEST(open__takes_absolute_plugins),
        TEST(open__fails_cleanly_when_memory_is_short),
        TEST(names__map_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
