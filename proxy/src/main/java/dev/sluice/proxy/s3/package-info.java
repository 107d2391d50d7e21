/// S3's requests: who may do what, and where each goes. Open {@link dev.sluice.proxy.s3.S3Gateway} first. May depend
/// on `gateway`.
@NullMarked
package dev.sluice.proxy.s3;

import org.jspecify.annotations.NullMarked;
