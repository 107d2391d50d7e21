/// From the bytes of an HTTP request to {@link dev.sluice.common.s3.S3Request}, and the XML bodies clients send. Open
/// {@link dev.sluice.common.s3.parse.S3RequestParser} first. Depends on the S3 records, the listing and HTTP as values.
@NullMarked
package dev.sluice.common.s3.parse;

import org.jspecify.annotations.NullMarked;
