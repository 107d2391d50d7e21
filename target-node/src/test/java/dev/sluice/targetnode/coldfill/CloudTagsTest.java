package dev.sluice.targetnode.coldfill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.backend.WriteCondition;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Tags of objects: those of a bucket's own are here, those of a cached one in the cloud.
@Timeout(60)
class CloudTagsTest {
    private static final WriteAttributes TAGGED = new WriteAttributes(
            new TreeMap<>(Map.of(Tags.HEADER, "team=vision&stage=")),
            new TreeMap<>(),
            Optional.empty(),
            Map.of(),
            Optional.empty());

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try {
            target.requireNothingLeft();
        } finally {
            target.close();
        }
    }

    private String tags(Bucket bucket, String key) {
        var request = new S3Request.GetObjectTagging(new ObjectName(bucket.name(), key));
        var received = Received.of(target.run(TargetFixture.call(request, bucket, 0), ByteSource.empty()));
        return received.text().replaceAll("(?s).*<TagSet>(.*)</TagSet>.*", "$1");
    }

    @Test
    void tagsOfAWriteAreTheObjects() {
        for (var bucket : List.of(target.own(), target.cached())) {
            target.put(bucket, "a", new byte[10], TAGGED, Conditions.NONE);
            assertThat(tags(bucket, "a"))
                    .isEqualTo(
                            "<Tag><Key>team</Key><Value>vision</Value></Tag><Tag><Key>stage</Key><Value></Value></Tag>");
            assertThat(target.head(bucket, "a").header(Tags.COUNT_HEADER)).isEqualTo("2");
            assertThat(target.get(bucket, "a").header(Tags.COUNT_HEADER)).isEqualTo("2");
            target.put(bucket, "a", new byte[10]);
            assertThat(tags(bucket, "a")).isEmpty();
            assertThat(target.get(bucket, "a").header(Tags.COUNT_HEADER)).isEmpty();
        }
    }

    @Test
    void tagsOfObjectsInTheCloudAreTheClouds() {
        target.cloud().memory().put("a", 3, TargetFixture.source(new byte[3]), TAGGED, WriteCondition.NONE);
        assertThat(tags(target.cached(), "a")).contains("<Key>team</Key>");
        for (int i = 0; i < 2; i++) { // filled, and from the drive
            assertThat(target.get(target.cached(), "a").header(Tags.COUNT_HEADER))
                    .isEqualTo("2");
        }
        assertThat(tags(target.cached(), "a")).contains("<Key>team</Key>");
    }

    @Test
    void tagsOfACachedVersionAreTheCloudsWhileItHasThatVersion() {
        var tags = new CloudTags(target.backends());
        var cloud = target.cloud().memory();
        var first = cloud.put("a", 3, TargetFixture.source(new byte[3]), TAGGED, WriteCondition.NONE);
        for (var counted : List.of(true, false)) { // the cloud does not say when tags change
            assertThat(tags.ofVersion(target.cached(), "a", first.etag(), counted)
                            .values())
                    .containsEntry("team", "vision");
        }
        cloud.put("a", 4, TargetFixture.source(new byte[4]), TAGGED, WriteCondition.NONE);
        for (var counted : List.of(true, false)) {
            assertThatThrownBy(() -> tags.ofVersion(target.cached(), "a", first.etag(), counted))
                    .isInstanceOf(StoreException.Unavailable.class)
                    .hasMessageContaining("has another version");
        }
        cloud.delete("a");
        assertThat(tags.ofVersion(target.cached(), "a", first.etag(), false).isEmpty())
                .isTrue();
        assertThatThrownBy(() -> tags.ofVersion(target.cached(), "a", first.etag(), true))
                .isInstanceOf(StoreException.Unavailable.class);
    }
}
