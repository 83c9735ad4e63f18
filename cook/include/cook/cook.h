/*
 * The Cookproof class SDK: all that a class plugin sees.
 *
 * A plugin is a shared object that exports one function, `cook_plugin_main`, which registers
 * classes, embedded structs, enums and readers. Only `cook-worker` processes load plugins, so a
 * crash in class code costs one package and never the cook.
 *
 * Order of reading: plugin.h (the entry point), class.h (what a class is), archive.h (how it is
 * written), context.h (how it reads the world), reader.h (new source formats), standard.h (the
 * classes that come with Cookproof).
 *
 * The law of the SDK: every input that shapes the cooked bytes is read through the context (or
 * declared to it). What class code reads behind its back is not known to an incremental cook, and
 * becomes a false skip on the day that it changes.
 */
#ifndef COOK_COOK_H
#define COOK_COOK_H

#include <cook/archive.h>
#include <cook/artifact.h>
#include <cook/class.h>
#include <cook/context.h>
#include <cook/plugin.h>
#include <cook/reader.h>
#include <cook/standard.h>
#include <cook/status.h>
#include <cook/types.h>

#endif
