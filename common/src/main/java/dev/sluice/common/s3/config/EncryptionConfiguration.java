package dev.sluice.common.s3.config;

import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.parse.XmlBody;
import java.util.ArrayList;
import java.util.List;

/// The document of PutBucketEncryption. One can be put: AES256. It changes nothing where all drives are encrypted.
public final class EncryptionConfiguration {
    private static final String ROOT = "ServerSideEncryptionConfiguration";
    private static final String RULE = "Rule";
    private static final String DEFAULT = "ApplyServerSideEncryptionByDefault";

    private EncryptionConfiguration() {}

    /// @throws S3Failure for a document that says anything else
    public static void requireAes256(byte[] document) {
        var algorithms = new ArrayList<String>();
        var xml = XmlBody.open(document, ROOT);
        xml.children(name -> {
            if (!name.equals(RULE)) {
                throw Elements.unknown(name, ROOT);
            }
            algorithms.add(algorithm(xml));
        });
        xml.end();
        if (algorithms.size() != 1) {
            throw XmlBody.malformed("There must be one " + RULE);
        }
        var algorithm = algorithms.getFirst();
        if (algorithm.startsWith("aws:")) {
            throw S3Failure.notImplemented(
                    "SSEAlgorithm %s: KMS is not used. Put %s".formatted(algorithm, Encryption.AES256));
        }
        if (!algorithm.equals(Encryption.AES256)) {
            throw XmlBody.malformed("The SSEAlgorithm must be " + Encryption.AES256);
        }
    }

    private static String algorithm(XmlBody xml) {
        var found = new ArrayList<String>();
        xml.children(name -> {
            switch (name) {
                case DEFAULT -> byDefault(xml, found);
                case "BucketKeyEnabled" -> {
                    if (!xml.text().strip().equals("false")) {
                        throw S3Failure.notImplemented("BucketKeyEnabled: KMS is not used");
                    }
                }
                case "BlockedEncryptionTypes" -> throw S3Failure.notImplemented(name);
                default -> throw Elements.unknown(name, RULE);
            }
        });
        return Elements.atMostOne("SSEAlgorithm", found)
                .orElseThrow(() -> XmlBody.malformed("A " + RULE + " needs an SSEAlgorithm"));
    }

    private static void byDefault(XmlBody xml, List<String> found) {
        xml.children(name -> {
            switch (name) {
                case "SSEAlgorithm" -> found.add(xml.text().strip());
                case "KMSMasterKeyID" -> throw S3Failure.notImplemented("KMSMasterKeyID: KMS is not used");
                default -> throw Elements.unknown(name, DEFAULT);
            }
        });
    }
}
