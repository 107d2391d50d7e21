package dev.sluice.cli.config;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/// Settings as TOML for people: a `[section]` each, tables in it as `[section.name]`,
/// lists of tables as `[[section.name]]`. And the change of one line
/// in a file that people edited, so that their comments stay.
public final class TomlText {
    private TomlText() {}

    public static String of(ObjectNode sections) {
        var text = new StringBuilder();
        for (var section : sections.properties()) {
            section(text, section.getKey(), (ObjectNode) section.getValue());
        }
        return text.toString();
    }

    /// Settings without a value are left out.
    private static void section(StringBuilder text, String name, ObjectNode section) {
        var tables = new StringBuilder();
        var plain = new StringBuilder();
        for (var setting : section.properties()) {
            if (setting.getValue() instanceof ArrayNode list && list.get(0) instanceof ObjectNode) {
                for (var element : list) {
                    tables.append("[[")
                            .append(name)
                            .append('.')
                            .append(setting.getKey())
                            .append("]]\n");
                    lines(tables, (ObjectNode) element);
                    tables.append('\n');
                }
            } else if (setting.getValue() instanceof ObjectNode table) {
                tables.append('[')
                        .append(name)
                        .append('.')
                        .append(setting.getKey())
                        .append("]\n");
                lines(tables, table);
                tables.append('\n');
            } else if (!setting.getValue().isNull()) {
                line(plain, setting.getKey(), setting.getValue());
            }
        }
        if (!plain.isEmpty()) {
            text.append('[').append(name).append("]\n").append(plain).append('\n');
        }
        text.append(tables);
    }

    private static void lines(StringBuilder text, ObjectNode table) {
        table.properties().forEach(setting -> line(text, setting.getKey(), setting.getValue()));
    }

    private static void line(StringBuilder text, String key, JsonNode value) {
        text.append(key).append(" = ").append(value(value)).append('\n');
    }

    /// JSON's way to write texts, numbers and flags is TOML's too.
    private static String value(JsonNode value) {
        return value instanceof ArrayNode list
                ? StreamSupport.stream(list.spliterator(), false)
                        .map(TomlText::value)
                        .collect(Collectors.joining(", ", "[", "]"))
                : value.toString();
    }

    /// The same text with `key` of `[section]` set to a value; the line is added where the file has none.
    public static String set(String toml, String section, String key, String value) {
        var lines = new ArrayList<>(List.of(toml.split("\n", -1)));
        var here = false;
        var heading = -1;
        for (var i = 0; i < lines.size(); i++) {
            var line = lines.get(i).strip();
            if (line.startsWith("[")) {
                here = line.matches("\\[\\s*" + section + "\\s*\\].*");
                heading = here ? i : heading;
            } else if (here && line.matches(key + "\\s*=.*")) {
                lines.set(i, key + " = " + value);
                return String.join("\n", lines);
            }
        }
        if (heading < 0) {
            lines.addAll(List.of("[" + section + "]", key + " = " + value, ""));
        } else {
            lines.add(heading + 1, key + " = " + value);
        }
        return String.join("\n", lines);
    }
}
