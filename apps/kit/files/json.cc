#include "apps/kit/files/json.h"

SOTTO_JSON_TEMPLATES(template);
