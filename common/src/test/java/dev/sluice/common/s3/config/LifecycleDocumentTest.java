package dev.sluice.common.s3.config;

import static dev.sluice.common.s3.config.Documents.abort;
import static dev.sluice.common.s3.config.Documents.expiration;
import static dev.sluice.common.s3.config.Documents.lifecycle;
import static dev.sluice.common.s3.config.Documents.refused;
import static dev.sluice.common.s3.config.Documents.rule;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LifecycleDocumentTest {
    private static final String TAG = "<Tag><Key>k</Key><Value>v</Value></Tag>";

    @Test
    void documentIsReadWhole() {
        var rules = LifecycleRules.parse(Documents.bytes("""
                <?xml version="1.0" encoding="UTF-8"?>
                <LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                  <Rule>
                    <ID>both</ID>
                    <Filter><Prefix>logs/</Prefix></Filter>
                    <Status>Enabled</Status>
                    <Expiration><Days> 365 </Days></Expiration>
                    <AbortIncompleteMultipartUpload>
                      <DaysAfterInitiation>7</DaysAfterInitiation>
                    </AbortIncompleteMultipartUpload>
                  </Rule>
                  <Rule>
                    <Expiration><Date>2026-12-01T00:00:00.000Z</Date></Expiration>
                    <Status>Disabled</Status>
                    <Filter><And>
                      <Prefix> a&amp;b</Prefix>
                      <Tag><Key>stage</Key><Value>raw</Value></Tag>
                      <Tag><Value></Value><Key>owner</Key></Tag>
                      <ObjectSizeGreaterThan>0</ObjectSizeGreaterThan>
                      <ObjectSizeLessThan>1099511627776</ObjectSizeLessThan>
                    </And></Filter>
                    <ID>date</ID>
                  </Rule>
                  <Rule><ID>old</ID><Prefix>tmp/</Prefix><Status>Enabled</Status>
                    <Expiration><Days>1</Days></Expiration></Rule>
                </LifecycleConfiguration>
                """));
        assertThat(rules.rules())
                .containsExactly(
                        new LifecycleRule(
                                "both",
                                true,
                                LifecycleFilter.ofPrefix("logs/"),
                                Optional.of(new Expiry.Days(365)),
                                Optional.of(7)),
                        new LifecycleRule(
                                "date",
                                false,
                                new LifecycleFilter(
                                        " a&b",
                                        new TreeMap<>(Map.of("stage", "raw", "owner", "")),
                                        Optional.of(0L),
                                        Optional.of(1L << 40)),
                                Optional.of(new Expiry.Date(Instant.parse("2026-12-01T00:00:00Z"))),
                                Optional.empty()),
                        new LifecycleRule(
                                "old",
                                true,
                                LifecycleFilter.ofPrefix("tmp/"),
                                Optional.of(new Expiry.Days(1)),
                                Optional.empty(),
                                true));
    }

    @Test
    void documentIsWrittenInOneForm() {
        var tagged = rule("<ID>1</ID><Expiration><Date>2026-12-01</Date></Expiration>"
                + "<Filter><And><Tag><Value>v</Value><Key>k</Key></Tag><Prefix>p</Prefix></And></Filter>");
        assertThat(lifecycle(tagged + rule(abort(3) + expiration(4) + "<ID>2</ID><Status>Disabled</Status>"))
                        .xml())
                .isEqualTo("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        + "<LifecycleConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Rule>"
                        + "<ID>1</ID><Filter><And><Prefix>p</Prefix><Tag><Key>k</Key><Value>v</Value></Tag></And>"
                        + "</Filter><Status>Enabled</Status>"
                        + "<Expiration><Date>2026-12-01T00:00:00.000Z</Date></Expiration></Rule>"
                        + "<Rule><ID>2</ID><Filter><Prefix></Prefix></Filter><Status>Disabled</Status>"
                        + "<Expiration><Days>4</Days></Expiration>"
                        + "<AbortIncompleteMultipartUpload><DaysAfterInitiation>3</DaysAfterInitiation>"
                        + "</AbortIncompleteMultipartUpload></Rule></LifecycleConfiguration>");
    }

    @Test
    void ruleOfTheOldFormComesBackInIt() {
        assertThat(lifecycle("<Rule><ID>1</ID><Prefix>p</Prefix><Status>Enabled</Status>" + expiration(1) + "</Rule>")
                        .xml())
                .contains("<Rule><ID>1</ID><Prefix>p</Prefix><Status>Enabled</Status>")
                .doesNotContain("Filter");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Filter/>",
                "<Filter><Prefix/></Filter>",
                "<Filter><Prefix> \t\r\n&#13;&amp;&lt;é&#x1F600;</Prefix></Filter>",
                "<Filter>" + TAG + "</Filter>",
                "<Filter><ObjectSizeGreaterThan>0</ObjectSizeGreaterThan></Filter>",
                "<Filter><ObjectSizeLessThan>1</ObjectSizeLessThan></Filter>",
                "<Filter><And><Prefix/>" + TAG + "</And></Filter>",
                "<Filter><And>" + TAG + "<Tag><Key>K</Key><Value/></Tag></And></Filter>",
                "<Filter><And><ObjectSizeLessThan>9</ObjectSizeLessThan><Prefix>p</Prefix></And></Filter>",
                "<Filter/><ID>&#10;id&lt;</ID>",
                "<Filter/><ID/>",
                "<Filter/><Status>Disabled</Status>",
            })
    void writtenDocumentGivesTheSameRules(String elements) {
        var second = "<Rule><Prefix>a/</Prefix><Status>Disabled</Status>" + abort(Integer.MAX_VALUE)
                + "<Expiration><Date>2026-12-01T00:00:00Z</Date></Expiration></Rule>";
        var rules = lifecycle(rule(elements + expiration(Integer.MAX_VALUE)) + second);
        assertThat(rules.rules()).hasSize(2);
        assertThat(LifecycleRules.parse(Documents.bytes(rules.xml()))).isEqualTo(rules);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-12-01",
                "2026-12-01T00:00:00Z",
                "2026-12-01T00:00:00.000Z",
                " 2026-12-01T00:00Z\n",
                "2026-12-01T02:00:00+02:00",
                "2026-11-30T20:00:00-04:00",
            })
    void dateIsMidnightInAnyOffset(String date) {
        var rules = lifecycle(rule("<Expiration><Date>" + date + "</Date></Expiration>"));
        assertThat(rules.rules().getFirst().expiry()).hasValue(new Expiry.Date(Instant.parse("2026-12-01T00:00:00Z")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2026-12-01T00:00:01Z",
                "2026-12-01T00:00:00.001Z",
                "2026-12-01T12:00:00Z",
                "2026-12-01T00:00:00+01:00",
                "1970-08-22T19:08:21Z",
            })
    void dateAtAnotherTimeIsRefused(String date) {
        refused(
                "InvalidArgument",
                "'Date' must be at midnight GMT",
                () -> lifecycle(rule("<Expiration><Date>" + date + "</Date></Expiration>")));
    }

    @ParameterizedTest
    @CsvSource({"0", "-1", "-2147483649"})
    void daysArePositive(String days) {
        refused(
                "InvalidArgument",
                "'Days' for Expiration action must be a positive integer",
                () -> lifecycle(rule("<Expiration><Days>" + days + "</Days></Expiration>")));
        refused(
                "InvalidArgument",
                "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action must be a positive integer",
                () -> lifecycle(rule(abort(0).replace(">0<", ">" + days + "<"))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Expiration/>",
                "<Expiration>3</Expiration>",
                "<Expiration><Days/></Expiration>",
                "<Expiration><Days>1.5</Days></Expiration>",
                "<Expiration><Days>one</Days></Expiration>",
                "<Expiration><Days>2147483648</Days></Expiration>",
                "<Expiration><Days>99999999999999999999</Days></Expiration>",
                "<Expiration><Days>1</Days><Days>1</Days></Expiration>",
                "<Expiration><Days>1</Days><Date>2026-12-01</Date></Expiration>",
                "<Expiration><Weeks>1</Weeks></Expiration>",
                "<Expiration><Date/></Expiration>",
                "<Expiration><Date>Tue, 01 Dec 2026 00:00:00 GMT</Date></Expiration>",
                "<Expiration><Date>20261201</Date></Expiration>",
                "<Expiration><Date>2026-02-30</Date></Expiration>",
                "<Expiration><Date>2026-12-01T00:00:00</Date></Expiration>",
                "<Expiration><Date>+12026-12-01T00:00:00Z</Date></Expiration>",
                "<Expiration><Date>9999-12-31T20:00:00-04:00</Date></Expiration>",
                "<Expiration><Days>1</Days></Expiration><Expiration><Days>1</Days></Expiration>",
                "<AbortIncompleteMultipartUpload/>",
                "<AbortIncompleteMultipartUpload><Days>1</Days></AbortIncompleteMultipartUpload>",
                "<AbortIncompleteMultipartUpload><DaysAfterInitiation>1</DaysAfterInitiation>"
                        + "<DaysAfterInitiation>1</DaysAfterInitiation></AbortIncompleteMultipartUpload>",
            })
    void actionsThatTheSchemaDoesNotKnowAreMalformed(String action) {
        refused("MalformedXML", "The XML", () -> lifecycle(rule(action)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Prefix>a</Prefix><Filter/>",
                "<Filter/><Filter/>",
                "<Filter/><Colour/>",
                "<Filter/>text",
                "<Filter/><ID>a</ID><ID>b</ID>",
                "<Filter/><Status>enabled</Status>",
                "<Filter/><Status/>",
                "<Filter/><Status>Enabled</Status><Status>Enabled</Status>",
                "<Filter><Colour/></Filter>",
                "<Filter><Prefix>a</Prefix><Prefix>b</Prefix></Filter>",
                "<Filter><Prefix/>" + TAG + "</Filter>",
                "<Filter><Prefix>a</Prefix><ObjectSizeLessThan>1</ObjectSizeLessThan></Filter>",
                "<Filter>" + TAG + "<Tag><Key>K</Key><Value/></Tag></Filter>",
                "<Filter><Prefix>a</Prefix><And><Prefix>a</Prefix>" + TAG + "</And></Filter>",
                "<Filter><And/></Filter>",
                "<Filter><And><Prefix>a</Prefix></And></Filter>",
                "<Filter><And>" + TAG + "</And></Filter>",
                "<Filter><And><And><Prefix>a</Prefix>" + TAG + "</And></And></Filter>",
                "<Filter><And><Prefix>a</Prefix>" + TAG + "</And><And><Prefix>a</Prefix>" + TAG + "</And></Filter>",
                "<Filter><Tag/></Filter>",
                "<Filter><Tag><Key>a</Key></Tag></Filter>",
                "<Filter><Tag><Value>a</Value></Tag></Filter>",
                "<Filter><Tag><Key>a</Key><Key>a</Key><Value>a</Value></Tag></Filter>",
                "<Filter><Tag><Key>a</Key><Value>a</Value><Colour/></Tag></Filter>",
                "<Filter><ObjectSizeGreaterThan/></Filter>",
                "<Filter><ObjectSizeGreaterThan>1k</ObjectSizeGreaterThan></Filter>",
            })
    void rulesThatTheSchemaDoesNotKnowAreMalformed(String elements) {
        refused("MalformedXML", "The XML", () -> lifecycle(rule(elements + expiration(1))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<Rule/>",
                "<Rule><Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>",
                "<Rule><Filter/><Expiration><Days>1</Days></Expiration></Rule>",
                "<CORSRule/>",
                "<Rule>",
            })
    void configurationNeedsRulesWithStatusAndFilter(String rules) {
        refused("MalformedXML", "The XML", () -> lifecycle(rules));
    }

    @Test
    void rootIsTheConfigurationAndNothingFollows() {
        var document = lifecycle(rule(expiration(1))).xml();
        for (var other : List.of(
                "", document.replace("LifecycleConfiguration", "Lifecycle"), document + "x", document + document)) {
            refused("MalformedXML", "The XML", () -> LifecycleRules.parse(Documents.bytes(other)));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<Filter><Tag><Key/><Value>v</Value></Tag></Filter> | The Key of a Tag",
                "<Filter><ObjectSizeGreaterThan>-1</ObjectSizeGreaterThan></Filter> | ObjectSizeGreaterThan must be",
                "<Filter><ObjectSizeLessThan>0</ObjectSizeLessThan></Filter> | ObjectSizeLessThan must be",
                "<Filter><And><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan><ObjectSizeLessThan>5"
                        + "</ObjectSizeLessThan></And></Filter> | ObjectSizeLessThan has to be a value greater than"
                        + " ObjectSizeGreaterThan.",
                "<Filter><And><Tag><Key>k</Key><Value>a</Value></Tag><Tag><Key>k</Key><Value>b</Value></Tag></And>"
                        + "</Filter> | Duplicate Tag Keys are not allowed.",
            })
    void filtersThatS3DoesNotSupportAreInvalid(String filter, String message) {
        refused(
                "InvalidRequest",
                message.replaceAll("(ObjectSize\\w+)", "'$1'"),
                () -> lifecycle(rule(filter + expiration(1))));
    }

    @Test
    void tagsHaveKeysOf128AndValuesOf256Characters() {
        var longest = tagFilter("\uD83D\uDE00".repeat(128), "é".repeat(256));
        assertThat(lifecycle(rule(longest + expiration(1))).needsTags()).isTrue();
        refused(
                "InvalidRequest",
                "The Key of a Tag",
                () -> lifecycle(rule(tagFilter("k".repeat(129), "v") + expiration(1))));
        refused(
                "InvalidRequest",
                "The Value of a Tag",
                () -> lifecycle(rule(tagFilter("k", "v".repeat(257)) + expiration(1))));
    }

    @Test
    void ruleNeedsAnAction() {
        refused("InvalidRequest", "At least one action needs to be specified in a rule", () -> lifecycle(rule("")));
    }

    @Test
    void uploadsHaveNeitherTagsNorSizes() {
        refused(
                "InvalidRequest",
                "AbortIncompleteMultipartUpload cannot be specified with Tags.",
                () -> lifecycle(rule("<Filter>" + TAG + "</Filter>" + expiration(1) + abort(1))));
        for (var size : List.of("ObjectSizeGreaterThan", "ObjectSizeLessThan")) {
            refused(
                    "InvalidRequest",
                    "AbortIncompleteMultipartUpload cannot be specified with Object Size.",
                    () -> lifecycle(rule("<Filter><And><Prefix>p</Prefix><" + size + ">5</" + size + "></And></Filter>"
                            + abort(1))));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<Transition><Days>1</Days></Transition> | lifecycle transitions: there is one storage class",
                "<NoncurrentVersionTransition/> | lifecycle transitions: there is one storage class",
                "<NoncurrentVersionExpiration/> | NoncurrentVersionExpiration (no bucket has versions)",
                "<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"
                        + " | ExpiredObjectDeleteMarker (no bucket has versions)",
            })
    void actionsOnVersionsAndClassesAreNotServed(String action, String what) {
        refused("NotImplemented", "Not served here: " + what, () -> lifecycle(rule(action)));
    }

    @Test
    void aHundredRulesAreTakenAndNotOneMore() {
        assertThat(lifecycle(rule(expiration(1)).repeat(100)).rules())
                .extracting(LifecycleRule::id)
                .doesNotHaveDuplicates()
                .hasSize(100);
        refused("MalformedXML", "The XML", () -> lifecycle(rule(expiration(1)).repeat(101)));
    }

    @Test
    void idsHaveAtMost255Characters() {
        var longest = "\uD83D\uDE00".repeat(255);
        assertThat(lifecycle(rule("<ID>" + longest + "</ID>" + expiration(1)))
                        .rules()
                        .getFirst()
                        .id())
                .isEqualTo(longest);
        refused(
                "InvalidArgument",
                "ID length should not exceed allowed limit of 255",
                () -> lifecycle(rule("<ID>" + longest + "x</ID>" + expiration(1))));
    }

    @Test
    void idsAreUnique() {
        var rule = rule("<ID>a</ID>" + expiration(1));
        refused(
                "InvalidArgument",
                "Rule ID must be unique. Found same ID for more than one rule",
                () -> lifecycle(rule + rule.replace("Enabled", "Disabled")));
        assertThat(lifecycle(rule + rule.replace(">a<", ">A<")).rules()).hasSize(2);
    }

    @Test
    void missingIdsFollowFromTheRules() {
        var document = rule(expiration(1)) + rule("<ID/>" + expiration(2)) + rule(expiration(1));
        var rules = lifecycle(document);
        var ids = rules.rules().stream().map(LifecycleRule::id).toList();
        assertThat(ids).doesNotHaveDuplicates().allMatch(id -> !id.isBlank());
        assertThat(lifecycle(document)).isEqualTo(rules);
        // A rule that has the ID already keeps it, and the other gets another one.
        var taken = lifecycle(rule(expiration(1)) + rule("<ID>" + ids.getFirst() + "</ID>" + expiration(9)));
        assertThat(taken.rules().getLast().id()).isEqualTo(ids.getFirst());
        assertThat(taken.rules().getFirst().id()).isEqualTo(ids.getLast());
    }

    @Test
    void charactersThatCannotBeWrittenAreMalformed() {
        var document = "<?xml version=\"1.1\"?><LifecycleConfiguration>"
                + rule("<Filter><Prefix>&#1;</Prefix></Filter>" + expiration(1)) + "</LifecycleConfiguration>";
        refused("MalformedXML", "The XML", () -> LifecycleRules.parse(Documents.bytes(document)));
        assertThat(LifecycleRules.parse(Documents.bytes(document.replace("&#1;", "a")))
                        .rules())
                .hasSize(1);
    }

    @Test
    void manyTagsAreTaken() {
        var tags = IntStream.range(0, 10)
                .mapToObj(i -> "<Tag><Key>k" + i + "</Key><Value>v</Value></Tag>")
                .collect(Collectors.joining());
        var rules = lifecycle(rule("<Filter><And>" + tags + "</And></Filter>" + expiration(1)));
        assertThat(rules.rules().getFirst().filter().tags()).hasSize(10);
        assertThat(LifecycleRules.parse(Documents.bytes(rules.xml()))).isEqualTo(rules);
    }

    private static String tagFilter(String key, String value) {
        return "<Filter><Tag><Key>" + key + "</Key><Value>" + value + "</Value></Tag></Filter>";
    }
}
