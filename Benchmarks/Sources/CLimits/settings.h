// Reading a connection's settings, and giving another the same. For this target only.
#pragma once
#include "CLimits.h"
#include <sqlite3.h>

void read_settings(sqlite3 *connection, limit_settings *out);
int apply_settings(sqlite3 *connection, const limit_settings *settings);
bool is_serialized(const limit_settings *settings);
