/* The writer's lock: flock on a file that names its holder, so that others can say who it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "cook/base/path.h"
#include "cook/store/store_private.h"

#define LOCK_FILE     "lock"
#define COMMAND_BYTES 120

/* This process's command line as typed, its program without folders: "cook full --target X". */
static void own_command(char command[COMMAND_BYTES])
{
    char line[COMMAND_BYTES * 4];
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;
    if (fd >= 0)
        close(fd);
    line[size > 0 ? size : 0] = '\0';
    const char *program = cook_path_name(line);
    size_t rest = strlen(line) + 1;
    for (ssize_t i = (ssize_t)rest; i + 1 < size; i++) {
        if (line[i] == '\0')
            line[i] = ' ';
    }
    bool has_arguments = (ssize_t)rest < size;
    snprintf(command, COMMAND_BYTES, "%s%s%s", *program ? program : "unknown",
             has_arguments ? " " : "", has_arguments ? line + rest : "");
}

static void name_holder(int fd)
{
    char command[COMMAND_BYTES];
    char text[COMMAND_BYTES + 32];
    own_command(command);
    int size = snprintf(text, sizeof(text), "%ld %s\n", (long)getpid(), command);
    /* Only a message depends on it. */
    if (ftruncate(fd, 0) == 0 && pwrite(fd, text, (size_t)size, 0) != size)
        (void)ftruncate(fd, 0);
}

static enum cook_status locked_by(int fd, const char *target, struct cook_error *error)
{
    char text[COMMAND_BYTES + 32];
    ssize_t size = pread(fd, text, sizeof(text) - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    char *command = strchr(text, ' ');
    if (!command)
        return cook_error_set(error, COOK_E_LOCKED,
                              "the store of target %s is in use by another process", target);
    *command++ = '\0';
    return cook_error_set(error, COOK_E_LOCKED,
                          "the store of target %s is in use by process %s (%s)", target, text,
                          command);
}

enum cook_status cook_store_lock(int *lock_fd, int folder_fd, const char *target,
                                 struct cook_error *error)
{
    *lock_fd = -1;
    int fd = openat(folder_fd, LOCK_FILE, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0)
        return cook_error_set_errno(error, "cannot open the store's lock");
    int locked;
    do {
        locked = flock(fd, LOCK_EX | LOCK_NB);
    } while (locked != 0 && errno == EINTR);
    if (locked == 0) {
        name_holder(fd);
        *lock_fd = fd;
        return COOK_OK;
    }
    enum cook_status status = errno == EWOULDBLOCK
                                  ? locked_by(fd, target, error)
                                  : cook_error_set_errno(error, "cannot lock the store");
    close(fd);
    return status;
}
