/* Around a hook: what messages name, and errno, which belongs to class code between hooks. What
 * the engine's own calls leave in errno never reaches class code; what a hook leaves there is
 * what the next hook finds, whatever the engine did between, so that a result that was made of
 * it follows the order of packages, as state in a static variable does, and is found as such.
 */
#include <errno.h>

#include "cook/worker/session.h"

/* Asynchronous jobs, which may load packages, have an errno of their own. */
static bool is_of_main_thread(const struct cook_session *session)
{
    return pthread_equal(session->main_thread, pthread_self()) != 0;
}

void cook_context_enter_hook(struct cook_context *context, const char *hook,
                             const char *class_name)
{
    pthread_mutex_lock(&context->root->lock);
    context->root->hook = hook;
    context->root->hook_class = class_name;
    pthread_mutex_unlock(&context->root->lock);
    if (is_of_main_thread(context->session))
        errno = context->session->hook_errno;
}

void cook_context_leave_hook(struct cook_context *context)
{
    if (is_of_main_thread(context->session))
        context->session->hook_errno = errno;
}
