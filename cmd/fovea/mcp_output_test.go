// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// TestStalledClient: a message that nobody reads ends the server after a bounded time, and
// one that is read late does not.
func TestStalledClient(t *testing.T) {
	for name, after := range map[string]time.Duration{"in time": maxUnread - time.Second, "never": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				in, out := io.Pipe()
				ended := false
				u := &unread{out, func() {
					ended = true
					in.Close()
				}}
				if after > 0 {
					time.AfterFunc(after, func() { _, _ = io.ReadFull(in, make([]byte, 2)) })
				}
				begun := time.Now()
				_, err := u.Write([]byte("{}"))
				if ended != (after == 0) || (err != nil) != ended || time.Since(begun) > maxUnread {
					t.Errorf("ended %v after %v: %v", ended, time.Since(begun), err)
				}
			})
		})
	}
}
