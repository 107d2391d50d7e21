package dev.sluice.cli.config.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantitiesTest {
    @ParameterizedTest
    @CsvSource({"0,0,0", "4096,4096,4KiB", "1.5KiB,1536,1536", "64MiB,67108864,64MiB", "2GB,2000000000,1953125KiB"})
    void sizes(String text, long bytes, String shown) {
        assertThat(ByteSize.parse(text)).isEqualTo(new ByteSize(bytes)).hasToString(shown);
    }

    @ParameterizedTest
    @CsvSource({"250ms,250,250ms", "0s,0,0s", "90s,90000,90s", "5m,300000,5m", "2h,7200000,2h", "1d,86400000,1d"})
    void times(String text, long millis, String shown) {
        assertThat(TimeSpan.parse(text)).hasToString(shown);
        assertThat(TimeSpan.parse(text).duration()).hasMillis(millis);
    }

    @ParameterizedTest
    @CsvSource({"0600,77,rwx------", "0640,27,rwxr-x---", "0604,72,rwx---r-x", "0644,22,rwxr-xr-x"})
    void fileModes(String text, String umask, String folders) {
        assertThat(FileMode.parse(text)).hasToString(text);
        assertThat(Integer.toOctalString(FileMode.parse(text).umask())).isEqualTo(umask);
        assertThat(PosixFilePermissions.toString(FileMode.parse(text).folders()))
                .isEqualTo(folders);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-1", "1 parsec", "MiB", "1e3"})
    void whatIsNeitherIsRefused(String text) {
        assertThatThrownBy(() -> ByteSize.parse(text)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TimeSpan.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
