#include "CLarderData.h"

static _Thread_local struct larder_pair compared;

struct larder_pair *larder_compared_models(void) { return &compared; }
