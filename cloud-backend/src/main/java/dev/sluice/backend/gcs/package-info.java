/// Google Cloud Storage buckets, through Google's client. Open {@link dev.sluice.backend.gcs.GcsBackend} first.
@NullMarked
package dev.sluice.backend.gcs;

import org.jspecify.annotations.NullMarked;
