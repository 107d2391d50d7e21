package dev.sluice.proxy.gateway;

import dev.sluice.common.auth.Caller;
import dev.sluice.common.checksum.ChecksumAlgorithm;
import dev.sluice.common.http.Bodies;
import dev.sluice.common.http.ByteSource;
import dev.sluice.common.http.RequestHead;
import dev.sluice.common.s3.S3Code;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.common.s3.body.BodyDecoder;
import dev.sluice.common.s3.body.ReceivedDigests;
import dev.sluice.common.store.StoreException;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// Request bodies that are documents: read whole up to a limit, checked as the caller's signature promises.
public final class RequestBodies {
    private RequestBodies() {}

    public static byte[] read(RequestHead head, Caller caller, ByteSource body, int limit) {
        if (head.contentLength() > limit) {
            throw tooLarge(limit);
        }
        try (var decoded = BodyDecoder.open(body, head, caller.body())) {
            return Bodies.read(decoded, limit);
        } catch (Bodies.TooLarge e) {
            throw tooLarge(limit);
        } catch (IOException e) {
            throw new StoreException.IncompleteBody("The body broke off: " + e.getMessage());
        }
    }

    /// @throws StoreException.BadDigest when the document is not the promised one
    public static void verify(byte[] document, Map<ChecksumAlgorithm, String> checksums, Optional<String> contentMd5) {
        ReceivedDigests.verify(
                document,
                new WriteAttributes(new TreeMap<>(), new TreeMap<>(), contentMd5, checksums, Optional.empty()));
    }

    private static S3Failure tooLarge(int limit) {
        return new S3Failure(
                S3Code.MAX_MESSAGE_LENGTH_EXCEEDED, "Your request was too big: more than %d bytes.".formatted(limit));
    }
}
