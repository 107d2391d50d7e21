package dev.sluice.common.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.BucketSetting.Document;
import dev.sluice.common.s3.BucketSetting.DriveEncryption;
import dev.sluice.common.s3.BucketSetting.Listing;
import dev.sluice.common.s3.BucketSetting.Missing;
import dev.sluice.common.s3.BucketSetting.OwnersAcl;
import dev.sluice.common.s3.BucketSetting.PolicyStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// docs/s3-compatibility.md says what the code does: its tables are made of the code's own. With
/// `-Dsluice.write.docs=true` they are written, else compared.
class S3CompatibilityPageTest {
    private static final Path PAGE = Path.of("..", "docs", "s3-compatibility.md");

    @ParameterizedTest
    @ValueSource(strings = {"actions", "headers", "codes"})
    void saysWhatTheCodeSays(String table) throws IOException {
        var page = Files.readString(PAGE);
        var begin = "<!-- " + table + " -->\n";
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf("<!-- end -->", from);
        assertThat(from).as("the page has a place for the table of " + table).isGreaterThanOrEqualTo(begin.length());
        var made = table(table);
        if (Boolean.getBoolean("sluice.write.docs")) {
            Files.writeString(PAGE, page.substring(0, from) + made + page.substring(to));
        } else {
            assertThat(page.substring(from, to))
                    .as("write it with -Dtest=S3CompatibilityPageTest -Dsluice.write.docs=true")
                    .isEqualTo(made);
        }
    }

    private static String table(String name) {
        return switch (name) {
            case "actions" ->
                rows("action | request | answer", Stream.of(S3Action.values()).map(S3CompatibilityPageTest::row));
            case "headers" -> rows("header | use | 501", S3Header.ALL.stream().map(S3CompatibilityPageTest::row));
            case "codes" ->
                rows(
                        "code | status | beside Code, Message, Resource and RequestId",
                        byName().values().stream().map(S3CompatibilityPageTest::row));
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static String rows(String heads, Stream<String> rows) {
        var rule = Arrays.stream(heads.split("\\|")).map(_ -> "--").collect(Collectors.joining("|"));
        return "| %s |\n|%s|\n".formatted(heads, rule) + rows.collect(Collectors.joining());
    }

    private static String row(S3Action action) {
        var path = switch (action.on()) {
            case SERVICE -> "/";
            case BUCKET -> "/b";
            case OBJECT -> "/b/k";
        };
        var query = action.parameter().isEmpty() ? "" : "?" + action.parameter();
        var with = action.serving() == S3Action.Serving.COPIES ? " with `x-amz-copy-source`" : "";
        return "| %s | `%s %s%s`%s | %s |\n"
                .formatted(action.title(), action.method(), path, query, with, answer(action));
    }

    private static String answer(S3Action action) {
        return switch (action.serving()) {
            case SERVED, COPIES -> "served";
            case REFUSED -> "501";
            case SETTING ->
                switch (action.setting().orElseThrow()) {
                    case Document(var root, var content) when content.isEmpty() -> "an empty `%s`".formatted(root);
                    case Document(var _, var content) -> "always `%s`".formatted(content.replaceAll("<[^>]*>", ""));
                    case Listing _ ->
                        "an empty list; with `id` 404 `%s`".formatted(S3Code.NO_SUCH_CONFIGURATION.code());
                    case Missing(var code) -> "404 `%s`".formatted(code.code());
                    case DriveEncryption() ->
                        "404 `%s`; `AES256` where `storage.encrypted` is set, but not of a cached bucket"
                                .formatted(S3Code.NO_SUCH_ENCRYPTION.code());
                    case OwnersAcl() -> "the owner has `FULL_CONTROL`";
                    case PolicyStatus() -> "whether the policy grants anything to everyone";
                };
        };
    }

    private static String row(S3Header header) {
        return "| `%s` | %s | %s |\n".formatted(header.name(), header.use(), refused(header));
    }

    private static String refused(S3Header header) {
        var but = header.accepted().stream()
                .map("but `%s`"::formatted)
                .collect(Collectors.joining(", ", header.accepted().isEmpty() ? "" : ", ", ""));
        if (header.refusedIn().isEmpty()) {
            return "";
        }
        if (header.refusedIn().size() == S3Header.In.values().length) {
            return "always" + but;
        }
        return Stream.of(S3Header.In.values())
                        .filter(header.refusedIn()::contains)
                        .map(S3CompatibilityPageTest::requests)
                        .collect(Collectors.joining(", "))
                + but;
    }

    private static String requests(S3Header.In in) {
        return switch (in) {
            case READ -> "GET, HEAD";
            case BODY -> "PUT and UploadPart";
            case DELETION -> "DELETE";
            case WRITE -> "copies, begin and end of an upload";
            case OTHER -> "others";
        };
    }

    private static Map<String, S3Code> byName() {
        var codes = new TreeMap<String, S3Code>();
        for (var code : S3Code.values()) {
            if (!List.of(S3Code.NO_SUCH_JOB, S3Code.NO_SUCH_NODE, S3Code.NOTHING_MATCHES)
                    .contains(code)) {
                codes.put(code.code(), code);
            }
        }
        return codes;
    }

    private static String row(S3Code code) {
        return "| %s | %d | %s |\n".formatted(code.code(), code.status(), String.join(", ", code.elements()));
    }
}
