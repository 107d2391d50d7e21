package dev.sluice.common.s3.config;

import static dev.sluice.common.s3.config.Documents.cors;
import static dev.sluice.common.s3.config.Documents.refused;
import static org.assertj.core.api.Assertions.assertThat;

import dev.sluice.common.http.Headers;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorsRulesTest {
    private static final String GET_FROM_ALL = "<AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>";
    private static final String VARY = "Origin, Access-Control-Request-Headers, Access-Control-Request-Method";

    @Test
    void documentIsReadWhole() {
        var rules = CorsRules.parse(Documents.bytes("""
                <?xml version="1.0" encoding="UTF-8"?>
                <CORSConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
                  <CORSRule>
                    <ID>a &amp; b</ID>
                    <AllowedOrigin>https://*.example.com</AllowedOrigin>
                    <AllowedOrigin>http://test.com:80</AllowedOrigin>
                    <AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>
                    <AllowedMethod>POST</AllowedMethod><AllowedMethod>DELETE</AllowedMethod>
                    <AllowedMethod>HEAD</AllowedMethod>
                    <AllowedHeader>x-AMZ-*</AllowedHeader>
                    <MaxAgeSeconds> 3000 </MaxAgeSeconds>
                    <ExposeHeader>ETag</ExposeHeader>
                  </CORSRule>
                  <CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin/></CORSRule>
                </CORSConfiguration>
                """));
        assertThat(rules.rules())
                .containsExactly(
                        new CorsRule(
                                Optional.of("a & b"),
                                List.of("https://*.example.com", "http://test.com:80"),
                                List.of("GET", "PUT", "POST", "DELETE", "HEAD"),
                                List.of("x-AMZ-*"),
                                List.of("ETag"),
                                Optional.of(3000)),
                        new CorsRule(
                                Optional.empty(), List.of(""), List.of("GET"), List.of(), List.of(), Optional.empty()));
    }

    @Test
    void documentIsWrittenInOneForm() {
        assertThat(cors("<CORSRule><AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>"
                                + "<MaxAgeSeconds>5</MaxAgeSeconds>" + GET_FROM_ALL + "<ID>&lt;1></ID></CORSRule>")
                        .xml())
                .isEqualTo("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        + "<CORSConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><CORSRule>"
                        + "<ID>&lt;1&gt;</ID><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
                        + "<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader>"
                        + "<MaxAgeSeconds>5</MaxAgeSeconds></CORSRule></CORSConfiguration>");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<ID/>",
                "<ID> \r\n\t&#13;&amp;&lt;é&#x1F600; </ID>",
                "<MaxAgeSeconds>0</MaxAgeSeconds>",
                "<MaxAgeSeconds>2147483647</MaxAgeSeconds>",
                "<AllowedOrigin>http://a</AllowedOrigin><AllowedOrigin>http://a</AllowedOrigin>",
                "<AllowedMethod>GET</AllowedMethod><AllowedMethod>HEAD</AllowedMethod>",
                "<AllowedHeader>a*z</AllowedHeader><AllowedHeader>*</AllowedHeader><AllowedHeader/>",
                "<ExposeHeader>x-amz-meta-b</ExposeHeader><ExposeHeader>Date</ExposeHeader>",
            })
    void writtenDocumentGivesTheSameRules(String elements) {
        var rules = cors(("<CORSRule>" + GET_FROM_ALL + elements + "</CORSRule>").repeat(2));
        assertThat(CorsRules.parse(Documents.bytes(rules.xml()))).isEqualTo(rules);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "<AllowedMethod/> | Found unsupported HTTP method in CORS config. Unsupported method is",
                "<AllowedMethod>get</AllowedMethod> |"
                        + " Found unsupported HTTP method in CORS config. Unsupported method is get",
                "<AllowedMethod>OPTIONS</AllowedMethod> |"
                        + " Found unsupported HTTP method in CORS config. Unsupported method is OPTIONS",
                "<AllowedOrigin>*a*</AllowedOrigin> | AllowedOrigin \"*a*\" can not have more than one wildcard.",
                "<AllowedHeader>**</AllowedHeader> | AllowedHeader \"**\" can not have more than one wildcard.",
                "<ExposeHeader>x-*</ExposeHeader> | ExposeHeader \"x-*\" contains wildcard."
                        + " We currently do not support wildcard for ExposeHeader.",
            })
    void rulesThatS3DoesNotSupportAreInvalid(String element, String message) {
        refused("InvalidRequest", message, () -> cors("<CORSRule>" + GET_FROM_ALL + element + "</CORSRule>"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Colour>red</Colour>",
                "text",
                "<ID>a</ID><ID>b</ID>",
                "<ID>a<b/></ID>",
                "<MaxAgeSeconds/>",
                "<MaxAgeSeconds>-1</MaxAgeSeconds>",
                "<MaxAgeSeconds>1.5</MaxAgeSeconds>",
                "<MaxAgeSeconds>2147483648</MaxAgeSeconds>",
                "<MaxAgeSeconds>99999999999999999999</MaxAgeSeconds>",
                "<MaxAgeSeconds>\u0663</MaxAgeSeconds>",
                "<MaxAgeSeconds>1</MaxAgeSeconds><MaxAgeSeconds>1</MaxAgeSeconds>",
                "<ExposeHeader/>",
                "<ExposeHeader>a&#13;&#10;Set-Cookie: b</ExposeHeader>",
                "<ExposeHeader>é</ExposeHeader>",
            })
    void elementsThatTheSchemaDoesNotKnowAreMalformed(String element) {
        refused("MalformedXML", "The XML", () -> cors("<CORSRule>" + GET_FROM_ALL + element + "</CORSRule>"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<CORSRule/>",
                "<CORSRule><AllowedOrigin>*</AllowedOrigin></CORSRule>",
                "<CORSRule><AllowedMethod>GET</AllowedMethod></CORSRule>",
                "<Rule/>",
            })
    void configurationNeedsRulesWithOriginsAndMethods(String rules) {
        refused("MalformedXML", "The XML", () -> cors(rules));
        refused("MalformedXML", "The XML", () -> CorsRules.parse(Documents.bytes("<Cors>" + rules + "</Cors>")));
        refused("MalformedXML", "The XML", () -> CorsRules.parse(Documents.bytes(rules)));
    }

    @Test
    void aHundredRulesAreTakenAndNotOneMore() {
        var rule = "<CORSRule>" + GET_FROM_ALL + "</CORSRule>";
        assertThat(cors(rule.repeat(100)).rules()).hasSize(100);
        refused(
                "InvalidRequest",
                "The number of CORS rules should not exceed allowed limit of 100 rules.",
                () -> cors(rule.repeat(101)));
    }

    @Test
    void idsHaveAtMost255Characters() {
        var longest = "\uD83D\uDE00".repeat(255);
        assertThat(cors("<CORSRule>" + GET_FROM_ALL + "<ID>" + longest + "</ID></CORSRule>")
                        .rules()
                        .getFirst()
                        .id())
                .hasValue(longest);
        refused(
                "MalformedXML",
                "The XML",
                () -> cors("<CORSRule>" + GET_FROM_ALL + "<ID>" + longest + "x</ID></CORSRule>"));
    }

    @Test
    void charactersThatCannotBeWrittenAreMalformed() {
        refused(
                "MalformedXML",
                "The XML",
                () -> CorsRules.parse(Documents.bytes("<?xml version=\"1.1\"?><CORSConfiguration><CORSRule>"
                        + GET_FROM_ALL + "<ID>&#1;</ID></CORSRule></CORSConfiguration>")));
    }

    @ParameterizedTest
    @CsvSource({
        "http://a.com,     http://a.com,      true",
        "http://a.com,     http://A.com,      false",
        "http://a.com,     https://a.com,     false",
        "http://a.com,     http://a.com/,     false",
        "http://a.com,     http://a.com:80,   false",
        "*,                null,              true",
        "http://*.a.com,   http://b.a.com,    true",
        "http://*.a.com,   http://b.c.a.com,  true",
        "http://*.a.com,   http://.a.com,     true",
        "http://*.a.com,   http://a.com,      false",
        "http://*.a.com,   http://b.a.com.c,  false",
        "http://*.a.com,   http://b.A.com,    false",
        "*suffix,          foo.suffix,        true",
        "*suffix,          foo.suffix.get,    false",
        "start*end,        startend,          true",
        "start*end,        start1end,         true",
        "start*end,        0start12end,       false",
        "ab*ba,            aba,               false",
        "prefix*,          prefix,            true",
        "prefix*,          bla.prefix,        false",
    })
    void originMatchesPatternWithOneWildcard(String pattern, String origin, boolean matches) {
        var rules = cors("<CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>" + pattern
                + "</AllowedOrigin></CORSRule>");
        assertThat(rules.actual(origin, "GET").isPresent()).isEqualTo(matches);
        assertThat(rules.preflight(origin, "GET", List.of()).isPresent()).isEqualTo(matches);
    }

    @Test
    void anyOriginIsAnsweredWithoutCredentials() {
        var rules = cors("<CORSRule>" + GET_FROM_ALL + "</CORSRule>");
        assertSame(
                rules.actual("http://a", "GET"),
                Headers.of("Access-Control-Allow-Origin", "*", "Access-Control-Allow-Methods", "GET", "Vary", VARY));
        assertThat(rules.actual("http://a", "PUT")).isEmpty();
    }

    @Test
    void namedOriginIsAnsweredWithAllThatTheRuleSays() {
        var rules = cors("<CORSRule><AllowedOrigin>http://*</AllowedOrigin><AllowedOrigin>*</AllowedOrigin>"
                + "<AllowedMethod>GET</AllowedMethod><AllowedMethod>PUT</AllowedMethod>"
                + "<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader><ExposeHeader>Date</ExposeHeader>"
                + "<MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule>");
        var expected = Headers.of(
                "Access-Control-Allow-Origin", "http://a",
                "Access-Control-Allow-Credentials", "true",
                "Access-Control-Allow-Methods", "GET, PUT",
                "Access-Control-Expose-Headers", "ETag, Date",
                "Access-Control-Max-Age", "3000",
                "Vary", VARY);
        assertSame(rules.actual("http://a", "PUT"), expected);
        assertSame(rules.preflight("http://a", "GET", List.of()), expected);
        assertSame(
                rules.preflight("http://a", "GET", List.of(" X-Amz-Date ", "", "content-type")),
                expected.with("Access-Control-Allow-Headers", "x-amz-date, content-type"));
        assertThat(rules.actual("https://a", "GET").orElseThrow().first("Access-Control-Allow-Origin"))
                .hasValue("*");
    }

    @ParameterizedTest
    @CsvSource({
        "*,           x-amz-date,                true",
        "x-AMZ-*,     X-amz-Date,                true",
        "x-AMZ-*,     x-amz-date content-type,   false",
        "x-amz-date,  X-AMZ-DATE,                true",
        "x-amz-date,  x-amz-date2,               false",
        "x-amz-date,  x-amz-dat,                 false",
        "x-*-date,    x-a-date X-B-DATE x--date, true",
        "x-*-date,    x-date,                    false",
    })
    void preflightNeedsEachOfItsHeadersAllowed(String pattern, String asked, boolean allowed) {
        var rules = cors("<CORSRule>" + GET_FROM_ALL + "<AllowedHeader>" + pattern + "</AllowedHeader></CORSRule>");
        assertThat(rules.preflight("http://a", "GET", List.of(asked.split(" "))).isPresent())
                .isEqualTo(allowed);
        assertThat(rules.actual("http://a", "GET")).isPresent();
    }

    @Test
    void ruleWithoutHeadersAllowsNone() {
        var rules = cors("<CORSRule>" + GET_FROM_ALL + "</CORSRule>");
        assertThat(rules.preflight("http://a", "GET", List.of("x-amz-date"))).isEmpty();
        assertThat(rules.preflight("http://a", "GET", List.of())).isPresent();
    }

    @Test
    void firstRuleThatAllowsAllOfTheRequestHolds() {
        var rules = cors(ruleOfAge(1, "http://a", "PUT", "")
                + ruleOfAge(2, "http://a", "GET", "")
                + ruleOfAge(3, "*", "GET", "<AllowedHeader>x</AllowedHeader>")
                + ruleOfAge(4, "*", "GET", ""));
        assertThat(age(rules.actual("http://a", "GET"))).isEqualTo("2");
        assertThat(age(rules.actual("http://b", "GET"))).isEqualTo("3");
        assertThat(age(rules.preflight("http://a", "PUT", List.of()))).isEqualTo("1");
        assertThat(age(rules.preflight("http://a", "GET", List.of("x")))).isEqualTo("3");
        assertThat(rules.preflight("http://b", "PUT", List.of())).isEmpty();
    }

    @Test
    void noRulesAllowNothing() {
        assertThat(CorsRules.NONE.actual("http://a", "GET")).isEmpty();
        assertThat(CorsRules.NONE.preflight("http://a", "GET", List.of())).isEmpty();
    }

    private static String ruleOfAge(int seconds, String origin, String method, String more) {
        return "<CORSRule><AllowedOrigin>" + origin + "</AllowedOrigin><AllowedMethod>" + method + "</AllowedMethod>"
                + "<MaxAgeSeconds>" + seconds + "</MaxAgeSeconds>" + more + "</CORSRule>";
    }

    private static String age(Optional<Headers> answer) {
        return answer.orElseThrow().first("Access-Control-Max-Age").orElseThrow();
    }

    private static void assertSame(Optional<Headers> answer, Headers expected) {
        assertThat(answer.map(Headers::toString)).hasValue(expected.toString());
    }
}
