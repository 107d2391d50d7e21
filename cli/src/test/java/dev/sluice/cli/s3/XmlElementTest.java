package dev.sluice.cli.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import javax.xml.stream.XMLStreamException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Answers as servers may write them, and those that no honest server writes.
final class XmlElementTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<Error><Code>NoSuchKey</Code><Message>a &lt;b&gt; &amp;c</Message></Error>",
                "<?xml version='1.0' encoding='UTF-8'?>\n<Error>\n <Code >NoSuchKey</Code\n>\n <Message>a &#60;b&#x3e;"
                        + " &amp;c</Message>\n</Error>\n",
                "\n\n<?xml version=\"1.0\"?><Error><Code>\n  NoSuchKey\n</Code><Message>a <![CDATA[<b> &]]>c</Message>"
                        + "</Error>",
                "<s3:Error xmlns:s3='http://s3.amazonaws.com/doc/2006-03-01/'><s3:Code>NoSuchKey</s3:Code><s3:Message>a"
                        + " &lt;b> &amp;c</s3:Message></s3:Error>",
                "\uFEFF<!-- <Code>Other</Code> --><Error><Detail><Code>Inner</Code></Detail><Code a='1'>No<!-- -->Such"
                        + "<?x?>Key</Code><Message>a &lt;b&gt; &amp;c</Message></Error><!-- -->",
            })
    void aRefusalIsReadHoweverItIsWritten(String body) {
        assertThat(ServerFailure.parse(404, body)).isEqualTo(new ServerFailure(404, "NoSuchKey", "a <b> &c"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<Message>It is gone</Message><BucketName>b</BucketName> | It is gone. BucketName: b",
                "<Message>Too long.</Message><Size>9</Size><Max>5</Max>  | Too long. Size: 9, Max: 5",
                "<Message>No bucket b</Message><BucketName>b</BucketName> | No bucket b",
                "<BucketName>b</BucketName><HostId>h</HostId>            | BucketName: b",
                "<Message>m</Message><StringToSign>s</StringToSign>      | m"
            })
    void aRefusalIsShownWithTheElementsThatItsMessageLacks(String elements, String shown) {
        var body = "<Error><Code>C</Code>" + elements + "<Resource>/x</Resource></Error>";
        assertThat(ServerFailure.parse(400, body)).isEqualTo(new ServerFailure(400, "C", shown));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bad Gateway <Code>x</Code>",
                "<html><body>Bad Gateway</body></html>",
                "<Error><Code>NoSuchKey</Code>",
                "<Error/>",
                "{ not JSON"
            })
    void whatIsNoRefusalOfOursIsShownAsItCame(String body) {
        assertThat(ServerFailure.parse(503, body)).isEqualTo(new ServerFailure(503, "ServiceUnavailable", body));
    }

    @Test
    void aPageIsReadHoweverItIsWritten() throws XMLStreamException {
        var page =
                ListPage.parse("<p:R xmlns:p='urn:x'><p:Prefix>b%2F</p:Prefix><p:NextContinuationToken><![CDATA[t&2]]>"
                        + "</p:NextContinuationToken>\n<p:Contents><p:Owner><p:ID>Key</p:ID></p:Owner><p:Size> 7\n</p:Size>"
                        + "<p:ETag>&#34;e&#34;</p:ETag><p:Key>a%26 b</p:Key></p:Contents><p:CommonPrefixes>\n<p:Prefix>c%2F"
                        + "</p:Prefix>\n</p:CommonPrefixes></p:R>");
        assertThat(page.objects())
                .containsExactly(new ListedObject("a& b", 7, "e", ""), new ListedObject("c/", -1, "", ""));
        assertThat(page.next()).isEqualTo(Optional.of("t&2"));
    }

    @Test
    void aFullPageMayBeFullOfEscapes() throws XMLStreamException {
        var entry = "<Contents><Key>k</Key><ETag>" + "&quot;".repeat(20) + "</ETag></Contents>";
        assertThat(ListPage.parse("<R>" + entry.repeat(1_000) + "</R>").objects())
                .hasSize(1_000)
                .allMatch(object -> object.etag().isEmpty());
    }

    @Test
    void filesOfThisMachineAreNotReadIntoAnAnswer(@TempDir Path folder) throws IOException {
        var secret = Files.writeString(folder.resolve("secret"), "hidden").toUri();
        var entity = "<!DOCTYPE Error [<!ENTITY x SYSTEM '" + secret + "'>]><Error><Code>&x;</Code></Error>";
        assertThatThrownBy(() -> XmlElement.parse(entity)).isInstanceOf(XMLStreamException.class);
        assertThat(ServerFailure.parse(400, entity).message()).doesNotContain("hidden");
    }

    @Test
    void documentTypesAreRefused() {
        var declared = "<!DOCTYPE R [<!ENTITY x 'y'>]><R><ETag>&x;</ETag></R>";
        assertThatThrownBy(() -> XmlElement.parse(declared)).isInstanceOf(XMLStreamException.class);
        assertThatThrownBy(() -> XmlElement.parse("<!DOCTYPE R SYSTEM 'http://127.0.0.1:1/r.dtd'><R/>"))
                .isInstanceOf(XMLStreamException.class)
                .hasMessageContaining("not read");
    }

    @Test
    void endlessNestingIsRefused() {
        var deep = "<a>".repeat(100_000) + "</a>".repeat(100_000);
        assertThatThrownBy(() -> XmlElement.parse(deep)).isInstanceOf(XMLStreamException.class);
    }
}
