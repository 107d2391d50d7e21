package dev.sluice.common.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AnyAddressTest {
    @ParameterizedTest
    @CsvSource(textBlock = """
            http://0.0.0.0:8180,       http://train01:8180
            https://0.0.0.0:8180,      https://train01:8180
            http://[::]:8180,          http://train01:8180
            http://0.0.0.0,            http://train01
            http://127.0.0.1:8180,     http://127.0.0.1:8180
            http://[::1]:8180,         http://[::1]:8180
            http://target-0.sluice:80, http://target-0.sluice:80
            """)
    void onlyUrlsOfEveryAddressAreNamed(String url, String named) {
        assertThat(AnyAddress.named(url, "train01")).isEqualTo(named);
    }
}
