package dev.sluice.targetnode.object;

import static dev.sluice.targetnode.coldfill.TargetFixture.PLAIN;
import static dev.sluice.targetnode.coldfill.TargetFixture.md5;
import static dev.sluice.targetnode.coldfill.TargetFixture.source;
import static dev.sluice.testing.Bytes.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.checksum.Hasher;
import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.Conditions;
import dev.sluice.common.s3.ObjectAttribute;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.store.StoreException;
import dev.sluice.targetnode.coldfill.Received;
import dev.sluice.targetnode.coldfill.TargetFixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Each checksum that S3 has, of objects and of multipart uploads, in a native and in a cached bucket.
@Tag("compute")
@Timeout(60)
class ChecksumsTest {
    private static final String KEY = "sums/a";
    private static final byte[] FIRST = random(1, 5 << 20);
    private static final byte[] SECOND = random(2, 70_000);

    @TempDir
    private Path folder;

    private TargetFixture target;

    @BeforeEach
    void open() throws IOException {
        target = new TargetFixture(folder);
    }

    @AfterEach
    void close() throws IOException {
        target.close();
    }

    private List<Bucket> buckets() {
        return List.of(target.own(), target.cached());
    }

    private static String value(ChecksumAlgorithm algorithm, byte[] bytes) {
        var hasher = Hasher.of(algorithm);
        hasher.add(ByteBuffer.wrap(bytes));
        return hasher.base64();
    }

    private static String wrong(ChecksumAlgorithm algorithm) {
        return value(algorithm, new byte[] {1});
    }

    private static WriteAttributes promising(ChecksumAlgorithm algorithm, String value) {
        return new WriteAttributes(
                new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(algorithm, value), Optional.of(algorithm));
    }

    private Received headWithChecksums(Bucket bucket) {
        var request = new S3Request.HeadObject(
                name(bucket), Optional.empty(), Conditions.NONE, Optional.empty(), true, new TreeMap<>());
        return run(bucket, request, new byte[0]);
    }

    private static ObjectName name(Bucket bucket) {
        return new ObjectName(bucket.name(), KEY);
    }

    private Received run(Bucket bucket, S3Request.OnObject request, byte[] body) {
        var call = TargetFixture.call(request, bucket, body.length);
        return Received.of(target.run(call, body.length == 0 ? ByteSource.empty() : source(body)));
    }

