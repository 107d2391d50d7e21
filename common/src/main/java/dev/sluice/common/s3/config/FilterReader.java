package dev.sluice.common.s3.config;

import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.parse.XmlBody;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The conditions of one element Filter, or of the And in it, as they are read.
final class FilterReader {
    private static final int LONGEST_KEY = 128;
    private static final int LONGEST_VALUE = 256;
    private static final String LARGER = "ObjectSizeGreaterThan";
    private static final String SMALLER = "ObjectSizeLessThan";

    private final Map<String, String> texts = new HashMap<>();
    private final TreeMap<String, String> tags = new TreeMap<>();

    private FilterReader() {}

    /// One condition or none; several stand in an And.
    static LifecycleFilter filter(XmlBody xml) {
        var outside = new FilterReader();
        var and = new ArrayList<FilterReader>();
        xml.children(name -> {
            if (name.equals("And")) {
                and.add(and(xml));
            } else {
                outside.read(name, "Filter", xml);
            }
        });
        if (outside.conditions() + and.size() > 1) {
            throw XmlBody.malformed("A Filter has one condition; several stand in an And");
        }
        return (and.isEmpty() ? outside : and.getFirst()).filter();
    }

    private static FilterReader and(XmlBody xml) {
        var and = new FilterReader();
        xml.children(name -> and.read(name, "And", xml));
        if (and.conditions() < 2) {
            throw XmlBody.malformed("An And has at least two conditions");
        }
        return and;
    }

    private int conditions() {
        return texts.size() + tags.size();
    }

    private void read(String name, String parent, XmlBody xml) {
        switch (name) {
            case "Prefix", LARGER, SMALLER -> Elements.putOnce(texts, name, Elements.text(xml));
            case "Tag" -> readTag(xml);
            default -> throw Elements.unknown(name, parent);
        }
    }

    private void readTag(XmlBody xml) {
        var tag = new HashMap<String, String>();
        xml.children(name -> {
            if (!List.of("Key", "Value").contains(name)) {
                throw Elements.unknown(name, "Tag");
            }
            Elements.putOnce(tag, name, Elements.text(xml));
        });
        var key = tag.get("Key");
        var value = tag.get("Value");
        if (key == null || value == null) {
            throw XmlBody.malformed("A Tag needs a Key and a Value");
        }
        if (key.isEmpty() || Elements.isLonger(key, LONGEST_KEY)) {
            throw S3Failure.invalidRequest("The Key of a Tag must have between 1 and " + LONGEST_KEY + " characters");
        }
        if (Elements.isLonger(value, LONGEST_VALUE)) {
            throw S3Failure.invalidRequest("The Value of a Tag must have at most " + LONGEST_VALUE + " characters");
        }
        if (tags.put(key, value) != null) {
            throw S3Failure.invalidRequest("Duplicate Tag Keys are not allowed.");
        }
    }

    private LifecycleFilter filter() {
        var larger = size(LARGER, 0);
        var smaller = size(SMALLER, 1);
        if (larger.isPresent() && smaller.isPresent() && larger.get() >= smaller.get()) {
            throw S3Failure.invalidRequest("'" + SMALLER + "' has to be a value greater than '" + LARGER + "'.");
        }
        return new LifecycleFilter(texts.getOrDefault("Prefix", ""), tags, larger, smaller);
    }

    private Optional<Long> size(String name, long smallest) {
        var size = Optional.ofNullable(texts.get(name)).map(text -> Elements.whole(name, text));
        if (size.isPresent() && size.get() < smallest) {
            throw S3Failure.invalidRequest("'" + name + "' must be at least " + smallest);
        }
        return size;
    }
}
