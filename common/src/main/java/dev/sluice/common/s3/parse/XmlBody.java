package dev.sluice.common.s3.parse;

import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import java.io.ByteArrayInputStream;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/// A small, suspicious reader of the XML that clients send: UTF-8 only, no DTD, no entities but XML's own five, limited
/// depth. Every mistake is MalformedXML. Namespaces are not looked at: clients send S3's, none, or others.
public final class XmlBody {
    private static final int DEEPEST = 8;

    private final XMLStreamReader reader;
    private int depth;

    private XmlBody(XMLStreamReader reader) {
        this.reader = reader;
    }

    /// Reads one element's children: called at each child's start, must consume it whole.
    @FunctionalInterface
    public interface Child {
        void read(String name);
    }

    /// Opens the document and its root, which must have this name.
    public static XmlBody open(byte[] body, String root) {
        try {
            var factory = XMLInputFactory.newDefaultFactory();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            factory.setXMLResolver((_, _, _, _) -> {
                throw new XMLStreamException("external entities are not read");
            });
            var xml = new XmlBody(factory.createXMLStreamReader(new ByteArrayInputStream(body), "UTF-8"));
            if (!xml.nextIsStart() || !xml.reader.getLocalName().equals(root)) {
                throw malformed("The root element is not " + root);
            }
            return xml;
        } catch (XMLStreamException failure) {
            throw malformed(failure);
        }
    }

    /// Walks over the children of the element just opened, to its end.
    public void children(Child child) {
        while (nextIsStart()) {
            child.read(reader.getLocalName());
        }
    }

    /// The root's end must be the document's.
    public void end() {
        try {
            while (reader.hasNext()) {
                reader.next();
            }
        } catch (XMLStreamException failure) {
            throw malformed(failure);
        }
    }

    /// The text of the element just opened, up to its end, white space as it stands. It has no children.
    public String text() {
        var text = new StringBuilder();
        try {
            while (true) {
                switch (reader.next()) {
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE ->
                        text.append(reader.getTextCharacters(), reader.getTextStart(), reader.getTextLength());
                    case XMLStreamConstants.COMMENT, XMLStreamConstants.PROCESSING_INSTRUCTION -> {}
                    case XMLStreamConstants.END_ELEMENT -> {
                        depth--;
                        return text.toString();
                    }
                    default -> throw malformed("An element has children where only text may be");
                }
            }
        } catch (XMLStreamException failure) {
            throw malformed(failure);
        }
    }

    /// True at the next element's start, false at the end of the one we are in. Text between elements is white space.
    private boolean nextIsStart() {
        try {
            while (true) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        if (++depth > DEEPEST) {
                            throw malformed("Elements are nested too deeply");
                        }
                        return true;
                    }
                    case XMLStreamConstants.END_ELEMENT -> {
                        depth--;
                        return false;
                    }
                    case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
                        if (!reader.isWhiteSpace()) {
                            throw malformed("Text stands where only elements may be");
                        }
                    }
                    case XMLStreamConstants.COMMENT, XMLStreamConstants.PROCESSING_INSTRUCTION -> {}
                    default -> throw malformed("Document types and entities are not allowed");
                }
            }
        } catch (XMLStreamException failure) {
            throw malformed(failure);
        }
    }

    public static S3Failure malformed(String why) {
        return new S3Failure(
                S3Code.MALFORMED_XML,
                "The XML you provided was not well-formed or did not validate against our published schema. " + why);
    }

    private static S3Failure malformed(XMLStreamException failure) {
        var location = failure.getLocation();
        return malformed(
                location == null
                        ? ""
                        : "Line " + location.getLineNumber() + ", column " + location.getColumnNumber() + ".");
    }
}
