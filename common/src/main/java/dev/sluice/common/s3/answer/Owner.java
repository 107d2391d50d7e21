package dev.sluice.common.s3.answer;

/// Who owns buckets and objects, as listings show it: one and the same for a whole cluster.
public record Owner(String id, String displayName) {
    /// There are no accounts: everything belongs to the cluster.
    public static final Owner SLUICE = new Owner("sluice", "sluice");

    void write(XmlWriter xml, String element) {
        xml.open(element);
        writeNames(xml);
        xml.close(element);
    }

    void writeNames(XmlWriter xml) {
        xml.element("ID", id).element("DisplayName", displayName);
    }
}
