package dev.sluice.common.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class S3HeaderTest {
    @Test
    void everyHeaderThatMayBeRefusedIsFoundByItsName() {
        for (var header : S3Header.ALL) {
            var name = header.name().replace("*", "anything").toUpperCase(Locale.ROOT);
            assertThat(header.is(name)).as(name).isTrue();
            assertThat(List.of(S3Header.refusableLike(name)).contains(header))
                    .as(name)
                    .isEqualTo(!header.refusedIn().isEmpty());
        }
    }

    @Test
    void noHeaderIsThereTwice() {
        var names = new HashSet<String>();
        for (var header : S3Header.ALL) {
            assertThat(names.add(header.name())).as(header.name()).isTrue();
            assertThat(header.name()).isEqualTo(header.name().toLowerCase(Locale.ROOT));
            assertThat(header.accepted().isEmpty() || !header.refusedIn().isEmpty())
                    .as(header.name())
                    .isTrue();
        }
    }

    @Test
    void oddNamesAreNoHeadersOfS3() {
        for (var name : List.of("", "x", "x-amz-", "\u00e9", "x-amz-\u00e9", "\uffff")) {
            for (var header : S3Header.refusableLike(name)) {
                assertThat(header.is(name)).as(name).isFalse();
            }
        }
    }

    @Test
    void aValueThatIsSoAnywayIsAccepted() {
        var storageClass = S3Header.ALL.stream()
                .filter(header -> header.is("X-Amz-Storage-Class"))
                .findFirst()
                .orElseThrow();
        assertThat(storageClass.refuses(S3Header.In.BODY, "STANDARD")).isFalse();
        assertThat(storageClass.refuses(S3Header.In.BODY, "GLACIER")).isTrue();
    }
}
