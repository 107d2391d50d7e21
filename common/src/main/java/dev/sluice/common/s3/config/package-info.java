/// What buckets are configured with by documents of S3, as values: the rules for requests from web pages of other
/// origins (CORS), and the rules for when objects expire (lifecycle). Pure functions of the documents, no I/O. Open
/// [dev.sluice.common.s3.config.LifecycleRules] first. Depends on HTTP as values, the S3 records, `parse` and `answer`.
@NullMarked
package dev.sluice.common.s3.config;

import org.jspecify.annotations.NullMarked;
