/// The native calls under `/v1`: buckets, drives, scrubs, jobs, usage. Open {@link dev.sluice.proxy.api.NativeApi}
/// first. May
/// depend on `s3` and `gateway`.
@NullMarked
package dev.sluice.proxy.api;

import org.jspecify.annotations.NullMarked;
