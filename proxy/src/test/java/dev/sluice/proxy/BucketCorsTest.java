package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.s3.BucketDocument;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// A bucket's CORS rules: a document beside its policy.
class BucketCorsTest {
    static final String APP = "https://app.example.com";
    private static final String ALL = "<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
            + "<AllowedMethod>HEAD</AllowedMethod></CORSRule>";
    static final String RULES = cors("<CORSRule><AllowedOrigin>" + APP + "</AllowedOrigin>"
            + "<AllowedMethod>PUT</AllowedMethod><AllowedMethod>GET</AllowedMethod>"
            + "<AllowedHeader>x-amz-*</AllowedHeader><AllowedHeader>Content-Type</AllowedHeader>"
            + "<ExposeHeader>ETag</ExposeHeader><MaxAgeSeconds>600</MaxAgeSeconds></CORSRule>" + ALL);

    private final TrialCluster cluster = TrialCluster.asSeenFrom("target001");

    @AfterEach
    void close() {
        cluster.close();
    }

    private static String cors(String rules) {
        return "<CORSConfiguration>" + rules + "</CORSConfiguration>";
    }

    static BucketProperties properties(String document) {
        return BucketProperties.defaults(Optional.empty()).with(BucketDocument.CORS, Optional.of(document));
    }

    private boolean allowsOrigin() {
        return !cluster.extraHeaders(SignedRequest.anonymous("GET /b/k", "Origin", APP))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "cached"})
    void documentIsReturnedAsS3WritesIt(String kind) {
        var _ = kind.equals("cached") ? cluster.backed("b") : cluster.bucket("b");
        assertThat(outcome(cluster.send("GET /b?cors", ""))).isEqualTo("404 NoSuchCORSConfiguration");
        assertThat(cluster.send("PUT /b?cors", "<?xml version='1.0'?>\n" + RULES)
                        .status())
                .isEqualTo(200);
        var shown = cluster.send("GET /b?cors", "");
        assertThat(shown.headers().first("Content-Type")).contains("application/xml");
        assertThat(text(shown))
                .startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<CORSConfiguration xmlns=")
                .contains("<CORSRule><AllowedOrigin>" + APP + "</AllowedOrigin><AllowedMethod>PUT</AllowedMethod>")
                .endsWith(ALL + "</CORSConfiguration>");
        assertThat(allowsOrigin()).isTrue();
        assertThat(cluster.send("DELETE /b?cors", "").status()).isEqualTo(204);
        assertThat(outcome(cluster.send("GET /b?cors", ""))).isEqualTo("404 NoSuchCORSConfiguration");
        assertThat(allowsOrigin()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "<CORSConfiguration/>, 400 MalformedXML",
        "<CORSConfiguration><CORSRule/></CORSConfiguration>, 400 MalformedXML",
        "nonsense, 400 MalformedXML",
        "<CORSConfiguration><CORSRule><AllowedMethod>PATCH</AllowedMethod></CORSRule></CORSConfiguration>,"
                + " 400 InvalidRequest",
    })
    void documentThatS3RefusesChangesNothing(String document, String outcome) {
        cluster.bucket("b", properties(RULES));
        assertThat(outcome(cluster.send("PUT /b?cors", document))).isEqualTo(outcome);
        assertThat(allowsOrigin()).isTrue();
    }

    @Test
    void documentHasAtMost100RulesAnd20KiB() {
        cluster.bucket("b");
        assertThat(cluster.send("PUT /b?cors", cors(ALL.repeat(100))).status()).isEqualTo(200);
        assertThat(outcome(cluster.send("PUT /b?cors", cors(ALL.repeat(101))))).isEqualTo("400 InvalidRequest");
        var origin = "<AllowedOrigin>" + "o".repeat(20 << 10) + "</AllowedOrigin>";
        assertThat(outcome(cluster.send(
                        "PUT /b?cors", cors("<CORSRule><AllowedMethod>GET</AllowedMethod>" + origin + "</CORSRule>"))))
                .isEqualTo("400 MaxMessageLengthExceeded");
    }

    @Test
    void policyCanDenyIt() {
        cluster.withPolicy("b", TrialCluster.statement("Deny", "s3:PutBucketCORS", "b"));
        assertThat(outcome(cluster.send("PUT /b?cors", RULES))).isEqualTo("403 AccessDenied");
        assertThat(outcome(cluster.send("DELETE /b?cors", ""))).isEqualTo("403 AccessDenied");
        assertThat(outcome(cluster.send("GET /b?cors", ""))).isEqualTo("404 NoSuchCORSConfiguration");
        assertThat(outcome(cluster.response(SignedRequest.anonymous("GET /b?cors"))))
                .isEqualTo("403 AccessDenied");
    }
}
