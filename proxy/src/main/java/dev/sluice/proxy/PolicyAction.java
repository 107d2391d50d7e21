package dev.sluice.proxy;

import dev.sluice.common.s3.S3Request;
import java.util.Optional;

/// What policies call each request.
final class PolicyAction {
    static final String GET_OBJECT = "s3:GetObject";
    static final String DELETE_OBJECT = "s3:DeleteObject";
    static final String DELETE_BUCKET = "s3:DeleteBucket";

    private PolicyAction() {}

    static String of(S3Request.OnObject request) {
        return switch (request) {
            case S3Request.GetObject _, S3Request.HeadObject _ -> GET_OBJECT;
            case S3Request.GetObjectAcl _ -> "s3:GetObjectAcl";
            case S3Request.GetObjectTagging _ -> "s3:GetObjectTagging";
            case S3Request.DeleteObject _ -> DELETE_OBJECT;
            case S3Request.AbortMultipartUpload _ -> "s3:AbortMultipartUpload";
            case S3Request.ListParts _ -> "s3:ListMultipartUploadParts";
            case S3Request.PutObject _,
                    S3Request.CopyObject _,
                    S3Request.CreateMultipartUpload _,
                    S3Request.UploadPart _,
                    S3Request.UploadPartCopy _,
                    S3Request.CompleteMultipartUpload _ -> "s3:PutObject";
        };
    }

    /// Empty for what a policy cannot deny: a bucket that is yet to be made has none; whoever could not change a policy
    /// that denies everything would be locked out by it; DeleteObjects is judged key by key.
    static Optional<String> of(S3Request.OnBucket request) {
        return switch (request) {
            case S3Request.CreateBucket _,
                    S3Request.GetBucketPolicy _,
                    S3Request.PutBucketPolicy _,
                    S3Request.DeleteBucketPolicy _,
                    S3Request.DeleteObjects _ -> Optional.empty();
            case S3Request.HeadBucket _, S3Request.ListObjects _ -> Optional.of("s3:ListBucket");
            case S3Request.ListObjectVersions _ -> Optional.of("s3:ListBucketVersions");
            case S3Request.ListMultipartUploads _ -> Optional.of("s3:ListBucketMultipartUploads");
            case S3Request.DeleteBucket _ -> Optional.of(DELETE_BUCKET);
            case S3Request.GetBucketLocation _ -> Optional.of("s3:GetBucketLocation");
            case S3Request.GetBucketVersioning _ -> Optional.of("s3:GetBucketVersioning");
            case S3Request.GetBucketSetting question ->
                Optional.of(question.setting().action());
        };
    }
}
