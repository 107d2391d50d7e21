/// The settings of a node and of a local cluster: TOML files into checked records. Open NodeConfig first.
@NullMarked
package dev.sluice.cli.config;

import org.jspecify.annotations.NullMarked;
