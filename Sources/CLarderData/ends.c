#include "CLarderData.h"

static _Thread_local struct larder_endings ending;

struct larder_endings *larder_endings(void) { return &ending; }
