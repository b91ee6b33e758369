// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"

	"github.com/spf13/cobra"
)

// completeStatus adds to the verb status what is known without a memory: the stores of this
// user, and the process that serves the memory.
func completeStatus(s *session, c *cobra.Command) {
	all, run := false, c.RunE
	c.RunE = func(c *cobra.Command, a []string) error {
		if all {
			return listStores(s)
		}
		err := run(c, a)
		if err == nil && !s.JSON {
			printServed(c.Context(), s)
		}
		return err
	}
	c.Flags().BoolVar(&all, "all", false, "list the stores of all memexes of this user")
}

// printServed prints the process id of the daemon that answered, if one did.
func printServed(ctx context.Context, s *session) {
	if s.daemon == nil {
		return
	}
	if h, err := s.daemon.Hello(ctx); err == nil {
		s.Out.Printf("served by  process %d\n", h.PID)
	}
}
