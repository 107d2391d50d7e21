package dev.sluice.common.s3.answer;

/// Who owns buckets and objects, as listings show it: one and the same for a whole cluster.
public record Owner(String id, String displayName) {
    void write(XmlWriter xml, String element) {
        xml.open(element).element("ID", id).element("DisplayName", displayName).close(element);
    }
}
