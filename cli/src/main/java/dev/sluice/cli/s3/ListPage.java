package dev.sluice.cli.s3;

import java.io.StringReader;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// One page of ListObjectsV2 (asked for with `encoding-type=url`), and the token of the next.
record ListPage(List<ListedObject> objects, Optional<String> next) {
    private static final XMLInputFactory XML = factory();

    static ListPage parse(String xml) throws XMLStreamException {
        var reader = XML.createXMLStreamReader(new StringReader(xml));
        var objects = new ArrayList<ListedObject>();
        Optional<String> next = Optional.empty();
        while (reader.hasNext()) {
            if (reader.next() == XMLStreamConstants.START_ELEMENT) {
                switch (reader.getLocalName()) {
                    case "Contents" -> objects.add(contents(reader));
                    case "CommonPrefixes" -> objects.add(prefix(reader));
                    case "NextContinuationToken" -> next = Optional.of(reader.getElementText());
                    default -> {
                        // Fields of the page that a client does not need.
                    }
                }
            }
        }
        return new ListPage(List.copyOf(objects), next);
    }

    private static ListedObject contents(XMLStreamReader reader) throws XMLStreamException {
        var key = "";
        var size = 0L;
        var etag = "";
        var modified = "";
        while (inside(reader, "Contents")) {
            switch (reader.getLocalName()) {
                case "Key" -> key = decoded(reader.getElementText());
                case "Size" -> size = Long.parseLong(reader.getElementText());
                case "ETag" -> etag = reader.getElementText().replace("\"", "");
                case "LastModified" -> modified = reader.getElementText();
                default -> {
                    // Storage class, owner, checksum algorithm: not shown.
                }
            }
        }
        return new ListedObject(key, size, etag, modified);
    }

    private static ListedObject prefix(XMLStreamReader reader) throws XMLStreamException {
        var prefix = "";
        while (inside(reader, "CommonPrefixes")) {
            prefix = decoded(reader.getElementText());
        }
        return new ListedObject(prefix, -1, "", "");
    }

    /// Moves to the next element within the named one; false at its end.
    private static boolean inside(XMLStreamReader reader, String name) throws XMLStreamException {
        while (reader.hasNext()) {
            var event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                return true;
            }
            if (event == XMLStreamConstants.END_ELEMENT && reader.getLocalName().equals(name)) {
                return false;
            }
        }
        return false;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static XMLInputFactory factory() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_COALESCING, true);
        return factory;
    }
}
