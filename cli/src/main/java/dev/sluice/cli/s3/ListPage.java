package dev.sluice.cli.s3;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamException;

/// One page of ListObjectsV2 (asked for with `encoding-type=url`), and the token of the next.
record ListPage(List<ListedObject> objects, Optional<String> next) {

    static ListPage parse(String xml) throws XMLStreamException {
        var page = XmlElement.parse(xml);
        var objects = page.children().stream().flatMap(ListPage::listed).toList();
        return new ListPage(objects, page.text("NextContinuationToken"));
    }

    /// Nothing for the fields of the page that a client does not need.
    private static Stream<ListedObject> listed(XmlElement element) {
        return switch (element.name()) {
            case "Contents" -> Stream.of(object(element));
            case "CommonPrefixes" ->
                element.all("Prefix").map(prefix -> new ListedObject(decoded(prefix.text()), -1, "", ""));
            default -> Stream.empty();
        };
    }

    private static ListedObject object(XmlElement contents) {
        return new ListedObject(
                decoded(contents.text("Key").orElse("")),
                Long.parseLong(contents.text("Size").orElse("0").strip()),
                contents.text("ETag").orElse("").replace("\"", ""),
                contents.text("LastModified").orElse(""));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
