package dev.sluice.common.s3.config;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.answer.XmlWriter;
import dev.sluice.common.s3.parse.XmlBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// The elements of a document that configures a bucket, read strictly: a rule that is half understood would delete or
/// allow too much.
final class Elements {
    static final int LONGEST_ID = 255;
    static final int MOST_RULES = 100;

    /// At most 18 digits, which a `long` always holds.
    private static final Pattern WHOLE = Pattern.compile("[+-]?[0-9]{1,18}");

    private Elements() {}

    /// The text of the element just opened. A document may declare XML 1.1 and have characters that the document we
    /// answer cannot carry: refused, since the rule would come back as another one.
    static String text(XmlBody xml) {
        var text = xml.text();
        if (!text.codePoints().allMatch(Elements::isXml10)) {
            throw XmlBody.malformed("A character is not one of XML 1.0");
        }
        return text;
    }

    private static boolean isXml10(int c) {
        return (c >= ' ' && c < 0xD800)
                || (c >= 0xE000 && c < 0xFFFE)
                || c >= 0x10000
                || c == '\t'
                || c == '\n'
                || c == '\r';
    }

    /// Keeps the text of an element that may stand once.
    static void putOnce(Map<String, String> texts, String name, String text) {
        if (texts.put(name, text) != null) {
            throw twice(name);
        }
    }

    /// What was read of an element that may stand once.
    static <T> Optional<T> atMostOne(String name, List<T> found) {
        if (found.size() > 1) {
            throw twice(name);
        }
        return found.stream().findFirst();
    }

    static long whole(String name, String text) {
        var number = text.strip();
        if (!WHOLE.matcher(number).matches()) {
            throw XmlBody.malformed(name + " is not a whole number");
        }
        return Long.parseLong(number);
    }

    static boolean isLonger(String text, int characters) {
        return text.codePointCount(0, text.length()) > characters;
    }

    static S3Failure unknown(String name, String parent) {
        return XmlBody.malformed("Unexpected element " + name + " in " + parent);
    }

    private static S3Failure twice(String name) {
        return XmlBody.malformed("Two elements " + name + " where one may be");
    }

    static String string(XmlWriter xml) {
        return StandardCharsets.UTF_8.decode(xml.finish()).toString();
    }
}
