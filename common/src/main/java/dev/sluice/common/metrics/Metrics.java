package dev.sluice.common.metrics;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// What `/metrics` said at one moment, by the metrics' names.
///
/// @param nanos of [System#nanoTime], when it was asked
public record Metrics(long nanos, Map<String, List<Sample>> byName) {
    /// A metric that each node has from its start.
    public static final String OF_EVERY_NODE = "sluice_http_connections";

    private static final Pattern LINE = Pattern.compile("([a-z_]+)(?:\\{(.*)})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-z_]+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    /// One line.
    public record Sample(String name, Map<String, String> labels, double value) {
        public Sample {
            labels = Map.copyOf(labels);
        }

        public String label(String key) {
            return labels.getOrDefault(key, "");
        }
    }

    public Metrics {
        byName = Map.copyOf(byName);
    }

    /// Those of several nodes. Nodes of one process all answer with all of its metrics, which count once.
    public static Metrics together(long nanos, Collection<Metrics> parts) {
        var all = new HashMap<String, List<Sample>>();
        var known = new HashSet<String>();
        for (var part : parts) {
            var nodes = part.values(OF_EVERY_NODE, "node");
            if (Collections.disjoint(known, nodes)) {
                known.addAll(nodes);
                part.byName.forEach((name, samples) ->
                        all.computeIfAbsent(name, _ -> new ArrayList<>()).addAll(samples));
            }
        }
        return new Metrics(nanos, all);
    }

    /// @param text as Prometheus reads it
    public static Metrics of(long nanos, String text) {
        var samples = new HashMap<String, List<Sample>>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var form = LINE.matcher(line);
            if (form.matches()) {
                var labels = new HashMap<String, String>();
                if (form.group(2) != null) {
                    LABEL.matcher(form.group(2))
                            .results()
                            .forEach(label -> labels.put(label.group(1), unescaped(label.group(2))));
                }
                samples.computeIfAbsent(form.group(1), _ -> new ArrayList<>())
                        .add(new Sample(form.group(1), labels, value(form.group(3))));
            }
        });
        return new Metrics(nanos, samples);
    }

    private static double value(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    private static String unescaped(String value) {
        return value.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    }

    public List<Sample> samples(String name) {
        return byName.getOrDefault(name, List.of());
    }

    /// The sum of those lines of a metric that are meant.
    public double sum(String name, Predicate<Sample> meant) {
        return samples(name).stream().filter(meant).mapToDouble(Sample::value).sum();
    }

    /// By how much it grew in a second since an earlier moment. A line that was not there then, or was more, as
    /// before a restart, adds nothing.
    public double rate(Metrics earlier, String name, Predicate<Sample> meant) {
        var before =
                earlier.samples(name).stream().collect(Collectors.toMap(Sample::labels, Sample::value, Double::sum));
        double grown = samples(name).stream()
                .filter(meant)
                .mapToDouble(
                        sample -> Math.max(0, sample.value() - before.getOrDefault(sample.labels(), sample.value())))
                .sum();
        return grown / ((nanos - earlier.nanos) / 1e9);
    }

    /// The values that a label has in a metric, in their order.
    public List<String> values(String name, String label) {
        return values(name, label, _ -> true);
    }

    /// The same of those lines that are meant.
    public List<String> values(String name, String label, Predicate<Sample> meant) {
        var values = new TreeSet<String>();
        samples(name).stream()
                .filter(meant)
                .map(sample -> sample.label(label))
                .filter(value -> !value.isEmpty())
                .forEach(values::add);
        return List.copyOf(values);
    }
}
