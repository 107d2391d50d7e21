/// A forwarder that makes a local S3 endpoint as slow as a distant one, and counts what is asked of it.
@NullMarked
package dev.sluice.cli.demo.cloud;

import org.jspecify.annotations.NullMarked;
