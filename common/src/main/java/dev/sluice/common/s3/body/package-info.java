/// From the body as it came to the object's bytes: the framings of S3 (plain, aws-chunked, signed or not) and what they
/// promise. Open {@link dev.sluice.common.s3.body.BodyDecoder} first.
@NullMarked
package dev.sluice.common.s3.body;

import org.jspecify.annotations.NullMarked;
