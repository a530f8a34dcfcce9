// The SQLite that the system provides. The package that links this module is the seam for those who bring another.
#pragma once
#include <sqlite3.h>
