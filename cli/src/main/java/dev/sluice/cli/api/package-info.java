/// Native calls: buckets, cluster map, health. Open NativeApi first.
@NullMarked
package dev.sluice.cli.api;

import org.jspecify.annotations.NullMarked;
