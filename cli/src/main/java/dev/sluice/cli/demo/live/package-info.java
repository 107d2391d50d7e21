/// The demo's clusters as real processes: one that plays the cloud, and the one that is shown. Open
/// `LiveStarter` first.
@NullMarked
package dev.sluice.cli.demo.live;

import org.jspecify.annotations.NullMarked;
