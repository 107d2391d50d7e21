/// A local cluster on one machine: started, stopped and looked at. Open ClusterUp first. Knows no picocli.
@NullMarked
package dev.sluice.cli.cluster;

import org.jspecify.annotations.NullMarked;
