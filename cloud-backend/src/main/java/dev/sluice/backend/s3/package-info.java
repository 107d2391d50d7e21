/// S3 buckets, through the AWS SDK. Open {@link dev.sluice.backend.s3.S3Backend} first.
@NullMarked
package dev.sluice.backend.s3;

import org.jspecify.annotations.NullMarked;
