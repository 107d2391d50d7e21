package dev.sluice.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.s3.listing.KeyOrder;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BackendAddressTest {
    @ParameterizedTest
    @CsvSource({
        "s3://imagenet, S3, imagenet, ''",
        "gs://imagenet, GS, imagenet, ''",
        "s3://sets/imagenet/train/, S3, sets, imagenet/train/",
        "gs://sets/a, GS, sets, a",
    })
    void anAddressIsProviderBucketAndPrefix(
            String text, BackendAddress.Provider provider, String bucket, String prefix) {
        var address = BackendAddress.parse(text);
        assertThat(address.provider()).isEqualTo(provider);
        assertThat(address.bucket()).isEqualTo(bucket);
        assertThat(address.prefix()).isEqualTo(prefix);
        assertThat(address).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "imagenet", "s3://", "s3:///key", "azure://x", "S3:/x"})
    void whatIsNoAddressIsRefused(String text) {
        assertThatThrownBy(() -> BackendAddress.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"localhost:9000", "ftp://host", "http://user:secret@host"})
    void whatIsNoEndpointIsRefused(String endpoint) {
        var address = BackendAddress.parse("s3://b");
        assertThatThrownBy(() -> address.endpoint(URI.create(endpoint))).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "eu.evil.example/", "evil.example#", "a b", "eu@evil"})
    void whatIsNoRegionIsRefused(String region) {
        var address = BackendAddress.parse("s3://b");
        assertThatThrownBy(() -> address.region(region)).isInstanceOf(IllegalArgumentException.class);
        assertThat(address.region("us-east-1").region()).contains("us-east-1");
    }

    @Test
    void keysAreOrderedByTheirUtf8Bytes() {
        // U+FF5E is one char above the surrogates, and comes before U+1F600 in UTF-8.
        assertThat(KeyOrder.INSTANCE.compare("\uFF5E", "😀")).isNegative();
        assertThat(KeyOrder.INSTANCE.compare("a", "a/b")).isNegative();
        assertThat(KeyOrder.INSTANCE.compare("a", "a")).isZero();
        assertThat(KeyOrder.INSTANCE.compare(KeyOrder.lastWithin("dir/"), "dir/😀"))
                .isPositive();
        assertThat(KeyOrder.INSTANCE.compare(KeyOrder.lastWithin("dir/"), "dir0"))
                .isNegative();
    }
}
