package dev.sluice.cli.s3;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// An element of a server's answer. Read with suspicion: no DTD, no entities but XML's own five. Namespaces are not
/// looked at: servers send S3's, none, or prefixes of their own.
///
/// @param text its own, white space as it stands; between child elements there is mostly nothing else
record XmlElement(String name, String text, List<XmlElement> children) {
    private static final XMLInputFactory XML = factory();

    /// The root of a document. White space before it is let through, though XML forbids it before a declaration:
    /// servers send it to keep a connection alive.
    static XmlElement parse(String document) throws XMLStreamException {
        var text = document.startsWith("\uFEFF") ? document.substring(1) : document;
        var reader = XML.createXMLStreamReader(new StringReader(text.stripLeading()));
        Optional<XmlElement> root = Optional.empty();
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> root = Optional.of(element(reader));
                case XMLStreamConstants.DTD -> throw refused(reader);
                default -> {
                    // Comments and processing instructions around the root.
                }
            }
        }
        return root.orElseThrow(() -> new XMLStreamException("no element"));
    }

    /// The text of the first child of this name.
    Optional<String> text(String child) {
        return all(child).findFirst().map(XmlElement::text);
    }

    Stream<XmlElement> all(String child) {
        return children.stream().filter(each -> each.name.equals(child));
    }

    /// The reader stands at an element's start, and afterwards at its end. The JDK limits how deep they nest.
    private static XmlElement element(XMLStreamReader reader) throws XMLStreamException {
        var name = reader.getLocalName();
        var text = new StringBuilder();
        var children = new ArrayList<XmlElement>();
        for (var event = reader.next(); event != XMLStreamConstants.END_ELEMENT; event = reader.next()) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> children.add(element(reader));
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                    text.append(reader.getText());
                case XMLStreamConstants.ENTITY_REFERENCE -> throw refused(reader);
                default -> {
                    // Comments and processing instructions.
                }
            }
        }
        return new XmlElement(name, text.toString(), List.copyOf(children));
    }

    private static XMLStreamException refused(XMLStreamReader reader) {
        return new XMLStreamException("DTDs and entities are not read", reader.getLocation());
    }

    private static XMLInputFactory factory() {
        var factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        return factory;
    }
}
