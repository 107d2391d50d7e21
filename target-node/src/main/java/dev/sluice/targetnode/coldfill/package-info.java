/// Buckets before a cloud: objects that are not here yet (one fetch, streamed to everyone who waits while it is
/// stored), and writes that the cloud must have first. Open {@link dev.sluice.targetnode.coldfill.ColdFill} first,
/// then `WriteThrough`. May depend on `storage`, `answer`, `bucket` and `cloud-backend`; the only package here that
/// asks clouds.
@NullMarked
package dev.sluice.targetnode.coldfill;

import org.jspecify.annotations.NullMarked;
