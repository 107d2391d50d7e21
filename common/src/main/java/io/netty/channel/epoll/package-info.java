/// Of Netty's package what it does not offer to others: no more than that.
@NullMarked
package io.netty.channel.epoll;

import org.jspecify.annotations.NullMarked;
