package dev.sluice.testing.summary;

import dev.sluice.testing.Notes;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/// What a run of the tests comes to: why tests were skipped, what passed only when it was run again, the slowest
/// classes, and last which tests failed, why, and where their logs are. Fails when a test failed or did not end, when
/// a promise was broken though the test passed the second time, or when more than [#MOST_FLAKY] tests were flaky.
public final class TestSummary {
    static final int MOST_FLAKY = 3;
    private static final int SLOWEST = 10;
    private static final int MESSAGE = 300;

    private final List<SuiteReport> suites = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> stuck = new ArrayList<>();

    private TestSummary() {}

    /// @param arguments the project's folder
    public static void main(String[] arguments) throws IOException {
        boolean passed = read(Path.of(arguments[0]).toRealPath()).print(System.out);
        System.exit(passed ? 0 : 1);
    }

    static TestSummary read(Path project) throws IOException {
        var summary = new TestSummary();
        try (var folders = Files.walk(project, 4)) {
            for (var reports : folders.filter(folder -> folder.endsWith(Notes.REPORTS))
                    .sorted()
                    .toList()) {
                summary.add(
                        project.relativize(reports.resolve("../..").normalize()).toString(), reports);
            }
        }
        return summary;
    }

    private void add(String module, Path reports) throws IOException {
        for (var file : files(reports, "TEST-*.xml")) {
            suites.add(SuiteReport.read(module, file));
        }
        for (var file : files(reports, Notes.FILE)) {
            Files.readAllLines(file, StandardCharsets.UTF_8).forEach(line -> notes.add(module + ": " + line));
        }
        for (var file : files(reports, "stuck-*[0-9].txt")) {
            var name = file.getFileName().toString();
            if (!name.contains("process")) {
                stuck.add(module + ": " + Files.readString(file).strip());
            }
        }
    }

    private static List<Path> files(Path folder, String glob) throws IOException {
        var all = new ArrayList<Path>();
        try (var files = Files.newDirectoryStream(folder, glob)) {
            files.forEach(all::add);
        }
        all.sort(Comparator.naturalOrder());
        return all;
    }

    /// @return whether the run counts as passed
    boolean print(PrintStream out) {
        var failed = outcomes(Outcome.Kind.FAILED);
        var flaky = outcomes(Outcome.Kind.FLAKY);
        var broken = flaky.stream().filter(Outcome::promise).toList();
        printSkipped(out);
        print(out, "Notes of tests:", notes);
        print(
                out,
                "FLAKY, failed first and passed when run again:",
                flaky.stream().map(TestSummary::line).toList());
        out.println("The ten slowest test classes:");
        suites.stream()
                .sorted(Comparator.comparingDouble(SuiteReport::seconds).reversed())
                .limit(SLOWEST)
                .forEach(suite -> out.printf("%8.1f s  %s: %s%n", suite.seconds(), suite.module(), suite.name()));
        out.printf(
                "%d tests, %d of them skipped, %.1f minutes in tests%n",
                suites.stream().mapToInt(SuiteReport::tests).sum(),
                suites.stream().mapToInt(SuiteReport::skipped).sum(),
                suites.stream().mapToDouble(SuiteReport::seconds).sum() / 60);
        print(out, "DID NOT END:", stuck);
        print(
                out,
                "PROMISE BROKEN, which counts though the test passed when run again:",
                broken.stream().map(TestSummary::line).toList());
        print(out, "FAILED:", failed.stream().map(TestSummary::line).toList());
        boolean tooFlaky = flaky.size() > MOST_FLAKY;
        if (tooFlaky) {
            out.printf("FAILED: %d tests are flaky, more than %d%n", flaky.size(), MOST_FLAKY);
        }
        return failed.isEmpty() && broken.isEmpty() && stuck.isEmpty() && !tooFlaky;
    }

    private List<Outcome> outcomes(Outcome.Kind kind) {
        return suites.stream()
                .flatMap(suite -> suite.outcomes().stream())
                .filter(outcome -> outcome.kind() == kind)
                .toList();
    }

    private void printSkipped(PrintStream out) {
        var reasons = new TreeMap<String, Integer>();
        for (var skipped : outcomes(Outcome.Kind.SKIPPED)) {
            var type = skipped.test().replaceFirst("^[^:]*: ", "").replaceFirst("\\..*", "");
            var why = skipped.message().isEmpty()
                    ? "no reason given"
                    : skipped.message().lines().findFirst().orElse("").replaceAll("junit-?[0-9]+", "junit");
            reasons.merge(type + ": " + shortened(why, MESSAGE / 2), 1, Integer::sum);
        }
        print(
                out,
                "Skipped, and why:",
                reasons.entrySet().stream()
                        .map(each -> each.getKey() + " (" + each.getValue() + ")")
                        .toList());
    }

    private static String line(Outcome outcome) {
        return "%s: %s%n    log: %s"
                .formatted(
                        outcome.test(),
                        shortened(outcome.message().replaceAll("\\s*\\R\\s*", " | "), MESSAGE),
                        outcome.log());
    }

    private static String shortened(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length) + " …";
    }

    private static void print(PrintStream out, String title, List<String> lines) {
        if (!lines.isEmpty()) {
            out.println(title);
            lines.forEach(line -> out.println("  " + line));
        }
    }
}
