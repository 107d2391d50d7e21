/// What `bench` can ask of an S3 endpoint: reads, writes, heads, listings and mixtures over a numbered set of objects.
@NullMarked
package dev.sluice.bench.workload;

import org.jspecify.annotations.NullMarked;
