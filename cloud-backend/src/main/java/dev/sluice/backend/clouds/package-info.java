/// All the clouds there are: opens the backend that a connection leads to. The only package that knows both `s3`
/// and `gcs`.
@NullMarked
package dev.sluice.backend.clouds;

import org.jspecify.annotations.NullMarked;
