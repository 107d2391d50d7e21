/// The S3 protocol: requests as closed sets of records, errors, XML. Open {@link dev.sluice.common.s3.S3Request} first.
@NullMarked
package dev.sluice.common.s3;

import org.jspecify.annotations.NullMarked;
