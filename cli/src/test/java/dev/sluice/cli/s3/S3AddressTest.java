package dev.sluice.cli.s3;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Addresses as they are sent, which is how they are signed.
final class S3AddressTest {
    @Test
    void keysAreEncodedByteForByte() {
        assertThat(S3Address.of(URI.create("http://h:1"), "/b/ü //../a+b%$", Map.of("x", "a/b c", "a", "")))
                .hasToString("http://h:1/b/%C3%BC%20//../a%2Bb%25%24?a=&x=a%2Fb%20c");
    }

    @ParameterizedTest
    @CsvSource({
        "http://h:80/, h",
        "https://h:443/, h",
        "http://h/, h",
        "http://h:443/, h:443",
        "https://h:80/, h:80",
        "http://[::1]:8080/, [::1]:8080",
    })
    void theHostGoesWithoutItsStandardPort(URI uri, String host) {
        assertThat(S3Address.host(uri)).isEqualTo(host);
    }
}
