package dev.sluice.common.s3.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.S3Failure;
import java.nio.charset.StandardCharsets;

/// Documents that configure a bucket, as clients send them.
final class Documents {
    private Documents() {}

    static CorsRules cors(String rules) {
        return CorsRules.parse(bytes("<CORSConfiguration>" + rules + "</CORSConfiguration>"));
    }

    static LifecycleRules lifecycle(String rules) {
        return LifecycleRules.parse(bytes("<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>"));
    }

    /// An enabled rule for all objects, unless the elements say otherwise.
    static String rule(String elements) {
        return "<Rule>"
                + (elements.contains("<Status") ? "" : "<Status>Enabled</Status>")
                + (elements.contains("<Filter") ? "" : "<Filter/>")
                + elements + "</Rule>";
    }

    static String expiration(int days) {
        return "<Expiration><Days>" + days + "</Days></Expiration>";
    }

    static String abort(int days) {
        return "<AbortIncompleteMultipartUpload><DaysAfterInitiation>" + days
                + "</DaysAfterInitiation></AbortIncompleteMultipartUpload>";
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /// @param message of the error; of MalformedXML only its beginning
    static void refused(String code, String message, Runnable call) {
        assertThatThrownBy(call::run).isInstanceOfSatisfying(S3Failure.class, failure -> {
            assertThat(failure.error().code()).isEqualTo(code);
            assertThat(failure.error().message()).startsWith(message);
        });
    }
}
