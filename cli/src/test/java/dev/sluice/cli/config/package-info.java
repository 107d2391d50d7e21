/// Tests of dev.sluice.cli.config.
@NullMarked
package dev.sluice.cli.config;

import org.jspecify.annotations.NullMarked;
