package dev.sluice.common.s3.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.name.ObjectName;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.Tags;
import dev.sluice.common.s3.listing.ContinuationToken;
import dev.sluice.common.s3.listing.ListedObject;
import dev.sluice.common.s3.listing.ListedPart;
import dev.sluice.common.s3.listing.ListedUpload;
import dev.sluice.common.s3.listing.ListingPage;
import dev.sluice.common.s3.listing.PartsPage;
import dev.sluice.common.s3.listing.UploadsPage;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class XmlDocumentsTest {
    private static final Owner OWNER = new Owner("sluice", "Sluice & Sons");
    private static final Instant TIME = Instant.parse("2026-11-21T07:08:09.012345678Z");
    private static final ListedObject OBJECT = new ListedObject("a/<b>&\"'\r\n\t é\uD83D\uDE00", 42, "0f-2", TIME);

    @Test
    void aListingOfVersionTwo() {
        var request = list(true, false, "a/", Optional.of("s&"), Optional.of("t"));
        var page = new ListingPage(List.of(OBJECT), List.of("a/c/"), true, Optional.of("a/c/"));
        assertThat(Xml.parse(ListObjectsXml.of(request, page, OWNER)))
                .containsExactly(
                        "ListBucketResult",
                        "Name=data",
                        "Prefix=a/",
                        "KeyCount=2",
                        "ContinuationToken=t",
                        "StartAfter=s&",
                        "NextContinuationToken=" + ContinuationToken.encode("a/c/"),
                        "MaxKeys=2",
                        "Delimiter=/",
                        "IsTruncated=true",
                        "Contents",
                        "Contents/Key=" + OBJECT.key(),
                        "Contents/LastModified=2026-11-21T07:08:09.000Z",
                        "Contents/ETag=\"0f-2\"",
                        "Contents/Size=42",
                        "Contents/StorageClass=STANDARD",
                        "CommonPrefixes",
                        "CommonPrefixes/Prefix=a/c/");
    }

    @Test
    void aListingOfVersionOneWithUrlEncoding() {
        var request = list(false, true, "a b/", Optional.empty(), Optional.empty());
        var page = new ListingPage(
                List.of(new ListedObject("a b/+\0", 0, "e", TIME)), List.of(), true, Optional.of("a b/+\0"));
        assertThat(Xml.parse(ListObjectsXml.of(request, page, OWNER)))
                .containsExactly(
                        "ListBucketResult",
                        "Name=data",
                        "Prefix=a%20b/",
                        "Marker=m%25",
                        "NextMarker=a%20b/%2B%00",
                        "MaxKeys=2",
                        "Delimiter=/",
                        "EncodingType=url",
                        "IsTruncated=true",
                        "Contents",
                        "Contents/Key=a%20b/%2B%00",
                        "Contents/LastModified=2026-11-21T07:08:09.000Z",
                        "Contents/ETag=\"e\"",
                        "Contents/Size=0",
                        "Contents/Owner",
                        "Contents/Owner/ID=sluice",
                        "Contents/Owner/DisplayName=Sluice & Sons",
                        "Contents/StorageClass=STANDARD");
    }

    @Test
    void withoutADelimiterThereIsNoNextMarker() {
        var request = new S3Request.ListObjects(
                "data", false, "", "", "", Optional.empty(), Optional.empty(), 1, false, false);
        var page = new ListingPage(List.of(OBJECT), List.of(), true, Optional.of(OBJECT.key()));
        assertThat(Xml.parse(ListObjectsXml.of(request, page, OWNER)))
                .contains("IsTruncated=true")
                .noneMatch(line -> line.startsWith("NextMarker"));
    }

    @Test
    void anyKeyIsReadableAndComesBackFromItsUrlEncoding() {
        var random = new Random(20261121);
        for (int i = 0; i < 2000; i++) {
            var key = new StringBuilder("k");
            for (int j = random.nextInt(8); j > 0; j--) {
                int point = random.nextInt(random.nextBoolean() ? 0x80 : 0x110000);
                key.appendCodePoint(point >= 0xD800 && point < 0xE000 ? 0xFFFE : point);
            }
            var page = new ListingPage(
                    List.of(new ListedObject(key.toString(), 1, "e", TIME)), List.of(), false, Optional.empty());
            var encoded =
                    Xml.parse(ListObjectsXml.of(list(true, true, "", Optional.empty(), Optional.empty()), page, OWNER));
            assertThat(encoded.stream().filter(line -> line.startsWith("Contents/Key=")))
                    .map(line -> URLDecoder.decode(line.substring(13), StandardCharsets.UTF_8))
                    .containsExactly(key.toString());
            var plain = Xml.parse(
                    ListObjectsXml.of(list(true, false, "", Optional.empty(), Optional.empty()), page, OWNER));
            assertThat(plain).contains("Contents/Key=" + carried(key.toString()));
        }
    }

    /// What XML can say of a key: characters it cannot carry are replaced.
    private static String carried(String key) {
        var carried = new StringBuilder();
        key.codePoints().forEach(point -> {
            boolean control = point < ' ' && point != '\t' && point != '\n' && point != '\r';
            carried.appendCodePoint(control || point == 0xFFFE || point == 0xFFFF ? 0xFFFD : point);
        });
        return carried.toString();
    }

    @Test
    void documentsAboutBuckets() {
        var entry = new BucketXml.Entry("data", TIME);
        assertThat(Xml.parse(BucketXml.listBuckets(OWNER, "", List.of(entry), "eu-west-1", false)))
                .containsExactly(
                        "ListAllMyBucketsResult",
                        "Owner",
                        "Owner/ID=sluice",
                        "Owner/DisplayName=Sluice & Sons",
                        "Buckets",
                        "Buckets/Bucket",
                        "Buckets/Bucket/Name=data",
                        "Buckets/Bucket/CreationDate=2026-11-21T07:08:09.000Z",
                        "Buckets/Bucket/BucketRegion=eu-west-1");
        assertThat(Xml.parse(BucketXml.listBuckets(OWNER, "d", List.of(entry), "eu-west-1", true)))
                .contains("Prefix=d", "ContinuationToken=" + ContinuationToken.encode("data"));
        assertThat(Xml.parse(BucketXml.location("us-east-1"))).containsExactly("LocationConstraint");
        assertThat(Xml.parse(BucketXml.location("eu-west-1"))).containsExactly("LocationConstraint=eu-west-1");
        assertThat(Xml.parse(BucketXml.versioning())).containsExactly("VersioningConfiguration");
    }

    @Test
    void documentsAboutWhatIsNotConfigured() {
        assertThat(Xml.parse(SettingXml.document("RequestPaymentConfiguration", "<Payer>BucketOwner</Payer>")))
                .containsExactly("RequestPaymentConfiguration", "Payer=BucketOwner");
        assertThat(Xml.parse(SettingXml.emptyList("ListInventoryConfigurationsResult")))
                .containsExactly("ListInventoryConfigurationsResult", "IsTruncated=false");
        assertThat(Xml.parse(SettingXml.policyStatus(true))).containsExactly("PolicyStatus", "IsPublic=true");
        assertThat(Xml.parse(SettingXml.tagging(Tags.NONE))).containsExactly("Tagging", "TagSet");
        assertThat(Xml.parse(SettingXml.acl(OWNER)))
                .containsExactly(
                        "AccessControlPolicy",
                        "Owner",
                        "Owner/ID=sluice",
                        "Owner/DisplayName=Sluice & Sons",
                        "AccessControlList",
                        "AccessControlList/Grant",
                        "AccessControlList/Grant/Grantee",
                        "AccessControlList/Grant/Grantee/ID=sluice",
                        "AccessControlList/Grant/Grantee/DisplayName=Sluice & Sons",
                        "AccessControlList/Grant/Permission=FULL_CONTROL");
    }

    @Test
    void documentsAboutVersions() {
        var page = new ListingPage(
                List.of(new ListedObject("a/b", 3, "e", TIME)), List.of("a/c/"), true, Optional.of("a/c/"));
        var request = new S3Request.ListObjectVersions("data", "a/", "/", "a/a", 2, false);
        assertThat(Xml.parse(ListObjectsXml.versions(request, page, OWNER)))
                .containsExactly(
                        "ListVersionsResult",
                        "Name=data",
                        "Prefix=a/",
                        "KeyMarker=a/a",
                        "VersionIdMarker",
                        "NextKeyMarker=a/c/",
                        "NextVersionIdMarker=null",
                        "MaxKeys=2",
                        "Delimiter=/",
                        "IsTruncated=true",
                        "Version",
                        "Version/Key=a/b",
                        "Version/VersionId=null",
                        "Version/IsLatest=true",
                        "Version/LastModified=2026-11-21T07:08:09.000Z",
                        "Version/ETag=\"e\"",
                        "Version/Size=3",
                        "Version/Owner",
                        "Version/Owner/ID=sluice",
                        "Version/Owner/DisplayName=Sluice & Sons",
                        "Version/StorageClass=STANDARD",
                        "CommonPrefixes",
                        "CommonPrefixes/Prefix=a/c/");
    }

    @Test
    void documentsAboutCopies() {
        assertThat(Xml.parse(CopyXml.object("e", TIME, Map.of(ChecksumAlgorithm.SHA1, "s"))))
                .containsExactly(
                        "CopyObjectResult", "ETag=\"e\"", "LastModified=2026-11-21T07:08:09.000Z", "ChecksumSHA1=s");
        assertThat(Xml.parse(CopyXml.part("e", TIME, Map.of())))
                .containsExactly("CopyPartResult", "ETag=\"e\"", "LastModified=2026-11-21T07:08:09.000Z");
    }

    @Test
    void documentsAboutUploads() {
        var name = new ObjectName("data", "k&");
        assertThat(Xml.parse(MultipartXml.initiated(name, "u")))
                .containsExactly("InitiateMultipartUploadResult", "Bucket=data", "Key=k&", "UploadId=u");
        var completed = new MultipartXml.Completed(
                name, "http://h/data/k&", "e-2", Map.of(ChecksumAlgorithm.CRC32, "c-2"), false);
        assertThat(Xml.parse(MultipartXml.completed(completed)))
                .containsExactly(
                        "CompleteMultipartUploadResult",
                        "Location=http://h/data/k&",
                        "Bucket=data",
                        "Key=k&",
                        "ETag=\"e-2\"",
                        "ChecksumCRC32=c-2",
                        "ChecksumType=COMPOSITE");
        var part = new ListedPart(3, 5, "e", TIME, Map.of(ChecksumAlgorithm.CRC32C, "c"));
        assertThat(Xml.parse(MultipartXml.parts(
                        new S3Request.ListParts(name, "u", 2, 1), new PartsPage(List.of(part), true, 3), OWNER)))
                .contains("PartNumberMarker=2", "NextPartNumberMarker=3", "MaxParts=1", "IsTruncated=true")
                .containsSequence(
                        "Part",
                        "Part/PartNumber=3",
                        "Part/LastModified=2026-11-21T07:08:09.000Z",
                        "Part/ETag=\"e\"",
                        "Part/Size=5",
                        "Part/ChecksumCRC32C=c");
        var uploads = new UploadsPage(List.of(new ListedUpload("k", "u", TIME)), List.of("p/"), true, "p/", "");
        assertThat(Xml.parse(MultipartXml.uploads(
                        new S3Request.ListMultipartUploads("data", "", "/", "", "", 2, false), uploads, OWNER)))
                .contains("NextKeyMarker=p/", "NextUploadIdMarker=", "MaxUploads=2", "IsTruncated=true")
                .contains("Upload/Key=k", "Upload/UploadId=u", "Upload/Initiated=2026-11-21T07:08:09.000Z")
                .endsWith("CommonPrefixes", "CommonPrefixes/Prefix=p/");
    }

    /// A late answer: the declaration, white space while the client waits, then the document or the error.
    @Test
    void aSlowCompletionIsStillOneDocument() {
        var completed = new MultipartXml.Completed(new ObjectName("b", "k"), "l", "e", Map.of(), true);
        assertThat(Xml.parse(
                        S3Responses.xmlDeclaration(), Xml.bytes("  \n "), MultipartXml.completedElement(completed)))
                .contains("ETag=\"e\"");
        assertThat(Xml.parse(
                        S3Responses.xmlDeclaration(),
                        Xml.bytes("   "),
                        ErrorXml.element(S3Code.INTERNAL_ERROR.error("m"), "/b/k", "r")))
                .containsExactly("Error", "Code=InternalError", "Message=m", "Resource=/b/k", "RequestId=r");
    }

    @Test
    void whatBecameOfDeletedKeys() {
        var failed = List.of(new DeleteObjectsXml.Failed("b\1", S3Code.SERVICE_UNAVAILABLE.error("later")));
        assertThat(Xml.parse(DeleteObjectsXml.of(List.of("a"), failed, false)))
                .containsExactly(
                        "DeleteResult",
                        "Deleted",
                        "Deleted/Key=a",
                        "Error",
                        "Error/Key=b\uFFFD",
                        "Error/Code=ServiceUnavailable",
                        "Error/Message=later");
        assertThat(Xml.parse(DeleteObjectsXml.of(List.of("a"), List.of(), true)))
                .containsExactly("DeleteResult");
    }

    @Test
    void timesAreInWholeSecondsAlsoBeforeTheEpochAndAtTheEndsOfDays() {
        for (var time : List.of("1969-12-31T23:59:59", "2000-02-29T00:00:00", "2026-12-31T23:59:59")) {
            assertThat(Xml.parse(CopyXml.part("e", Instant.parse(time + ".999Z"), Map.of())))
                    .contains("LastModified=" + time + ".000Z");
        }
    }

    private static S3Request.ListObjects list(
            boolean v2, boolean encode, String prefix, Optional<String> startAfter, Optional<String> token) {
        return new S3Request.ListObjects("data", v2, prefix, "/", "m%", startAfter, token, 2, encode, !v2);
    }
}
