package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.Command;
import dev.sluice.common.cluster.planning.Planner;
import dev.sluice.common.s3.BucketDocument;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A bucket's tags: a document beside its policy.
class BucketTaggingTest {
    private static final String TEAM = tagging(tag("team", "vision"), tag("cost center", "4/2 @ö"));

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    private static String tag(String key, String value) {
        return "<Tag><Key>%s</Key><Value>%s</Value></Tag>".formatted(key, value);
    }

    private static String tagging(String... tags) {
        return "<Tagging><TagSet>%s</TagSet></Tagging>".formatted(String.join("", tags));
    }

    private static String tags(int count) {
        return tagging(
                IntStream.range(0, count).mapToObj(i -> tag("k" + i, "v")).toArray(String[]::new));
    }

    private String outcome(String line, String body, String... headers) {
        return TrialCluster.outcome(cluster.send(line, body, headers));
    }

    private String shown() {
        return TrialCluster.text(cluster.send("GET /b?tagging", ""));
    }

    @Test
    void areReturnedAsTheyWerePut() {
        cluster.bucket("b");
        assertThat(outcome("GET /b?tagging", "")).isEqualTo("404 NoSuchTagSet");
        assertThat(cluster.send("PUT /b?tagging", TEAM).status()).isEqualTo(204);
        assertThat(shown())
                .contains("<Tagging xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><TagSet>" + tag("team", "vision")
                        + tag("cost center", "4/2 @ö") + "</TagSet></Tagging>");
        assertThat(cluster.send("PUT /b?tagging", tags(50)).status()).isEqualTo(204);
        assertThat(shown()).contains("k0", "k49").doesNotContain("vision");
        assertThat(cluster.send("DELETE /b?tagging", "").status()).isEqualTo(204);
        assertThat(outcome("GET /b?tagging", "")).isEqualTo("404 NoSuchTagSet");
    }

    @Test
    void noTagsAreAsGoodAsNoDocument() {
        cluster.bucket("b");
        assertThat(cluster.send("PUT /b?tagging", TEAM).status()).isEqualTo(204);
        assertThat(cluster.send("PUT /b?tagging", tagging()).status()).isEqualTo(204);
        assertThat(outcome("GET /b?tagging", "")).isEqualTo("404 NoSuchTagSet");
    }

    @ParameterizedTest
    @CsvSource({
        "<Tagging/>, 400 MalformedXML",
        "<Tagging><TagSet/><TagSet/></Tagging>, 400 MalformedXML",
        "<Tagging><TagSet><Tag><Key>a</Key></Tag></TagSet></Tagging>, 400 MalformedXML",
        "<Tagging><TagSet><Tag><Key>a</Key><Key>b</Key><Value/></Tag></TagSet></Tagging>, 400 MalformedXML",
        "<Tagging><TagSet><Other/></TagSet></Tagging>, 400 MalformedXML",
        "<Tagging><TagSet><Tag><Key/><Value>a</Value></Tag></TagSet></Tagging>, 400 InvalidTag",
        "<Tagging><TagSet><Tag><Key>a!</Key><Value/></Tag></TagSet></Tagging>, 400 InvalidTag",
        "<Tagging><TagSet><Tag><Key>a</Key><Value>?</Value></Tag></TagSet></Tagging>, 400 InvalidTag",
        "<Tagging><TagSet><Tag><Key>aws:a</Key><Value/></Tag></TagSet></Tagging>, 400 InvalidTag",
    })
    void whatIsNoTaggingIsRefusedAndChangesNothing(String document, String outcome) {
        cluster.bucket("b");
        assertThat(cluster.send("PUT /b?tagging", TEAM).status()).isEqualTo(204);
        assertThat(outcome("PUT /b?tagging", document)).isEqualTo(outcome);
        assertThat(shown()).contains("vision");
    }

    @Test
    void limitsAreThoseOfS3() {
        cluster.bucket("b");
        assertThat(outcome("PUT /b?tagging", tags(51))).isEqualTo("400 BadRequest");
        assertThat(outcome("PUT /b?tagging", tagging(tag("a", "1"), tag("a", "2"))))
                .isEqualTo("400 InvalidTag");
        assertThat(outcome("PUT /b?tagging", tagging(tag("k".repeat(129), "v"))))
                .isEqualTo("400 InvalidTag");
        assertThat(outcome("PUT /b?tagging", tagging(tag("k", "v".repeat(257)))))
                .isEqualTo("400 InvalidTag");
        assertThat(cluster.send("PUT /b?tagging", tagging(tag("k".repeat(128), "v".repeat(256))))
                        .status())
                .isEqualTo(204);
        var large = IntStream.range(0, 50)
                .mapToObj(i -> tag("k".repeat(120) + i, "ö".repeat(256)))
                .collect(Collectors.joining());
        assertThat(outcome("PUT /b?tagging", tagging(large))).isEqualTo("400 MaxMessageLengthExceeded");
    }

    @Test
    void aBodyThatIsNotThePromisedOneIsRefused() throws NoSuchAlgorithmException {
        cluster.bucket("b");
        var right = Base64.getEncoder()
                .encodeToString(MessageDigest.getInstance("MD5").digest(TEAM.getBytes(StandardCharsets.UTF_8)));
        assertThat(outcome("PUT /b?tagging", tags(1), "Content-MD5", right)).isEqualTo("400 BadDigest");
        assertThat(cluster.send("PUT /b?tagging", TEAM, "Content-MD5", right).status())
                .isEqualTo(204);
        assertThat(outcome("PUT /b?tagging", tags(1), "x-amz-checksum-crc32", "AAAAAA=="))
                .isEqualTo("400 BadDigest");
        assertThat(shown()).contains("vision");
    }

    @Test
    void aPolicyThatOthersPutMeanwhileStays() {
        cluster.bucket("b");
        var turns = new AtomicInteger();
        cluster.control.beforeEach(state -> {
            if (turns.getAndIncrement() > 0) {
                return state;
            }
            var now = TrialCluster.find(state, "b").properties();
            var policy = now.with(BucketDocument.POLICY, Optional.of(policy("a")));
            return Planner.next(state, new Command.SetBucketProperties("b", 1, now, policy));
        });
        assertThat(cluster.send("PUT /b?tagging", TEAM).status()).isEqualTo(204);
        assertThat(TrialCluster.text(cluster.send("GET /b?policy", ""))).isEqualTo(policy("a"));
        assertThat(shown()).contains("vision");
    }

    private static String policy(String key) {
        return "{\"Version\":\"2012-10-17\",\"Statement\":[%s]}"
                .formatted(TrialCluster.statement("Allow", "s3:GetObject", "b/" + key));
    }

    @Test
    void aPolicyCanDenyThem() {
        cluster.withPolicy("b", TrialCluster.statement("Deny", "s3:PutBucketTagging", "b"));
        assertThat(outcome("PUT /b?tagging", TEAM)).isEqualTo("403 AccessDenied");
        assertThat(outcome("DELETE /b?tagging", "")).isEqualTo("403 AccessDenied");
        assertThat(outcome("GET /b?tagging", "")).isEqualTo("404 NoSuchTagSet");
    }

    @Test
    void aNewBucketCanHaveThem() {
        assertThat(cluster.send(
                                "PUT /new-one",
                                "<CreateBucketConfiguration><Tags>%s</Tags></CreateBucketConfiguration>"
                                        .formatted(tag("team", "vision")))
                        .status())
                .isEqualTo(200);
        assertThat(TrialCluster.text(cluster.send("GET /new-one?tagging", ""))).contains(tag("team", "vision"));
    }
}
