package dev.sluice.common.s3.config;

import dev.sluice.common.s3.answer.XmlWriter;
import java.util.List;

/// Writes the document LifecycleConfiguration, its elements in S3's order.
final class LifecycleWriter {
    static final String ROOT = "LifecycleConfiguration";

    private LifecycleWriter() {}

    static String document(List<LifecycleRule> rules) {
        var xml = XmlWriter.document(ROOT, 1024);
        rules.forEach(rule -> write(xml, rule));
        return Elements.string(xml.close(ROOT));
    }

    private static void write(XmlWriter xml, LifecycleRule rule) {
        xml.open("Rule").element("ID", rule.id());
        if (rule.oldForm()) {
            xml.element("Prefix", rule.filter().prefix());
        } else {
            write(xml, rule.filter());
        }
        xml.element("Status", rule.enabled() ? "Enabled" : "Disabled");
        rule.expiry().ifPresent(expiry -> {
            xml.open("Expiration");
            switch (expiry) {
                case Expiry.Days(var days) -> xml.element("Days", days);
                case Expiry.Date(var at) -> xml.element("Date", at);
            }
            xml.close("Expiration");
        });
        rule.abortDays()
                .ifPresent(days -> xml.open("AbortIncompleteMultipartUpload")
                        .element("DaysAfterInitiation", days)
                        .close("AbortIncompleteMultipartUpload"));
        xml.close("Rule");
    }

    /// All objects: an empty prefix, since some clients take an empty Filter for none.
    private static void write(XmlWriter xml, LifecycleFilter filter) {
        xml.open("Filter");
        if (filter.conditions() > 1) {
            xml.open("And");
            writeConditions(xml, filter);
            xml.close("And");
        } else if (filter.conditions() == 1) {
            writeConditions(xml, filter);
        } else {
            xml.element("Prefix", "");
        }
        xml.close("Filter");
    }

    private static void writeConditions(XmlWriter xml, LifecycleFilter filter) {
        if (!filter.prefix().isEmpty()) {
            xml.element("Prefix", filter.prefix());
        }
        filter.tags()
                .forEach((key, value) -> xml.open("Tag")
                        .element("Key", key)
                        .element("Value", value)
                        .close("Tag"));
        filter.largerThan().ifPresent(size -> xml.element("ObjectSizeGreaterThan", size));
        filter.smallerThan().ifPresent(size -> xml.element("ObjectSizeLessThan", size));
    }
}
