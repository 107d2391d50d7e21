package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static dev.sluice.proxy.TrialCluster.statement;
import static dev.sluice.proxy.TrialCluster.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.cluster.BucketProperties;
import dev.sluice.common.cluster.Command;
import dev.sluice.common.s3.BucketDocument;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a bucket's policy grants to everyone, and denies to everyone.
class PolicyTest {
    private static final String DENIED = "403 AccessDenied";

    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    @Test
    void anonymousCallersReadWhatThePolicyGrantsAndNothingElse() {
        cluster.withPolicy("open", statement("Allow", "s3:*", "open/public/*"));
        cluster.bucket("closed");
        assertThat(anonymously("GET /open/public/a")).isEqualTo("200");
        assertThat(anonymously("HEAD /open/public/a")).isEqualTo("200");
        assertThat(anonymously("GET /open/private/a")).isEqualTo(DENIED);
        assertThat(anonymously("GET /closed/public/a")).isEqualTo(DENIED);
        assertThat(anonymously("GET /open/public/a?response-content-type=text%2Fhtml"))
                .isEqualTo("400 InvalidRequest");
        assertThat(anonymously("HEAD /open/public/a?response-expires=0")).isEqualTo("400");
        assertThat(anonymously("HEAD /open/private/a?response-expires=0")).isEqualTo(DENIED);
        for (var write : new String[] {"PUT /open/public/a", "DELETE /open/public/a", "POST /open/public/a?uploads"}) {
            assertThat(anonymously(write)).as(write).isEqualTo(DENIED);
        }
        for (var onBucket : new String[] {"GET /open", "DELETE /open", "GET /", "PUT /new", "POST /open?delete"}) {
            assertThat(anonymously(onBucket)).as(onBucket).isEqualTo(DENIED);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "s3:GetObject, GET /b/k",
        "s3:GetObject, HEAD /b/k",
        "s3:PutObject, PUT /b/k",
        "s3:PutObject, POST /b/k?uploads",
        "s3:DeleteObject, DELETE /b/k",
        "s3:GetObjectAcl, GET /b/k?acl",
        "s3:GetObjectTagging, GET /b/k?tagging",
        "s3:GetObjectAttributes, GET /b/k?attributes",
        "s3:GetObject, GET /b/k?attributes",
        "s3:AbortMultipartUpload, DELETE /b/k?uploadId=1",
    })
    void aDenialHoldsForThoseWhoSignToo(String action, String line) {
        cluster.withPolicy("b", statement("Deny", action, "b/*"));
        var attributes = new String[] {"x-amz-object-attributes", "ETag"};
        assertThat(cluster.send(line, "", attributes).status()).isEqualTo(403);
        cluster.withPolicy("c", statement("Deny", "s3:SomethingElse", "c/*"));
        assertThat(cluster.send(line.replace("/b/", "/c/"), "", attributes).status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "s3:ListBucket, GET /b",
        "s3:ListBucket, HEAD /b",
        "s3:ListBucket, GET /b?list-type=2",
        "s3:ListBucketMultipartUploads, GET /b?uploads",
        "s3:GetBucketLocation, GET /b?location",
        "s3:GetBucketVersioning, GET /b?versioning",
        "s3:GetBucketAcl, GET /b?acl",
        "s3:ListBucketVersions, GET /b?versions",
        "s3:DeleteBucket, DELETE /b",
    })
    void bucketsAreDeniedByTheirOwnActions(String action, String line) {
        cluster.withPolicy("b", statement("Deny", action, "b"));
        assertThat(cluster.send(line, "").status()).isEqualTo(403);
        cluster.withPolicy("c", statement("Deny", "s3:SomethingElse", "c"));
        assertThat(cluster.send(line.replace("/b", "/c"), "").status()).isLessThan(300);
        assertThat(cluster.known("b")).isPresent();
    }

    @Test
    void theNativeApiDeletesNoBucketThatMustNotBeDeleted() {
        cluster.withPolicy("b", statement("Deny", "s3:DeleteBucket", "b"));
        var answer = cluster.send("DELETE /v1/buckets/b", "{\"action\":\"destroy-bck\",\"value\":{\"force\":true}}");
        assertThat(answer.status()).isEqualTo(403);
        assertThat(text(answer)).contains("the bucket's policy denies it");
        assertThat(cluster.known("b")).isPresent();
    }

    @Test
    void aClientIsDeniedInS3sWords() {
        cluster.withPolicy("b", statement("Deny", "s3:GetObject", "b/*"));
        assertThat(text(cluster.send("GET /b/k", ""))).contains("<Message>Access Denied</Message>");
        assertThat(text(cluster.response(SignedRequest.anonymous("GET /b/k"))))
                .contains("<Message>Access Denied</Message>");
    }

