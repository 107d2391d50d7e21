package dev.sluice.testing.summary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.testing.Notes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Reports as Surefire writes them, and what the summary makes of them.
final class TestSummaryTest {
    private static final String FLAKY = """
            <testcase name="%s" classname="a.B" time="1">
              <flakyFailure message="%s" type="%s">
                <stackTrace><![CDATA[%s: %2$s
            	at a.B.test(B.java:1)]]></stackTrace>
              </flakyFailure>
            </testcase>
            """;

    @TempDir
    private Path project;

    private boolean passed;

    @Test
    void runWithoutFailuresPasses() throws IOException {
        report("one", "a.B", "<testcase name=\"works\" classname=\"a.B\" time=\"1\"/>");
        assertThat(summary()).contains("The ten slowest", "one: B", "1 tests, 0 of them skipped");
        assertThat(passed).isTrue();
    }

    @Test
    void failedTestIsNamedWithReasonAndLog() throws IOException {
        report("deploy/testing", "a.B", """
                <testcase name="breaks" classname="a.B" time="1">
                  <failure message="expected 1&#10;but was 2" type="java.lang.AssertionError">stack</failure>
                  <rerunFailure message="expected 1" type="java.lang.AssertionError"/>
                </testcase>""");
        assertThat(summary())
                .contains("FAILED:", "deploy/testing: B.breaks: expected 1 | but was 2")
                .contains("log: " + project.toRealPath() + "/deploy/testing/target/surefire-reports/a.B-output.txt");
        assertThat(passed).isFalse();
    }

    @Test
    void threeFlakyTestsPassAndFourFail() throws IOException {
        var type = "java.lang.AssertionError";
        report("one", "a.B", FLAKY.formatted("x", "late", type, type).repeat(3));
        assertThat(summary()).contains("FLAKY", "one: B.x: late");
        assertThat(passed).isTrue();
        report("two", "a.B", FLAKY.formatted("x", "late", type, type));
        assertThat(summary()).contains("4 tests are flaky, more than 3");
        assertThat(passed).isFalse();
    }

    @Test
    void brokenPromiseIsNeverFlaky() throws IOException {
        var type = "dev.sluice.testing.PromiseBroken";
        report("one", "a.B", FLAKY.formatted("x", "lost", type, type));
        assertThat(summary()).contains("PROMISE BROKEN");
        assertThat(passed).isFalse();
    }

    @Test
    void brokenPromiseThatCausedTheFailureIsNeverFlaky() throws IOException {
        var thrown = "java.lang.AssertionError";
        report("one", "a.B", FLAKY.formatted("x", "a client", thrown, "Caused by: dev.sluice.testing.PromiseBroken"));
        assertThat(summary()).contains("PROMISE BROKEN");
        assertThat(passed).isFalse();
    }

    @Test
    void testThatDidNotEndFailsTheRun() throws IOException {
        report("one", "a.B", "<testcase name=\"works\" classname=\"a.B\" time=\"1\"/>");
        var reports = project.resolve("one").resolve(Notes.REPORTS);
        Files.writeString(reports.resolve("stuck-12.txt"), "B#loops did not end within 240 s\n");
        Files.writeString(reports.resolve("stuck-12-threads.txt"), "stacks");
        Files.writeString(reports.resolve("stuck-12-process-13.txt"), "stacks");
        assertThat(summary()).contains("DID NOT END", "B#loops did not end").doesNotContain("stacks");
        assertThat(passed).isFalse();
    }

    @Test
    void skippedTestsAreCountedByReason() throws IOException {
        report("one", "a.B", """
                <testcase name="x" classname="a.B" time="0"><skipped message="minio is not installed"/></testcase>
                <testcase name="y" classname="a.B" time="0"><skipped message="minio is not installed"/></testcase>
                <testcase name="z" classname="a.B" time="0"><skipped/></testcase>
                <testcase name="w" classname="a.B" time="0"><skipped type="t"><![CDATA[org.opentest4j.TestAbortedException: needs root
                	at x]]></skipped></testcase>
                """);
        assertThat(summary()).contains("B: minio is not installed (2)", "B: no reason given (1)", "B: needs root (1)");
        assertThat(passed).isTrue();
    }

    @Test
    void notesOfTestsAreShown() throws IOException {
        report("one", "a.B", "<testcase name=\"works\" classname=\"a.B\" time=\"1\"/>");
        Files.writeString(project.resolve("one").resolve(Notes.REPORTS).resolve(Notes.FILE), "a new seed: 12\n");
        assertThat(summary()).contains("one: a new seed: 12");
    }

    private void report(String module, String suite, String cases) throws IOException {
        var reports = Files.createDirectories(project.resolve(module).resolve(Notes.REPORTS));
        Files.writeString(reports.resolve("TEST-" + suite + ".xml"), """
                <?xml version="1.0" encoding="UTF-8"?>
                <testsuite name="%s" time="1,002.5" tests="1" errors="0" skipped="0" failures="0">%s</testsuite>
                """.formatted(suite, cases));
    }

    private String summary() throws IOException {
        var bytes = new ByteArrayOutputStream();
        passed = TestSummary.read(project.toRealPath()).print(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
