/// A small S3 client: signed requests, streamed objects, multipart, listing. Open S3Client first.
@NullMarked
package dev.sluice.cli.s3;

import org.jspecify.annotations.NullMarked;
