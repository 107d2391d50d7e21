package dev.sluice.common.s3.answer;

import dev.sluice.common.s3.S3Error;
import java.nio.ByteBuffer;

/// S3's error document.
public final class ErrorXml {
    private ErrorXml() {}

    /// @param resource the path as the client wrote it
    public static ByteBuffer document(S3Error error, String resource, String requestId) {
        return write(new XmlWriter(512).ascii(XmlWriter.DECLARATION), error, resource, requestId);
    }

    /// Without the declaration: for an answer whose declaration (and white space to keep the client waiting) is out.
    public static ByteBuffer element(S3Error error, String resource, String requestId) {
        return write(new XmlWriter(512), error, resource, requestId);
    }

    private static ByteBuffer write(XmlWriter xml, S3Error error, String resource, String requestId) {
        xml.open("Error").element("Code", error.code()).element("Message", error.message());
        for (int i = 0; i < error.values().size(); i++) {
            xml.element(error.kind().elements().get(i), error.values().get(i));
        }
        return xml.element("Resource", resource)
                .element("RequestId", requestId)
                .close("Error")
                .finish();
    }
}
