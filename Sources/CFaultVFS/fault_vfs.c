#include "CFaultVFS.h"
