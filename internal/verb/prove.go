// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package verb

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
)

func headCommand(s *Session) *cobra.Command {
	return verb(s, &cobra.Command{
		Short: "Print the newest commit, signed, to keep elsewhere",
		Long: `Head prints the newest commit as a note signed with the key of this machine.
Keep it where a program that changes the state folder cannot change it: "fovea
verify --anchor" then checks that the history still has that commit.`,
		Example: "  fovea head >>anchors.txt",
	}, api.OpHead, nil, func(h *api.Head) { fmt.Fprint(s.Out, h.Note) })
}

func verifyCommand(s *Session) *cobra.Command {
	var anchors []string
	var req api.VerifyRequest
	c := &cobra.Command{
		Use:   "verify",
		Short: "Verify the whole memory from its bytes",
		Long: `Verify replays the journal from nothing, hashes every block and node again,
checks every signature and compares. With --anchor the history must also have
each commit that a file of signed heads names ("fovea head" prints them), or it
is stale or forked. With --files each file must hold what the memory does. It
writes nothing but what a scan finds. The exit code is 4 if something is wrong.
Content that a commit records as purged, thinned or lost is reported, and is no
error.`,
		Example: `  fovea verify --json
  fovea verify --anchor anchors.txt`,
		Args: NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			for _, name := range anchors {
				text, err := ReadFile(c.Context(), name)
				if err != nil {
					return err
				}
				req.Anchors = append(req.Anchors, text)
			}
			r, err := Call(s, c, api.OpVerify, req)
			if err != nil {
				return err
			}
			err = s.Answer(r, func() { printVerify(s.Out, r) })
			if err == nil && !r.OK {
				err = fault.Wrap("verify", "", fault.Corrupt, errors.New("not everything is as it should be"))
			}
			return err
		},
	}
	addFlags(c, reflect.ValueOf(&req).Elem())
	c.Flags().StringArrayVar(&anchors, "anchor", nil, "compare with the signed heads in this `FILE` (-: standard input)")
	return c
}
