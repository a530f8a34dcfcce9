#include "CLarderSQLite.h"
