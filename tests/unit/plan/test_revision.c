#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "cook/plan/revision.h"
#include "support/folder.h"

struct fixture {
    struct test_folder folder;
    struct cook_project project;
    char path[128];
    char revision[COOK_REVISION_SIZE];
};

#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static int set_up(void **context)
{
    static struct cook_content_root root = { "/Game", "Content" };
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    *context = fixture;
    if (test_folder_open(&fixture->folder) != 0)
        return -1;
    snprintf(fixture->path, sizeof(fixture->path), "%s/game", fixture->folder.path);
    fixture->project.path = fixture->path;
    fixture->project.roots = &root;
    fixture->project.root_count = 1;
    return test_folder_write(&fixture->folder, "game/cook.ini", "[Project]\n") ||
           test_folder_write(&fixture->folder, "game/Content/a.txt", "a");
}

static int tear_down(void **context)
{
    struct fixture *fixture = *context;
    int result = test_folder_close(&fixture->folder);
    free(fixture);
    return result;
}

static const char *revision(struct fixture *fixture, int timeout_ms)
{
    cook_revision_content(fixture->revision, &fixture->project, timeout_ms);
    return fixture->revision;
}

static void write_file(struct fixture *fixture, const char *path, const char *text)
{
    assert_int_equal(test_folder_write(&fixture->folder, path, text), 0);
}

static void git(struct fixture *fixture, const char *words)
{
    char command[512];
    snprintf(command, sizeof(command),
             "cd %s && git -c user.name=T -c user.email=t@t -c init.defaultBranch=main %s "
             ">/dev/null 2>&1",
             fixture->folder.path, words);
    assert_int_equal(system(command), 0);
}

static void content__outside_a_repository_is_unknown(void **context)
{
    assert_string_equal(revision(*context, 0), "");
}

static void content__a_commit_or_a_branch(void **context)
{
    struct fixture *fixture = *context;
    write_file(fixture, ".git/HEAD", COMMIT "\n");
    assert_string_equal(revision(fixture, 0), COMMIT "-unchecked");
    write_file(fixture, ".git/HEAD", "ref: refs/heads/main\n");
    assert_string_equal(revision(fixture, 0), ""); /* nothing committed yet */
    write_file(fixture, ".git/packed-refs",
               "# pack-refs with: peeled\n" COMMIT " refs/heads/mainly\n"
               "1111111111111111111111111111111111111111 refs/heads/main\n^" COMMIT "\n");
    assert_string_equal(revision(fixture, 0),
                        "1111111111111111111111111111111111111111-unchecked");
    write_file(fixture, ".git/refs/heads/main", COMMIT "\n");
    assert_string_equal(revision(fixture, 0), COMMIT "-unchecked");
}

static void content__a_work_tree_shares_its_branches(void **context)
{
    struct fixture *fixture = *context;
    write_file(fixture, "game/.git", "gitdir: ../.repository/worktrees/w\n");
    write_file(fixture, ".repository/worktrees/w/HEAD", "ref: refs/heads/side\n");
    write_file(fixture, ".repository/worktrees/w/commondir", "../..\n");
    write_file(fixture, ".repository/refs/heads/side", COMMIT "\n");
    assert_string_equal(revision(fixture, 0), COMMIT "-unchecked");
}

static void content__nonsense_is_unknown(void **context)
{
    struct fixture *fixture = *context;
    write_file(fixture, ".git/HEAD", "ref: refs/heads/main\n");
    write_file(fixture, ".git/refs/heads/main", COMMIT "; rm -rf\n");
    assert_string_equal(revision(fixture, 0), "");
    write_file(fixture, ".git/HEAD", "");
    assert_string_equal(revision(fixture, 0), "");
}

static void content__tells_what_differs_from_the_commit(void **context)
{
    struct fixture *fixture = *context;
    git(fixture, "init");
    git(fixture, "add -A");
    git(fixture, "commit -m first");
    write_file(fixture, "game/Saved/log.txt", "not content");
    const char *text = revision(fixture, 20000);
    assert_int_equal(strlen(text), 40);
    write_file(fixture, "game/Content/b.txt", "new");
    assert_non_null(strstr(revision(fixture, 20000), "-dirty"));
    assert_int_equal(unlinkat(fixture->folder.fd, "game/Content/b.txt", 0), 0);
    assert_int_equal(strlen(revision(fixture, 20000)), 40);
    write_file(fixture, "game/Content/a.txt", "other");
    assert_non_null(strstr(revision(fixture, 20000), "-dirty"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(content__outside_a_repository_is_unknown),
        TEST(content__a_commit_or_a_branch),
        TEST(content__a_work_tree_shares_its_branches),
        TEST(content__nonsense_is_unknown),
        TEST(content__tells_what_differs_from_the_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
