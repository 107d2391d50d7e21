/// What S3 clients are answered: errors and XML documents. Open {@link dev.sluice.common.s3.answer.S3Responses} first.
/// Depends on the S3 records, the listing and HTTP as values.
@NullMarked
package dev.sluice.common.s3.answer;

import org.jspecify.annotations.NullMarked;
