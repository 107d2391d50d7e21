/// The S3 protocol: requests as closed sets of records, conditions, failures and what they become. Open {@link
/// dev.sluice.common.s3.S3Request} first. Depends on `checksum`, `name` and `store`; its packages parse, read bodies,
/// list and answer.
@NullMarked
package dev.sluice.common.s3;

import org.jspecify.annotations.NullMarked;
