package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Repository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The words of the storage field, and plain English: a few unmistakable other words stay out of type names, settings,
/// messages and docs. Each names what to write instead.
final class WordsTest {
    /// As whole words, in any case.
    private static final Map<String, String> INSTEAD = Map.ofEntries(
            Map.entry("astray", "misplaced"),
            Map.entry("anew", "again, rebuilt"),
            Map.entry("fulfil", "apply"),
            Map.entry("fulfils", "applies"),
            Map.entry("fulfilled", "applied"),
            Map.entry("heed", "follow"),
            Map.entry("heeds", "follows"),
            Map.entry("whereabouts", "location"),
            Map.entry("settlement", "convergence"),
            Map.entry("suspicion", "drive errors"),
            Map.entry("sighting", "lookup"),
            Map.entry("shelf", "key committer"),
            Map.entry("door", "gateway"),
            Map.entry("front door", "gateway"),
            Map.entry("work file", "staging file"),
            Map.entry("work files", "staging files"),
            Map.entry("for ever", "forever, never"),
            Map.entry("given up", "declared lost"),
            Map.entry("makes no sense", "invalid"),
            Map.entry("play ball", "agree"),
            Map.entry("too much to do", "queue full"),
            Map.entry("hot files", "open file cache"),
            Map.entry("hot memory", "memory cache"),
            Map.entry("copy below", "small object threshold"),
            Map.entry("verified for", "checksum recheck interval"));

    /// What a later change deletes or renames: folders and files (without `.java`) that may still have such words.
    private static final List<String> EXEMPT = List.of(
            "storage/spread/",
            "storage/resilver/",
            "storage/copies/",
            "storage/Attendance",
            "storage/Settlement",
            "storage/attach/DriveTables",
            "storage/attach/Start",
            "storage/health/Ahead",
            "storage/health/Whereabouts",
            "storage/drive/Suspicion",
            "storage/drive/Places");

    private static final Pattern FORBIDDEN =
            Pattern.compile("\\b(" + String.join("|", INSTEAD.keySet()) + ")\\b", Pattern.CASE_INSENSITIVE);
    private static final Pattern LINE_COMMENT = Pattern.compile("^\\s*//.*$");
    private static final Pattern TEXT = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern LINK = Pattern.compile("\\[[^\\]]*]\\([^)]*\\.java\\)");
    private static final Pattern KEY = Pattern.compile("^\\s*([a-z_]+)\\s*=");
    private static final Pattern HUMP = Pattern.compile("(?<=[a-z0-9])(?=[A-Z])");

    @Test
    void typeNamesAreTheFieldsTerms() {
        assertThat(files(".java").filter(WordsTest::judged).flatMap(file -> {
                    var type = Path.of(file).getFileName().toString().replace(".java", "");
                    return found(file, 0, HUMP.matcher(type).replaceAll(" "));
                }))
                .isEmpty();
    }

    @Test
    void messagesAreTheFieldsTerms() {
        assertThat(files(".java")
                        .filter(file -> file.contains("/src/main/") && judged(file))
                        .flatMap(file -> lines(file, WordsTest::messages)))
                .isEmpty();
    }

    @Test
    void settingsAreTheFieldsTerms() {
        assertThat(files(".toml").flatMap(file -> lines(file, WordsTest::settings)))
                .isEmpty();
    }

    @Test
    void docsAreTheFieldsTerms() {
        assertThat(files(".md").flatMap(file -> lines(file, WordsTest::prose))).isEmpty();
    }

    /// An exemption without such a file would hide a name that comes later.
    @Test
    void everyExemptionIsStillNeeded() {
        var files = files(".java").toList();
        assertThat(EXEMPT).allMatch(exempt -> files.stream().anyMatch(file -> exempts(exempt, file)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throw new X(\"made anew\");        | anew",
                "LOG.info(\"a\", \"it is Astray\"); | astray",
                "\"shelf\"                          | shelf",
            })
    void forbiddenWordInMessageIsFound(String line, String word) {
        assertThat(found("X.java", 1, messages(line, 1)))
                .containsExactly("X.java:1: '" + word + "': write " + INSTEAD.get(word));
    }

    @ParameterizedTest
    @CsvSource({"/// made anew", "anew();", "\"renewed, indoors\""})
    void codeCommentsAndPartsOfWordsAreNotMessages(String line) {
        assertThat(found("X.java", 1, messages(line, 1))).isEmpty();
    }

    @Test
    void settingWithOldNameIsFound() {
        assertThat(found("a.toml", 1, settings("hot_files = 4096", 1)))
                .containsExactly("a.toml:1: 'hot files': write open file cache");
    }

    private static String messages(String line, int number) {
        return LINE_COMMENT.matcher(line).matches()
                ? ""
                : TEXT.matcher(line).results().map(text -> text.group(1)).reduce("", (all, text) -> all + " " + text);
    }

    private static String settings(String line, int number) {
        return KEY.matcher(line)
                .results()
                .map(key -> key.group(1).replace('_', ' '))
                .findFirst()
                .orElse(line);
    }

    /// Without links to source files, whose names are judged as names of types.
    private static String prose(String line, int number) {
        return LINK.matcher(line).replaceAll("");
    }

    private static Stream<String> lines(String file, BiFunction<String, Integer, String> part) {
        try {
            var lines = Files.readAllLines(Repository.root().resolve(file));
            return Stream.iterate(1, number -> number + 1)
                    .limit(lines.size())
                    .flatMap(number -> found(file, number, part.apply(lines.get(number - 1), number)));
        } catch (IOException e) {
            throw new UncheckedIOException(file, e);
        }
    }

    private static Stream<String> found(String file, int line, String text) {
        return FORBIDDEN
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .map(String::toLowerCase)
                .map(word -> "%s:%d: '%s': write %s".formatted(file, line, word, INSTEAD.get(word)));
    }

    private static boolean judged(String file) {
        return EXEMPT.stream().noneMatch(exempt -> exempts(exempt, file));
    }

    /// Tests of what is exempt are too.
    private static boolean exempts(String exempt, String file) {
        return file.contains("/" + exempt) && (exempt.endsWith("/") || file.matches(".*/" + exempt + "(Test)?\\.java"));
    }

    /// Of the sources and docs, not of what was built.
    private static Stream<String> files(String end) {
        var root = Repository.root();
        try (var all = Files.walk(root)) {
            return all
                    .map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(end) && !file.startsWith(".") && !file.contains("target/"))
                    .sorted()
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
