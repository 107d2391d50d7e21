package dev.sluice.deploy.harness;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The variables of a container of a StatefulSet's pod, as Kubernetes makes them.
public final class PodEnvironment {
    private static final Pattern REFERENCE = Pattern.compile("\\$\\(([A-Z_]+)\\)");

    private PodEnvironment() {}

    public static String podName(JsonNode set, int ordinal) {
        return set.at("/metadata/name").asText() + "-" + ordinal;
    }

    /// Secrets have the name of their key as value.
    public static Map<String, String> of(JsonNode set, int ordinal) {
        var variables = new LinkedHashMap<String, String>();
        for (var each : set.at("/spec/template/spec/containers/0/env")) {
            var from = each.path("valueFrom");
            var value = from.has("fieldRef")
                    ? field(from.at("/fieldRef/fieldPath").asText(), set, ordinal)
                    : from.has("secretKeyRef")
                            ? from.at("/secretKeyRef/key").asText()
                            : expanded(each.path("value").asText(), variables);
            variables.put(each.path("name").asText(), value);
        }
        return variables;
    }

    private static String field(String path, JsonNode set, int ordinal) {
        return switch (path) {
            case "metadata.name" -> podName(set, ordinal);
            case "metadata.labels['apps.kubernetes.io/pod-index']" -> Integer.toString(ordinal);
            case "metadata.labels['topology.kubernetes.io/zone']" -> ""; // older versions do not set it
            default -> throw new IllegalArgumentException("a field that this test does not know: " + path);
        };
    }

    /// A reference to a variable that comes later stays as it is.
    private static String expanded(String value, Map<String, String> before) {
        return REFERENCE
                .matcher(value)
                .replaceAll(found -> Matcher.quoteReplacement(before.getOrDefault(found.group(1), found.group())));
    }
}
