/// From the body as it came to the object's bytes: the framings of S3 (plain, aws-chunked, signed or not), and all that
/// is computed and compared while they pass. Open {@link dev.sluice.common.s3.body.BodyDecoder} first. May depend on
/// `auth`, `checksum`, `http`, `s3` and `store`.
@NullMarked
package dev.sluice.common.s3.body;

import org.jspecify.annotations.NullMarked;
