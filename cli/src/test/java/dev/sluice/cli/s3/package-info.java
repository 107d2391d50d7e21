/// Tests of dev.sluice.cli.s3.
@NullMarked
package dev.sluice.cli.s3;

import org.jspecify.annotations.NullMarked;
