#include "CLarderData.h"
