/// What clients are told of encryption at rest. Open {@link dev.sluice.targetnode.encryption.EncryptionAtRest} first.
/// Depends on the S3 records, HTTP as values and the clouds of buckets only.
@NullMarked
package dev.sluice.targetnode.encryption;

import org.jspecify.annotations.NullMarked;
