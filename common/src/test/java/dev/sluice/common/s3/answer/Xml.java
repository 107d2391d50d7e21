package dev.sluice.common.s3.answer;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;

/// A document as lines `path/to/element=text`, the root's name first. Parsed by a strict XML 1.0 parser.
final class Xml {
    private Xml() {}

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static List<String> parse(ByteBuffer... pieces) {
        var document = new ByteArrayOutputStream();
        for (var piece : pieces) {
            var bytes = new byte[piece.remaining()];
            piece.duplicate().get(bytes);
            document.writeBytes(bytes);
        }
        var lines = new ArrayList<String>();
        var path = new ArrayDeque<String>();
        var text = new StringBuilder();
        int line = 0;
        try {
            var reader = XMLInputFactory.newDefaultFactory()
                    .createXMLStreamReader(new ByteArrayInputStream(document.toByteArray()));
            while (reader.hasNext()) {
                switch (reader.next()) {
                    case XMLStreamConstants.START_ELEMENT -> {
                        path.addLast(reader.getLocalName());
                        text.setLength(0);
                        line = lines.size();
                        lines.add(
                                lines.isEmpty()
                                        ? path.getLast()
                                        : String.join("/", path.stream().skip(1).toList()));
                    }
                    case XMLStreamConstants.CHARACTERS -> text.append(reader.getText());
                    case XMLStreamConstants.END_ELEMENT -> {
                        boolean leaf = line == lines.size() - 1 && line >= 0;
                        if (leaf && (!text.isEmpty() || isEmptyField(path.getLast()))) {
                            lines.set(line, lines.get(line) + "=" + text);
                        }
                        line = -1;
                        path.removeLast();
                    }
                    default -> {}
                }
            }
        } catch (XMLStreamException failure) {
            throw new AssertionError(document.toString(StandardCharsets.UTF_8), failure);
        }
        return lines;
    }

    private static boolean isEmptyField(String name) {
        return name.equals("NextUploadIdMarker");
    }
}
