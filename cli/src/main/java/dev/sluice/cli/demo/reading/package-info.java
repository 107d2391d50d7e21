/// Training-style reading: workers stream shards in random order and check every record.
@NullMarked
package dev.sluice.cli.demo.reading;

import org.jspecify.annotations.NullMarked;
