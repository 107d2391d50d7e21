/// `sluice demo`: a data set in a slow cloud, read by training workers through the proxy. Open `Demo` first.
@NullMarked
package dev.sluice.cli.demo;

import org.jspecify.annotations.NullMarked;
