package dev.sluice.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.deploy.harness.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What the documents link to in this repository.
final class LinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final int MOST_FILES = 8;

    private static List<String> links(String text) {
        return LINK.matcher(text).results().map(found -> found.group(1)).toList();
    }

    private static List<Path> documents() throws IOException {
        var root = Repository.root();
        try (var docs = Files.walk(root.resolve("docs"));
                var top = Files.list(root)) {
            return Stream.concat(docs, top)
                    .filter(path -> path.toString().endsWith(".md"))
                    .toList();
        }
    }

    @Test
    void linksLeadToFiles() throws IOException {
        var dead = new ArrayList<String>();
        for (var document : documents()) {
            for (var link : links(Files.readString(document))) {
                var path = link.replaceFirst("#.*", "");
                if (!link.contains("://") && !link.startsWith("mailto:") && !path.isEmpty()) {
                    var to = document.resolveSibling(path);
                    if (!Files.exists(to)) {
                        dead.add(Repository.root().relativize(document) + ": " + link);
                    }
                }
            }
        }
        assertThat(dead).isEmpty();
    }

    /// Who follows an operation reads few files.
    @Test
    void operationsPassFewFiles() throws IOException {
        var text = Files.readString(Repository.root().resolve("docs/architecture.md"));
        int begin = text.indexOf("| operation |");
        var rows = text.substring(begin, text.indexOf("\n\n", begin))
                .lines()
                .skip(2)
                .toList();
        assertThat(rows)
                .hasSize(8)
                .allSatisfy(row -> assertThat(List.of(row.split(" → "))).hasSizeLessThanOrEqualTo(MOST_FILES));
    }
}
