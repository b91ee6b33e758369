// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// The system gives connections ports above these: on Linux from 32768, elsewhere from 49152.
const firstPort, ports = 20000, 12000

// FreePort returns a TCP port of the loopback interface at which nothing listens, for a program
// that must be told its port. No connection takes it before the program does, nor while the
// program is restarted, as happens to a port that the system chose.
func FreePort(tb testing.TB) int {
	tb.Helper()
	var err error
	for range 100 {
		port := firstPort + rand.IntN(ports)
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
