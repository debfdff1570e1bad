"""Hooks of Schemathesis, loaded with SCHEMATHESIS_HOOKS.

A condition of a route may contain conditions. Schemathesis enumerates all nested ones, which takes minutes and
gigabytes, so its copy of the document has no nested conditions.
"""

import schemathesis


@schemathesis.hook
def before_load_schema(context, raw_schema):
    condition = raw_schema["components"]["schemas"].get("Condition")
    for key in ["not", "anyOf"] if condition else []:
        condition["properties"].pop(key, None)
