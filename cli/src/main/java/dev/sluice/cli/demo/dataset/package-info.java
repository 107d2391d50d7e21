/// The demo's data set: rendered pictures with labels in WebDataset tar shards, and the digests they must have.
@NullMarked
package dev.sluice.cli.demo.dataset;

import org.jspecify.annotations.NullMarked;
