// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

// pipes is a listener at which somebody always waits.
type pipes struct{}

func (pipes) Accept() (net.Conn, error) { c, _ := net.Pipe(); return c, nil }
func (pipes) Close() error              { return nil }
func (pipes) Addr() net.Addr            { return nil }

// TestACrowdWaits: no more connections are accepted than are to be open at once, one
// that was closed makes room once, and nobody waits at a listener that is closed.
func TestACrowdWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listenAtMost(pipes{}, 2)
		var open []net.Conn
		var end error
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					end = err
					return
				}
				open = append(open, c)
			}
		}()
		synctest.Wait()
		if len(open) != 2 {
			t.Fatalf("%d are open at once", len(open))
		}
		first := open[0]
		_ = first.Close()
		_ = first.Close()
		synctest.Wait()
		if len(open) != 3 {
			t.Errorf("%d were accepted after one was closed twice, want 3", len(open))
		}
		_ = l.Close()
		_ = l.Close()
		synctest.Wait()
		if !errors.Is(end, net.ErrClosed) {
			t.Errorf("at the end: %v", end)
		}
	})
}
