/// What the demo found out: as a table, as JSON, and as one self-contained HTML page.
@NullMarked
package dev.sluice.cli.demo.report;

import org.jspecify.annotations.NullMarked;
