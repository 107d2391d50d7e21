package dev.sluice.cli.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.InvalidFormatException;
import java.util.Arrays;
import java.util.stream.Collectors;

/// Says in one line what is wrong with a file, from what the TOML parser threw.
final class ConfigProblem {
    private ConfigProblem() {}

    static ConfigException explain(String name, JsonProcessingException wrong) {
        if (wrong instanceof InvalidFormatException format
                && format.getTargetType().isEnum()) {
            return new ConfigException("%s: %s must be one of %s, not '%s'"
                    .formatted(
                            name,
                            key(format),
                            Arrays.toString(format.getTargetType().getEnumConstants()),
                            format.getValue()));
        }
        if (wrong instanceof JsonMappingException mapping) {
            var cause = mapping.getCause() instanceof IllegalArgumentException refused ? refused : mapping;
            var reason = firstLine(String.valueOf(cause.getMessage()));
            var key = key(mapping);
            return new ConfigException(name + ": " + (reason.contains(lastOf(key)) ? reason : key + ": " + reason));
        }
        var place = wrong.getLocation();
        var line = place == null ? "" : ", line " + place.getLineNr();
        return new ConfigException(name + line + ": not TOML: " + firstLine(wrong.getOriginalMessage()));
    }

    private static String key(JsonMappingException wrong) {
        return wrong.getPath().stream()
                .filter(step -> step.getFieldName() != null)
                .map(JsonMappingException.Reference::getFieldName)
                .collect(Collectors.joining("."));
    }

    private static String lastOf(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }

    private static String firstLine(String message) {
        return message.lines().findFirst().orElse("unknown reason");
    }
}
