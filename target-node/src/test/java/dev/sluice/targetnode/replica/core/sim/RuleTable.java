package dev.sluice.targetnode.replica.core.sim;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Says of each rule that the tests can break how it is shown that the rule is needed. The file has a line for each
/// rule; a script rewrites it.
///
/// @param comment the lines at the beginning of the file
record RuleTable(List<String> comment, SortedMap<String, Evidence> rules) {
    private static final Path FILE = Path.of("src/test/resources/broken-rules.txt");
    private static final Path SOURCES = Path.of("src/test/java/dev/sluice/targetnode/replica/core");
    private static final Pattern BROKEN = Pattern.compile("(?:breaks|broken(?:\\(\\))?\\.contains)\\(\"([a-z_]+)\"\\)");
    private static final Pattern LINE =
            Pattern.compile("([a-z_]+) +(?:seed ([0-9]+)|(history)|rests on argument:(.*))");

    /// What shows that a rule is needed.
    sealed interface Evidence {
        /// The simulation of this seed sees a violation when the rule is broken.
        record Seed(long seed) implements Evidence {
            @Override
            public String toString() {
                return "seed " + seed;
            }
        }

        /// A test annotated with `HistoryOf` shows it.
        record History() implements Evidence {
            @Override
            public String toString() {
                return "history";
            }
        }

        /// No test shows it.
        ///
        /// @param reason why the rule is kept; empty: a script wrote the line, a human has to give a reason
        record Argument(String reason) implements Evidence {
            @Override
            public String toString() {
                return ("rests on argument: " + reason).strip();
            }
        }
    }

    static RuleTable read() {
        var comment = new ArrayList<String>();
        var rules = new TreeMap<String, Evidence>();
        for (var line : lines(FILE)) {
            if (line.startsWith("#")) {
                comment.add(line);
            } else if (!line.isBlank()) {
                var parsed = LINE.matcher(line);
                if (!parsed.matches() || rules.put(parsed.group(1), evidence(parsed)) != null) {
                    throw new IllegalArgumentException(FILE + ": invalid or repeated: " + line);
                }
            }
        }
        return new RuleTable(comment, rules);
    }

    private static Evidence evidence(MatchResult line) {
        if (line.group(2) != null) {
            return new Evidence.Seed(Long.parseLong(line.group(2)));
        }
        return line.group(3) != null
                ? new Evidence.History()
                : new Evidence.Argument(line.group(4).strip());
    }

    void write() {
        var lines = rules.entrySet().stream().map(rule -> "%-18s %s".formatted(rule.getKey(), rule.getValue()));
        try {
            Files.write(FILE, Stream.concat(comment.stream(), lines).toList());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// The rules that the sources of the tests can break.
    static TreeSet<String> known() {
        try (var files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .flatMap(file -> BROKEN.matcher(String.join("\n", lines(file)))
                            .results()
                            .map(found -> found.group(1)))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /// The rules of which a seed is known.
    SortedMap<String, Long> seeds() {
        var seeds = new TreeMap<String, Long>();
        rules.forEach((rule, evidence) -> {
            if (evidence instanceof Evidence.Seed(long seed)) {
                seeds.put(rule, seed);
            }
        });
        return seeds;
    }

    /// The rules with this kind of evidence.
    List<String> with(Class<? extends Evidence> kind) {
        return rules.entrySet().stream()
                .filter(rule -> kind.isInstance(rule.getValue()))
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