    private static void refused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        refusal -> assertThat(refusal.error().code()).isEqualTo("InvalidRequest"));
    }

    @ParameterizedTest
    @EnumSource
    void aChecksumIsComparedKeptAndReturned(ChecksumAlgorithm algorithm) {
        for (var bucket : buckets()) {
            for (var content : List.of(random(3, 10), random(4, 1_000_000))) {
                var right = value(algorithm, content);
                assertThatThrownBy(() -> target.put(
                                bucket, "bad", content, promising(algorithm, wrong(algorithm)), Conditions.NONE))
                        .isInstanceOf(StoreException.BadDigest.class);
                assertThat(target.stored(bucket, "bad")).isFalse();
                var put = target.put(bucket, KEY, content, promising(algorithm, right), Conditions.NONE);
                assertThat(put.header(algorithm.header())).isEqualTo(right);
                assertThat(target.get(bucket, KEY).body()).isEqualTo(content);
                var head = headWithChecksums(bucket);
                assertThat(head.header(algorithm.header())).isEqualTo(right);
                assertThat(head.header("x-amz-checksum-type")).isEqualTo("FULL_OBJECT");
            }
        }
    }

    /// One of each law: over the parts or the bytes, over the bytes, over the parts.
    @ParameterizedTest
    @EnumSource(names = {"CRC32C", "CRC64NVME", "SHA256"})
    void theChecksumOfAnUploadIsThatOfItsParts(ChecksumAlgorithm algorithm) {
        requireUploads(algorithm);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"CRC32C", "CRC64NVME", "SHA256"})
    void theOtherChecksumsOfAnUploadAreThoseOfItsParts(ChecksumAlgorithm algorithm) {
        requireUploads(algorithm);
    }

    private void requireUploads(ChecksumAlgorithm algorithm) {
        for (var bucket : buckets()) {
            for (var fullObject : List.of(true, false)) {
                if (algorithm.allows(fullObject)) {
                    requireUpload(bucket, algorithm, fullObject);
                }
            }
        }
    }

    private void requireUpload(Bucket bucket, ChecksumAlgorithm algorithm, boolean fullObject) {
        var other = algorithm == ChecksumAlgorithm.SHA1 ? ChecksumAlgorithm.MD5 : ChecksumAlgorithm.SHA1;
        var id = begin(bucket, algorithm, fullObject);
        refused(() -> part(bucket, id, 1, FIRST, promising(other, value(other, FIRST))));
        assertThatThrownBy(() -> part(bucket, id, 1, FIRST, promising(algorithm, wrong(algorithm))))
                .isInstanceOf(StoreException.BadDigest.class);
        var sent = part(bucket, id, 1, FIRST, promising(algorithm, value(algorithm, FIRST)));
        assertThat(sent.header(algorithm.header())).isEqualTo(value(algorithm, FIRST));
        part(bucket, id, 2, SECOND, PLAIN); // the upload's checksum is computed without a promise as well

        var whole = join(FIRST, SECOND);
        var expected = fullObject ? value(algorithm, whole) : composite(algorithm);
        refused(() -> complete(bucket, id, Map.of(other, value(other, whole)), Optional.empty(), ""));
        refused(() -> complete(bucket, id, Map.of(algorithm, expected), Optional.of(!fullObject), ""));
        refused(() -> complete(bucket, id, Map.of(), Optional.empty(), element(other, value(other, FIRST))));
        var wrong = wrong(algorithm) + (fullObject ? "" : "-2");
        assertThatThrownBy(() -> complete(bucket, id, Map.of(algorithm, wrong), Optional.empty(), ""))
                .isInstanceOf(StoreException.BadDigest.class);
        assertThatThrownBy(() -> complete(bucket, id, Map.of(), Optional.empty(), element(algorithm, wrong(algorithm))))
                .isInstanceOf(StoreException.InvalidPart.class);
        assertThat(target.stored(bucket, KEY)).isFalse();

        var done = complete(
                bucket,
                id,
                Map.of(algorithm, expected),
                Optional.of(fullObject),
                element(algorithm, value(algorithm, FIRST)));
        assertThat(done.text())
                .contains(element(algorithm, expected))
                .contains("<ChecksumType>" + (fullObject ? "FULL_OBJECT" : "COMPOSITE"));
        assertThat(target.get(bucket, KEY).body()).isEqualTo(whole);
        if (!bucket.backed()) {
            assertThat(headWithChecksums(bucket).header(algorithm.header())).isEqualTo(expected);
            requireAttributes(bucket, algorithm, expected, fullObject);
        } else {
            assertThat(attributes(bucket, 0, 1000)).contains("<ObjectSize>").doesNotContain("<ObjectParts>");
        }
        target.delete(bucket, KEY);
    }

    /// Parts are told where the object's checksum is composed of theirs, as S3 does it.
    private void requireAttributes(Bucket bucket, ChecksumAlgorithm algorithm, String whole, boolean fullObject) {
        var first = part(1, FIRST, algorithm);
        var second = part(2, SECOND, algorithm);
        var all = attributes(bucket, 0, 1000);
        assertThat(all)
                .contains("<Checksum>" + element(algorithm, whole.replace("-2", "")) + "<ChecksumType>")
                .contains("<StorageClass>STANDARD</StorageClass><ObjectSize>%d</ObjectSize>"
                        .formatted(FIRST.length + SECOND.length));
        if (fullObject) {
            assertThat(all).contains("<ObjectParts><PartsCount>2</PartsCount></ObjectParts>");
        } else {
            assertThat(all)
                    .contains("<PartsCount>2</PartsCount><PartNumberMarker>0</PartNumberMarker>"
                            + "<NextPartNumberMarker>2</NextPartNumberMarker><MaxParts>1000</MaxParts>"
                            + "<IsTruncated>false</IsTruncated>" + first + second + "</ObjectParts>");
            assertThat(attributes(bucket, 0, 1))
                    .contains("<NextPartNumberMarker>1</NextPartNumberMarker>", "<IsTruncated>true", first)
                    .doesNotContain(second);
            assertThat(attributes(bucket, 1, 1))
                    .contains("<IsTruncated>false", second)
                    .doesNotContain(first);
            assertThat(attributes(bucket, 2, 1)).contains("<NextPartNumberMarker>0</NextPartNumberMarker>");
        }
        for (int i = 1; i <= 2; i++) {
            var head = new S3Request.HeadObject(
                    name(bucket), Optional.empty(), Conditions.NONE, Optional.of(i), true, new TreeMap<>());
            assertThat(run(bucket, head, new byte[0]).header(algorithm.header()))
                    .isEqualTo(fullObject ? "" : value(algorithm, i == 1 ? FIRST : SECOND));
        }
    }

    private static String part(int number, byte[] content, ChecksumAlgorithm algorithm) {
        return "<Part><PartNumber>%d</PartNumber><Size>%d</Size>%s</Part>"
                .formatted(number, content.length, element(algorithm, value(algorithm, content)));
    }

    private String attributes(Bucket bucket, int marker, int most) {
        var request =
                new S3Request.GetObjectAttributes(name(bucket), EnumSet.allOf(ObjectAttribute.class), marker, most);
        var answer = run(bucket, request, new byte[0]);
        assertThat(answer.header("Content-Type")).isEqualTo("application/xml");
        assertThat(answer.header("Last-Modified")).isNotEmpty();
        return answer.text();
    }

    @Test
    void partsOfAnUploadWithoutChecksumKeepTheirNumbers() {
        var bucket = target.own();
        var id = target.upload(bucket, KEY);
        part(bucket, id, 3, FIRST, PLAIN);
        part(bucket, id, 7, SECOND, PLAIN);
        var document = "<CompleteMultipartUpload>%s%s</CompleteMultipartUpload>"
                .formatted(element(3, FIRST, ""), element(7, SECOND, ""));
        var complete = new S3Request.CompleteMultipartUpload(
                name(bucket), id, Map.of(), Optional.empty(), Conditions.NONE, Optional.empty());
        run(bucket, complete, document.getBytes(StandardCharsets.UTF_8));
        var seventh = new S3Request.GetObject(
                name(bucket),
                Optional.empty(),
                Conditions.NONE,
                Optional.of(7),
                true,
                new TreeMap<>(),
                Optional.empty());
        var got = run(bucket, seventh, new byte[0]);
        assertThat(got.body()).isEqualTo(SECOND);
        assertThat(got.header("x-amz-mp-parts-count")).isEqualTo("2");
        assertThat(attributes(bucket, 0, 1000))
                .contains("<ObjectParts><PartsCount>2</PartsCount></ObjectParts>")
                .doesNotContain("<Checksum>");
    }

    @Test
    void partsOfAnUploadWithChecksumAreNumberedFromOneOn() {
        var bucket = target.own();
        var id = begin(bucket, ChecksumAlgorithm.CRC32, true);
        part(bucket, id, 1, FIRST, PLAIN);
        part(bucket, id, 3, SECOND, PLAIN);
        var document = "<CompleteMultipartUpload>%s%s</CompleteMultipartUpload>"
                .formatted(element(1, FIRST, ""), element(3, SECOND, ""));
        var complete = new S3Request.CompleteMultipartUpload(
                name(bucket), id, Map.of(), Optional.empty(), Conditions.NONE, Optional.empty());
        assertThatThrownBy(() -> run(bucket, complete, document.getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(StoreException.InvalidPartOrder.class);
        assertThat(target.stored(bucket, KEY)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC32C", "CRC64NVME", "SHA256"})
    void aChecksumThatAnUploadWasNotBegunWithIsComparedIfItCanBe(ChecksumAlgorithm algorithm) {
        requireComparedOrRefused(algorithm);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"CRC32C", "CRC64NVME", "SHA256"})
    void theOtherChecksumsThatAnUploadWasNotBegunWithAreTreatedLikeThese(ChecksumAlgorithm algorithm) {
        requireComparedOrRefused(algorithm);
    }

    private void requireComparedOrRefused(ChecksumAlgorithm algorithm) {
        for (var bucket : buckets()) {
            var id = target.upload(bucket, KEY, FIRST, SECOND);
            var ofWhole = value(algorithm, join(FIRST, SECOND));
            var whole = Map.of(algorithm, ofWhole);
            boolean compared = algorithm.allows(true);
            if (compared) {
                assertThatThrownBy(
                                () -> complete(bucket, id, Map.of(algorithm, wrong(algorithm)), Optional.empty(), ""))
                        .isInstanceOf(StoreException.BadDigest.class);
                refused(() -> complete(bucket, id, whole, Optional.of(false), ""));
            } else {
                refused(() -> complete(bucket, id, whole, Optional.empty(), ""));
            }
            if (algorithm != ChecksumAlgorithm.CRC32C) { // which every part has
                var element = element(algorithm, value(algorithm, FIRST));
                refused(() -> complete(bucket, id, Map.of(), Optional.empty(), element));
            }
            assertThat(target.stored(bucket, KEY)).isFalse();
            var done = complete(bucket, id, compared ? whole : Map.of(), Optional.empty(), "");
            assertThat(target.get(bucket, KEY).body()).isEqualTo(join(FIRST, SECOND));
            if (compared) {
                assertThat(done.text()).contains(element(algorithm, ofWhole), "FULL_OBJECT");
            }
            if (compared && !bucket.backed()) {
                assertThat(headWithChecksums(bucket).header(algorithm.header())).isEqualTo(ofWhole);
            }
            target.delete(bucket, KEY);
        }
    }

    private String begin(Bucket bucket, ChecksumAlgorithm algorithm, boolean fullObject) {
        var attributes = new WriteAttributes(
                new TreeMap<>(), new TreeMap<>(), Optional.empty(), Map.of(), Optional.of(algorithm));
        var begun = run(bucket, new S3Request.CreateMultipartUpload(name(bucket), attributes, fullObject), new byte[0]);
        assertThat(begun.header("x-amz-checksum-algorithm")).isEqualTo(algorithm.name());
        return begun.text().replaceAll("(?s).*<UploadId>(.*)</UploadId>.*", "$1");
    }

    private Received part(Bucket bucket, String id, int number, byte[] content, WriteAttributes attributes) {
        return run(bucket, new S3Request.UploadPart(name(bucket), id, number, attributes), content);
    }

    /// @param ofFirst the checksum element of the first part
    private Received complete(
            Bucket bucket,
            String id,
            Map<ChecksumAlgorithm, String> checksums,
            Optional<Boolean> fullObject,
            String ofFirst) {
        var document = "<CompleteMultipartUpload>%s%s</CompleteMultipartUpload>"
                .formatted(element(1, FIRST, ofFirst), element(2, SECOND, ""));
        var request = new S3Request.CompleteMultipartUpload(
                name(bucket), id, checksums, fullObject, Conditions.NONE, Optional.empty());
        return run(bucket, request, document.getBytes(StandardCharsets.UTF_8));
    }

    private static String element(int number, byte[] content, String checksum) {
        return "<Part><PartNumber>%d</PartNumber><ETag>%s</ETag>%s</Part>".formatted(number, md5(content), checksum);
    }

    private static String element(ChecksumAlgorithm algorithm, String value) {
        return "<Checksum%s>%s</Checksum%s>".formatted(algorithm, value, algorithm);
    }

    private static String composite(ChecksumAlgorithm algorithm) {
        var decoder = Base64.getDecoder();
        return value(algorithm, join(decoder.decode(value(algorithm, FIRST)), decoder.decode(value(algorithm, SECOND))))
                + "-2";
    }

    private static byte[] join(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }
}
