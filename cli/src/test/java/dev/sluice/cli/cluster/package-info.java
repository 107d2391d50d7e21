/// Tests of dev.sluice.cli.cluster.
@NullMarked
package dev.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;
