package dev.sluice.targetnode.encryption;

import dev.sluice.common.cluster.Bucket;
import dev.sluice.common.http.Answer;
import dev.sluice.common.peer.ObjectCall;
import dev.sluice.common.s3.Encryption;
import dev.sluice.common.s3.S3Failure;
import dev.sluice.common.s3.S3Request;
import dev.sluice.common.s3.WriteAttributes;
import dev.sluice.targetnode.coldfill.BucketBackends;

/// Which writes that ask for encryption at rest are taken, and what answers say of it. No object's record has anything
/// of it: where the drives are encrypted, all objects are.
public final class EncryptionAtRest {
    private final boolean drives;
    private final BucketBackends backends;

    /// @param drives whether the operator says that all drives are encrypted below Sluice
    public EncryptionAtRest(boolean drives, BucketBackends backends) {
        this.drives = drives;
        this.backends = backends;
    }

    /// Judged before a byte of the object is stored.
    ///
    /// @throws S3Failure NotImplemented where encryption is asked for, and neither the drives are encrypted nor the
    ///     bucket's cloud can be told to encrypt
    public void require(Bucket bucket, WriteAttributes attributes) {
        if (!attributes.encrypted()) {
            return;
        }
        if (bucket.backed()) {
            if (!backends.of(bucket).encryptsOnRequest()) {
                throw Encryption.notOfCloud(bucket.name());
            }
        } else if (!drives) {
            throw Encryption.notOfDrives();
        }
    }

    /// The answer with the header that S3 returns for each object of an encrypted bucket. In a cached bucket the cloud
    /// has the say.
    public Answer told(ObjectCall call, Answer answer) {
        return drives && !call.bucket().backed() && isOfObject(call.request())
                ? answer.with(Encryption.HEADER, Encryption.AES256)
                : answer;
    }

    /// Whether it reads or writes an object's bytes.
    private static boolean isOfObject(S3Request.OnObject request) {
        return switch (request) {
            case S3Request.GetObject _,
                    S3Request.HeadObject _,
                    S3Request.PutObject _,
                    S3Request.CopyObject _,
                    S3Request.CreateMultipartUpload _,
                    S3Request.UploadPart _,
                    S3Request.UploadPartCopy _,
                    S3Request.CompleteMultipartUpload _ -> true;
            case S3Request.GetObjectAcl _,
                    S3Request.PutObjectAcl _,
                    S3Request.GetObjectTagging _,
                    S3Request.GetObjectAttributes _,
                    S3Request.DeleteObject _,
                    S3Request.ListParts _,
                    S3Request.AbortMultipartUpload _ -> false;
        };
    }
}
