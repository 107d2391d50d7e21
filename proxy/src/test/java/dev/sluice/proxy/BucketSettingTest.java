package dev.sluice.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.s3.S3Action;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// What tools ask of a bucket where nothing is configured.
class BucketSettingTest {
    private final TrialCluster cluster = TrialCluster.asSeenFrom(TrialCluster.PROXY);

    @AfterEach
    void close() {
        cluster.close();
    }

    static Stream<S3Action> settings() {
        return Stream.of(S3Action.values()).filter(action -> action.setting().isPresent());
    }

    private String asked(String line) {
        var response = cluster.send(line, "");
        return response.status() + " " + TrialCluster.text(response);
    }

    @ParameterizedTest
    @CsvSource({
        "accelerate, 200, <AccelerateConfiguration xmlns=",
        "acl, 200, <Permission>FULL_CONTROL</Permission>",
        "analytics, 200, <ListBucketAnalyticsConfigurationResult xmlns=",
        "analytics&id=1, 404, <Code>NoSuchConfiguration</Code>",
        "analytics&id=1, 404, <BucketName>shards</BucketName><Id>1</Id>",
        "cors, 404, <Code>NoSuchCORSConfiguration</Code>",
        "encryption, 404, <Code>ServerSideEncryptionConfigurationNotFoundError</Code>",
        "intelligent-tiering, 200, <IsTruncated>false</IsTruncated>",
        "inventory, 200, <ListInventoryConfigurationsResult xmlns=",
        "lifecycle, 404, <Code>NoSuchLifecycleConfiguration</Code>",
        "logging, 200, <BucketLoggingStatus xmlns=",
        "metrics, 200, <ListMetricsConfigurationsResult xmlns=",
        "notification, 200, <NotificationConfiguration xmlns=",
        "object-lock, 404, <Code>ObjectLockConfigurationNotFoundError</Code>",
        "ownershipControls, 200, <ObjectOwnership>BucketOwnerEnforced</ObjectOwnership>",
        "policyStatus, 404, <Code>NoSuchBucketPolicy</Code>",
        "publicAccessBlock, 404, <Code>NoSuchPublicAccessBlockConfiguration</Code>",
        "replication, 404, <Code>ReplicationConfigurationNotFoundError</Code>",
        "requestPayment, 200, <Payer>BucketOwner</Payer>",
        "tagging, 404, <Code>NoSuchTagSet</Code>",
        "website, 404, <Code>NoSuchWebsiteConfiguration</Code>",
    })
    void isToldAsS3TellsIt(String parameter, int status, String part) {
        cluster.bucket("shards");
        assertThat(asked("GET /shards?" + parameter)).startsWith(status + " ").contains(part);
    }

    @ParameterizedTest
    @MethodSource("settings")
    void aBucketThatIsNotThereComesFirst(S3Action setting) {
        assertThat(asked("GET /none?" + setting.parameter())).startsWith("404 ").contains("<Code>NoSuchBucket</Code>");
    }

    @Test
    void anAclThatSaysWhatIsSoIsTaken() {
        cluster.bucket("shards");
        for (var acl : new String[] {"private", "bucket-owner-read", "bucket-owner-full-control"}) {
            assertThat(cluster.send("PUT /shards?acl", "", "x-amz-acl", acl).status())
                    .isEqualTo(200);
        }
        assertThat(TrialCluster.outcome(cluster.send("PUT /shards?acl", "", "x-amz-acl", "public-read")))
                .isEqualTo("400 AccessControlListNotSupported");
        assertThat(TrialCluster.outcome(cluster.send("PUT /shards?acl", "<AccessControlPolicy/>")))
                .isEqualTo("400 AccessControlListNotSupported");
        assertThat(TrialCluster.outcome(cluster.send("PUT /none?acl", "", "x-amz-acl", "private")))
                .isEqualTo("404 NoSuchBucket");
    }

    @Test
    void aPolicyThatGrantsToEveryoneIsPublic() {
        cluster.withPolicy("open", TrialCluster.statement("Allow", "s3:GetObject", "open/*"));
        cluster.withPolicy("closed", TrialCluster.statement("Deny", "s3:GetObject", "closed/*"));
        assertThat(asked("GET /open?policyStatus")).contains("<IsPublic>true</IsPublic>");
        assertThat(asked("GET /closed?policyStatus")).contains("<IsPublic>false</IsPublic>");
    }

    @Test
    void eachObjectHasOneVersion() {
        var bucket = cluster.bucket("shards");
        cluster.put(bucket, "a");
        cluster.put(bucket, "b");
        var listed = asked("GET /shards?versions&max-keys=1");
        assertThat(listed)
                .contains("<Key>a</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>")
                .contains("<NextKeyMarker>a</NextKeyMarker><NextVersionIdMarker>null</NextVersionIdMarker>")
                .doesNotContain("<Key>b</Key>");
        assertThat(asked("GET /shards?versions&key-marker=a&version-id-marker=null"))
                .contains("<Key>b</Key>", "<IsTruncated>false</IsTruncated>")
                .doesNotContain("<Key>a</Key>");
    }
}
