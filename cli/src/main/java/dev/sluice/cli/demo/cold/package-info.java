/// `sluice bench-cold`: what a first read through Sluice costs beside one from the cloud. Open `ColdComparison` first.
@NullMarked
package dev.sluice.cli.demo.cold;

import org.jspecify.annotations.NullMarked;
