// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"testing"
)

// The system gives connections ports above these: on Linux from 32768, elsewhere from 49152.
const firstPort, ports = 20000, 12000

// tried is the number of the last port that this process has tried; the first one is random.
var tried = rand.Uint32N(ports)

// FreePort returns a TCP port of the loopback interface at which nothing listens, another one each
// time, for a program that needs to know its port. No connection uses it before the program does, or
// while the program restarts, as may happen to a port that the system has chosen.
func FreePort(tb testing.TB) int {
	tb.Helper()
	var err error
	for range 100 {
		port := firstPort + int(atomic.AddUint32(&tried, 1)%ports)
		var listener net.Listener
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			err = listener.Close()
		}
		if err == nil {
			return port
		}
	}
	tb.Fatalf("no free port: %v", err)
	return 0
}

// freeAddress is FreePort as host and port.
func freeAddress(tb testing.TB) string {
	tb.Helper()
	return fmt.Sprintf("127.0.0.1:%d", FreePort(tb))
}
