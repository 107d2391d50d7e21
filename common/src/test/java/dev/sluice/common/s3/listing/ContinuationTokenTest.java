package dev.sluice.common.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.S3Failure;
import java.util.Base64;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContinuationTokenTest {
    @ParameterizedTest
    @ValueSource(strings = {"a", "a//b/../", "\0", "+ &%?=", "é\uD83D\uDE00\uDBFF\uDFFF", "\r\n\t", "/"})
    void survivesOddKeys(String key) {
        var token = ContinuationToken.encode(key);
        assertThat(token).matches("[A-Za-z0-9_-]+");
        assertThat(ContinuationToken.decode(token)).isEqualTo(key);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "!", "AQ", "AmE", "a b", "AcCA", "####", "AWE=x"})
    void whatWasNotMadeHereIsRefused(String token) {
        assertThatThrownBy(() -> ContinuationToken.decode(token))
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo("InvalidArgument"));
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 0, 127})
    void otherFormatsAreRefused(int format) {
        var token = Base64.getUrlEncoder().encodeToString(new byte[] {(byte) format, 'a'});
        assertThatThrownBy(() -> ContinuationToken.decode(token)).isInstanceOf(S3Failure.class);
    }
}
