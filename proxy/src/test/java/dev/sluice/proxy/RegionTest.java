package dev.sluice.proxy;

import static dev.sluice.proxy.TrialCluster.outcome;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Response;
import org.junit.jupiter.api.Test;

class RegionTest {
    private static final String IN_FRANKFURT = "<CreateBucketConfiguration>"
            + "<LocationConstraint>eu-central-1</LocationConstraint></CreateBucketConfiguration>";

    @Test
    void aClusterOfAnyRegionTakesBucketsOfAnyRegion() {
        try (var cluster = new TrialCluster(TrialCluster.PROXY, "*", true)) {
            assertThat(create(cluster, "eu-central-1")).isEqualTo("200");
            var head = cluster.response(SignedRequest.inRegion("ap-south-1", "HEAD /bucket", ""));
            assertThat(head.headers().first("x-amz-bucket-region")).contains("us-east-1");
        }
    }

    @Test
    void aClusterOfOneRegionRefusesBucketsOfAnother() {
        try (var cluster = new TrialCluster(TrialCluster.PROXY, "us-east-1", true)) {
            assertThat(create(cluster, "us-east-1")).isEqualTo("400 InvalidLocationConstraint");
            assertThat(create(cluster, "eu-central-1")).isEqualTo("400 AuthorizationHeaderMalformed");
        }
    }

    private static String create(TrialCluster cluster, String signedFor) {
        return outcome((Response)
                cluster.answer(SignedRequest.inRegion(signedFor, "PUT /bucket", IN_FRANKFURT), IN_FRANKFURT));
    }
}
