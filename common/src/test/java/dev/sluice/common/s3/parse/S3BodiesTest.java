package dev.sluice.common.s3.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.s3.DeleteConditions;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.store.StoreException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class S3BodiesTest {
    private static final String XMLNS = " xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";

    @Test
    void keysToDelete() {
        var list = delete("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Delete" + XMLNS + ">\n <Quiet>true</Quiet>\n"
                + " <Object><Key> a&amp;b&lt;/&#13;&#x1F600; </Key></Object>\n<!-- x -->"
                + "<Object><VersionId>null</VersionId><Key><![CDATA[<é>]]></Key></Object></Delete>\n");
        assertThat(list)
                .isEqualTo(new S3Request.DeleteList(
                        List.of(unconditional(" a&b</\r\uD83D\uDE00 "), unconditional("<é>")), true));
        assertThat(delete("<Delete><Object><Key>k</Key></Object></Delete>"))
                .isEqualTo(new S3Request.DeleteList(List.of(unconditional("k")), false));
    }

    private static S3Request.Deletion unconditional(String key) {
        return new S3Request.Deletion(key, DeleteConditions.NONE);
    }

    @Test
    void aThousandOfTheLongestKeysAreTakenAndNotOneMore() {
        var object = "<Object><Key>" + "k".repeat(1024) + "</Key><ETag>&quot;" + "e".repeat(200)
                + "&quot;</ETag><Size>123456789012</Size>"
                + "<LastModifiedTime>Sat, 21 Nov 2026 07:08:09 GMT</LastModifiedTime></Object>";
        assertThat(delete("<Delete>" + object.repeat(1000) + "</Delete>").deletions())
                .hasSize(1000);
        refused("MalformedXML", () -> delete("<Delete>" + "<Object><Key>k</Key></Object>".repeat(1001) + "</Delete>"));
        refused("KeyTooLongError", () -> delete("<Delete>" + object.replace("<Key>", "<Key>k") + "</Delete>"));
    }

    @Test
    void aVersionIsNotIgnored() {
        refused(
                "InvalidArgument",
                () -> delete("<Delete><Object><Key>k</Key><VersionId>3</VersionId></Object></Delete>"));
    }

    @Test
    void eachKeyMayHaveConditions() {
        var list = delete("<Delete><Object><Key>k</Key><ETag>&quot;e&quot;</ETag><Size> 3 </Size>"
                + "<LastModifiedTime>Sat, 21 Nov 2026 07:08:09 GMT</LastModifiedTime></Object>"
                + "<Object><ETag>*</ETag><Key>l</Key></Object>"
                + "<Object><Key>m</Key><LastModifiedTime>2026-11-21T07:08:09Z</LastModifiedTime></Object></Delete>");
        var time = Optional.of(Instant.parse("2026-11-21T07:08:09Z"));
        Optional<Long> anySize = Optional.empty();
        assertThat(list.deletions())
                .containsExactly(
                        new S3Request.Deletion("k", new DeleteConditions(Optional.of("\"e\""), Optional.of(3L), time)),
                        new S3Request.Deletion("l", new DeleteConditions(Optional.of("*"), anySize, Optional.empty())),
                        new S3Request.Deletion("m", new DeleteConditions(Optional.empty(), anySize, time)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Size>-3</Size>",
                "<Size></Size>",
                "<Size>three</Size>",
                "<LastModifiedTime>yesterday</LastModifiedTime>",
                "<LastModifiedTime/>",
            })
    void malformedConditionsDeleteNothing(String element) {
        refused("InvalidArgument", () -> delete("<Delete><Object><Key>k</Key>" + element + "</Object></Delete>"));
        refused(
                "MalformedXML",
                () -> delete("<Delete><Object><Key>k</Key><Size>1</Size><Size>2</Size></Object></Delete>"));
        refused(
                "InvalidArgument",
                () -> delete("<Delete><Object><Key>k</Key><ETag>" + "e".repeat(257) + "</ETag></Object></Delete>"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{}",
                "<Delete/>",
                "<Delete>",
                "<Delete></Object></Delete>",
                "<Remove><Object><Key>k</Key></Object></Remove>",
                "<Delete><Object/></Delete>",
                "<Delete><Object><Key/></Object></Delete>",
                "<Delete><Object><Key>a<b/></Key></Object></Delete>",
                "<Delete><Object>k</Object></Delete>",
                "<Delete><Object><Key>k</Key></Object></Delete><Delete/>",
                "<Delete><Object><Key>k</Key></Object></Delete>x",
                "<Delete><Object><Key>k</Key><Colour/></Object></Delete>",
                "<Delete><Object><Key>&#0;</Key></Object></Delete>",
                "<Delete><Object><Key>\u0001</Key></Object></Delete>",
                "<Delete><Object><Key>&unknown;</Key></Object></Delete>",
                "<!DOCTYPE Delete><Delete><Object><Key>k</Key></Object></Delete>",
                "<!DOCTYPE d [<!ENTITY e \"x\">]><Delete><Object><Key>&e;</Key></Object></Delete>",
            })
    void whatIsNotTheDocumentIsMalformed(String body) {
        refused("MalformedXML", () -> delete(body));
    }

    @Test
    void badUtf8IsMalformed() {
        var body = "<Delete><Object><Key>k\u00FFk</Key></Object></Delete>".getBytes(StandardCharsets.ISO_8859_1);
        refused("MalformedXML", () -> S3Bodies.deleteObjects(body));
        var declared =
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><Delete><Object><Key>\u00FF</Key></Object></Delete>";
        refused("MalformedXML", () -> S3Bodies.deleteObjects(declared.getBytes(StandardCharsets.ISO_8859_1)));
        refused(
                "MalformedXML",
                () -> S3Bodies.deleteObjects(
                        "<Delete><Object><Key>k</Key></Object></Delete>".getBytes(StandardCharsets.UTF_16)));
    }

    @Test
    void billionsOfLaughsAreNotHeard() {
        var entities = IntStream.range(1, 30)
                .mapToObj(i -> "<!ENTITY l" + i + " \"" + ("&l" + (i - 1) + ";").repeat(10) + "\">")
                .collect(Collectors.joining("\n"));
        var body = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY l0 \"ha\">" + entities
                + "]><Delete><Object><Key>&l29;</Key></Object></Delete>";
        quickly(() -> refused("MalformedXML", () -> delete(body)));
    }

    @Test
    void filesAreNotRead(@TempDir Path folder) throws IOException {
        var secret = Files.writeString(folder.resolve("secret"), "secret").toUri();
        refused(
                "MalformedXML",
                () -> delete("<!DOCTYPE d [<!ENTITY e SYSTEM \"" + secret
                        + "\">]><Delete><Object><Key>&e;</Key></Object></Delete>"));
        refused(
                "MalformedXML",
                () -> delete("<!DOCTYPE d SYSTEM \"" + secret + "\"><Delete><Object><Key>k</Key></Object></Delete>"));
    }

    @Test
    void deepAndLargeBodiesAreRefusedQuickly() {
        quickly(() -> refused("MalformedXML", () -> delete("<Delete>" + "<Object>".repeat(100_000))));
        quickly(() -> refused("MalformedXML", () -> delete("<Delete>" + "<a>".repeat(300_000))));
        var large = new byte[2 << 20];
        quickly(() -> refused("MalformedXML", () -> S3Bodies.deleteObjects(large)));
        quickly(() ->
                refused("MalformedXML", () -> S3Bodies.read(new ByteArrayInputStream(large), S3Bodies.LARGEST_DELETE)));
        var attributes =
                IntStream.range(0, 60_000).mapToObj(i -> " a" + i + "=\"\"").collect(Collectors.joining());
        quickly(() -> refused("MalformedXML", () -> delete("<Delete" + attributes + ">")));
    }

    @Test
    void bodiesAreReadToTheirEnd() throws IOException {
        var body = "<Delete/>".getBytes(StandardCharsets.UTF_8);
        assertThat(S3Bodies.read(new ByteArrayInputStream(body), body.length)).isEqualTo(body);
        assertThat(S3Bodies.read(ByteSource.of(ByteBuffer.wrap(body)), body.length))
                .isEqualTo(body);
        refused("MalformedXML", () -> S3Bodies.read(ByteSource.of(ByteBuffer.wrap(body)), body.length - 1));
    }

    @Test
    void partsToComplete() {
        var parts = complete("<CompleteMultipartUpload" + XMLNS + "><Part><PartNumber>1</PartNumber>"
                + "<ETag>&quot;e1&quot;</ETag><ChecksumCRC32>AAAAAA==</ChecksumCRC32></Part>"
                + "<Part><ETag>e7</ETag><PartNumber> 7 </PartNumber></Part></CompleteMultipartUpload>");
        assertThat(parts)
                .containsExactly(
                        new S3Request.CompletedPart(1, "e1", Map.of(ChecksumAlgorithm.CRC32, "AAAAAA==")),
                        new S3Request.CompletedPart(7, "e7", Map.of()));
    }

    @Test
    void tenThousandPartsAreTakenAndNotOneMore() {
        var checksum = "<ChecksumSHA512>" + "A".repeat(86) + "==</ChecksumSHA512>";
        var all = IntStream.rangeClosed(1, 10_000)
                .mapToObj(i -> part(i, "&quot;d41d8cd98f00b204e9800998ecf8427e&quot;", checksum))
                .collect(Collectors.joining());
        assertThat(complete(parts(all))).hasSize(10_000);
        refused("MalformedXML", () -> complete(parts(all + part(10_000, "e", ""))));
    }

    @Test
    void brokenPartLists() {
        assertThatThrownBy(() -> complete(parts(part(2, "e", "") + part(1, "e", ""))))
                .isInstanceOf(StoreException.InvalidPartOrder.class);
        assertThatThrownBy(() -> complete(parts(part(2, "e", "") + part(2, "e", ""))))
                .isInstanceOf(StoreException.InvalidPartOrder.class);
        refused("MalformedXML", () -> complete(parts("")));
        refused("MalformedXML", () -> complete(parts("<Part><ETag>e</ETag></Part>")));
        refused("MalformedXML", () -> complete(parts("<Part><PartNumber>1</PartNumber></Part>")));
        refused("MalformedXML", () -> complete(parts("<Piece/>")));
        refused("InvalidArgument", () -> complete(parts(part(0, "e", ""))));
        refused("InvalidArgument", () -> complete(parts(part(10_001, "e", ""))));
        refused("InvalidRequest", () -> complete(parts(part(1, "e", "<ChecksumCRC32>x</ChecksumCRC32>"))));
        var two = "<ChecksumCRC32>AAAAAA==</ChecksumCRC32><ChecksumCRC32C>AAAAAA==</ChecksumCRC32C>";
        refused("InvalidRequest", () -> complete(parts(part(1, "e", two))));
        refused("MalformedXML", () -> complete(parts(part(1, "e", "<ChecksumMD4>x</ChecksumMD4>"))));
    }

    @Test
    void locationsOfBuckets() {
        create("", "us-east-1");
        create("<CreateBucketConfiguration/>", "us-east-1");
        create(location(""), "us-east-1");
        create(location("us-east-1"), "us-east-1");
        create(location("mars-1"), "*");
        refused("InvalidLocationConstraint", () -> create(location("mars-1"), "us-east-1"));
        create("<CreateBucketConfiguration><Tags/></CreateBucketConfiguration>", "us-east-1");
        refused(
                "NotImplemented",
                () -> create("<CreateBucketConfiguration><Bucket/></CreateBucketConfiguration>", "us-east-1"));
        refused("MalformedXML", () -> create("<x/>", "us-east-1"));
    }

    private static String parts(String parts) {
        return "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>";
    }

    private static String part(int number, String etag, String checksum) {
        return "<Part><PartNumber>" + number + "</PartNumber><ETag>" + etag + "</ETag>" + checksum + "</Part>";
    }

    private static String location(String location) {
        return "<CreateBucketConfiguration" + XMLNS + "><LocationConstraint>" + location
                + "</LocationConstraint></CreateBucketConfiguration>";
    }

    private static S3Request.DeleteList delete(String body) {
        return S3Bodies.deleteObjects(body.getBytes(StandardCharsets.UTF_8));
    }

    private static List<S3Request.CompletedPart> complete(String body) {
        return S3Bodies.completeMultipartUpload(body.getBytes(StandardCharsets.UTF_8));
    }

    private static void create(String body, String region) {
        S3Bodies.createBucket(body.getBytes(StandardCharsets.UTF_8), region);
    }

    private static void refused(String code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        S3Failure.class,
                        failure -> assertThat(failure.error().code()).isEqualTo(code));
    }

    private static void quickly(Runnable call) {
        Assertions.assertTimeout(Duration.ofSeconds(1), call::run);
    }
}
