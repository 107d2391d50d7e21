package dev.sluice.cli.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/// Puts given settings over defaults, refusing every key and type that the form (all keys, one element a list) lacks.
record SettingsMerge(String file, ObjectNode form) {
    /// The key of the form of tables with names of their own, which has the defaults of what they leave out.
    static final String ANY_NAME = "*";

    /// Keys of older versions, and what they are called now.
    private static final Map<String, String> RENAMED = Map.of(
            "http.copy_below", "http.small_object_threshold",
            "storage.hot_files", "storage.open_file_cache",
            "storage.hot_memory", "storage.memory_cache",
            "storage.verified_for", "storage.checksum_recheck_interval");

    void into(ObjectNode defaults, ObjectNode given) {
        merge(defaults, given, form, "");
    }

    private void merge(ObjectNode onto, ObjectNode given, JsonNode expected, String prefix) {
        for (var setting : given.properties()) {
            var key = prefix + setting.getKey();
            boolean ownName = !expected.has(setting.getKey());
            var form = expected.get(ownName ? ANY_NAME : setting.getKey());
            if (form == null) {
                throw unknown(key, expected);
            }
            check(key, setting.getValue(), form);
            if (ownName) {
                onto.set(setting.getKey(), form.deepCopy());
            }
            if (setting.getValue() instanceof ObjectNode table
                    && onto.get(setting.getKey()) instanceof ObjectNode inner) {
                merge(inner, table, form, key + ".");
            } else {
                onto.set(setting.getKey(), setting.getValue());
            }
        }
    }

    private void check(String key, JsonNode value, JsonNode form) {
        var fits = switch (form.getNodeType()) {
            case NUMBER -> value.canConvertToExactIntegral() && value.canConvertToInt();
            default -> value.getNodeType() == form.getNodeType();
        };
        if (!fits) {
            throw new ConfigException("%s: %s must be %s, not %s".formatted(file, key, typeOf(form), value));
        }
        if (value instanceof ArrayNode list) {
            for (var element : list) {
                check(key, element, form.get(0));
                if (element instanceof ObjectNode table) {
                    merge(table.deepCopy(), table, form.get(0), key + ".");
                    requireAll(key, table, form.get(0));
                }
            }
        }
    }

    private void requireAll(String key, ObjectNode table, JsonNode form) {
        for (var name : ConfigFiles.keys(form)) {
            if (!table.has(name)) {
                throw new ConfigException("%s: %s.%s is missing".formatted(file, key, name));
            }
        }
    }

    private static String typeOf(JsonNode form) {
        return switch (form.getNodeType()) {
            case NUMBER -> "a whole number";
            case BOOLEAN -> "true or false";
            case ARRAY -> "a list";
            case OBJECT -> "a table";
            default -> "a text in quotes";
        };
    }

    private ConfigException unknown(String key, JsonNode expected) {
        var now = RENAMED.get(key);
        return new ConfigException(
                now == null
                        ? "%s: unknown key '%s'; known here: %s".formatted(file, key, ConfigFiles.keys(expected))
                        : "%s: the key '%s' is called '%s' now: rename it".formatted(file, key, now));
    }
}