    @Test
    void whoDeniedEverythingCanTakeItBack() {
        cluster.withPolicy("b", statement("Deny", "*", "b"), statement("Deny", "*", "b/*"));
        assertThat(outcome(cluster.send("GET /b?policy", ""))).isEqualTo("200");
        assertThat(outcome(cluster.send("DELETE /b?policy", ""))).isEqualTo("204");
        assertThat(outcome(cluster.send("GET /b/k", ""))).isEqualTo("200");
    }

    @Test
    void deleteObjectsLeavesTheDeniedKeysAndSaysSo() {
        var bucket = cluster.withPolicy("b", statement("Deny", "s3:DeleteObject", "b/kept/*"));
        for (var key : new String[] {"kept/a", "gone/a", "kept/b", "gone/b"}) {
            cluster.put(bucket, key);
        }
        var body = "<Delete><Object><Key>kept/a</Key></Object><Object><Key>gone/a</Key></Object>"
                + "<Object><Key>kept/b</Key></Object><Object><Key>gone/b</Key></Object></Delete>";
        var answer = text(cluster.send("POST /b?delete", body));
        assertThat(answer)
                .contains("<Deleted><Key>gone/a</Key></Deleted>", "<Deleted><Key>gone/b</Key></Deleted>")
                .contains("<Error><Key>kept/a</Key><Code>AccessDenied</Code><Message>Access Denied</Message>")
                .contains("<Error><Key>kept/b</Key><Code>AccessDenied</Code>");
        assertThat(cluster.targets.values().stream().flatMap(target -> target.keys(bucket.id()).stream()))
                .containsExactlyInAnyOrder("kept/a", "kept/b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT /b/copy", "PUT /b/copy?partNumber=1&uploadId=u"})
    void nobodyCopiesWhatNobodyMayRead(String line) {
        cluster.withPolicy("secret", statement("Deny", "s3:GetObject", "secret/keys/*"));
        cluster.bucket("b");
        assertThat(copying(line, "secret/keys/a")).isEqualTo(DENIED);
        assertThat(copying(line, "secret/other")).isEqualTo("200");
        assertThat(cluster.calls()).hasSize(1);
    }

    @Test
    void whoMayNotWriteTagsWritesNoObjectWithTags() {
        cluster.withPolicy("b", statement("Deny", "s3:PutObjectTagging", "b/*"));
        cluster.withPolicy("secret", statement("Deny", "s3:GetObjectTagging", "secret/*"));
        cluster.bucket("c");
        assertThat(cluster.send("PUT /b/k", "").status()).isEqualTo(200);
        assertThat(outcome(cluster.send("PUT /b/k", "", "x-amz-tagging", "a=1")))
                .isEqualTo(DENIED);
        assertThat(outcome(cluster.send("POST /b/k?uploads", "", "x-amz-tagging", "a=1")))
                .isEqualTo(DENIED);
        assertThat(copying("PUT /b/copy", "c/a")).isEqualTo(DENIED);
        var replacing = new String[] {"x-amz-copy-source", "c/a", "x-amz-tagging-directive", "REPLACE"};
        assertThat(outcome(cluster.send("PUT /b/copy", "", replacing))).isEqualTo("200");
        assertThat(copying("PUT /c/copy", "secret/a")).isEqualTo(DENIED);
        replacing[1] = "secret/a";
        assertThat(outcome(cluster.send("PUT /c/copy", "", replacing))).isEqualTo("200");
    }

    @Test
    void theSourceOfACopyMayBeInABucketThatIsNewHere() {
        cluster.bucket("b");
        cluster.control.fallBehind();
        var denial = "{\"Version\":\"2012-10-17\",\"Statement\":[%s]}"
                .formatted(statement("Deny", "s3:GetObject", "secret/*"));
        cluster.control.applyElsewhere(new Command.CreateBucket(
                "secret",
                42,
                BucketProperties.defaults(Optional.empty()).with(BucketDocument.POLICY, Optional.of(denial))));
        assertThat(copying("PUT /b/copy", "secret/a")).isEqualTo(DENIED);
        assertThat(cluster.calls()).isEmpty();
    }

    private String copying(String line, String source) {
        return outcome(cluster.send(line, "", "x-amz-copy-source", source));
    }

    private String anonymously(String line) {
        var outcome = outcome(cluster.response(SignedRequest.anonymous(line)));
        return line.startsWith("HEAD") && outcome.equals("403") ? DENIED : outcome;
    }
}
