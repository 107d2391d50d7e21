package dev.sluice.common.s3.answer;

import dev.sluice.common.s3.S3Error;
import java.nio.ByteBuffer;
import java.util.List;

/// The result of DeleteObjects: what became of each key.
public final class DeleteObjectsXml {
    private DeleteObjectsXml() {}

    /// A key that could not be deleted.
    public record Failed(String key, S3Error error) {}

    /// @param quiet only the failures are listed
    public static ByteBuffer of(List<String> deleted, List<Failed> failed, boolean quiet) {
        var xml = XmlWriter.document("DeleteResult", 256 + (quiet ? 0 : 128 * deleted.size()));
        if (!quiet) {
            for (var key : deleted) {
                xml.open("Deleted").element("Key", key).close("Deleted");
            }
        }
        for (var failure : failed) {
            xml.open("Error")
                    .element("Key", failure.key())
                    .element("Code", failure.error().code())
                    .element("Message", failure.error().message())
                    .close("Error");
        }
        return xml.close("DeleteResult").finish();
    }
}
