package dev.sluice.common.metrics;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// What `/metrics` said at one moment.
///
/// @param nanos of [System#nanoTime], when it was asked
public record Metrics(long nanos, List<Sample> samples) {
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
        samples = List.copyOf(samples);
    }

    /// @param text as Prometheus reads it
    public static Metrics of(long nanos, String text) {
        var samples = new ArrayList<Sample>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var form = LINE.matcher(line);
            if (form.matches()) {
                var labels = new HashMap<String, String>();
                if (form.group(2) != null) {
                    LABEL.matcher(form.group(2))
                            .results()
                            .forEach(label -> labels.put(label.group(1), unescaped(label.group(2))));
                }
                samples.add(new Sample(form.group(1), labels, Double.parseDouble(form.group(3))));
            }
        });
        return new Metrics(nanos, samples);
    }

    private static String unescaped(String value) {
        return value.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\");
    }

    /// The sum of those lines of a metric that are meant.
    public double sum(String name, Predicate<Sample> meant) {
        return samples.stream()
                .filter(sample -> sample.name().equals(name))
                .filter(meant)
                .mapToDouble(Sample::value)
                .sum();
    }

    /// By how much the sum grew in a second since an earlier moment; never below 0, as after a restart.
    public double rate(Metrics earlier, String name, Predicate<Sample> meant) {
        double seconds = (nanos - earlier.nanos) / 1e9;
        return Math.max(0, sum(name, meant) - earlier.sum(name, meant)) / seconds;
    }

    /// The values that a label has in a metric, in their order.
    public List<String> values(String name, String label) {
        return values(name, label, _ -> true);
    }

    /// The same of those lines that are meant.
    public List<String> values(String name, String label, Predicate<Sample> meant) {
        var values = new TreeSet<String>();
        samples.stream()
                .filter(sample -> sample.name().equals(name))
                .filter(meant)
                .map(sample -> sample.label(label))
                .filter(value -> !value.isEmpty())
                .forEach(values::add);
        return List.copyOf(values);
    }
}
