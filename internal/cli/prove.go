// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
)

func verifyHook(_ *Session, c *cobra.Command, req *api.VerifyRequest) func([]string) error {
	anchors := c.Flags().StringArray("anchor", nil, "compare with the signed heads in this `FILE` (-: standard input)")
	return func([]string) error {
		for _, name := range *anchors {
			text, err := ReadFile(c.Context(), name)
			if err != nil {
				return err
			}
			req.Anchors = append(req.Anchors, text)
		}
		return nil
	}
}

func proveHook(s *Session, c *cobra.Command, req *api.ProofRequest) func([]string) error {
	var checked api.CheckProofRequest
	var files struct {
		From  string `flag:"--from the signed head in this <FILE> is the earlier one"`
		To    string `flag:"--to the signed head in this <FILE> is the later one (default the newest)"`
		Check string `flag:"--check check the proof in this <FILE> (-: standard input)"`
	}
	AddFlags(c.Flags(), &checked)
	AddFlags(c.Flags(), &files)
	for _, other := range []string{"from", "at", "absent"} {
		c.MarkFlagsMutuallyExclusive("check", other)
	}
	run := c.RunE
	c.RunE = func(c *cobra.Command, a []string) (err error) {
		if files.Check == "" {
			return run(c, a)
		}
		if checked.Proof, err = ReadFile(c.Context(), files.Check); err != nil {
			return err
		}
		return checkProof(s, c, checked)
	}
	return func([]string) (err error) {
		for _, head := range []struct {
			name string
			text *string
		}{{files.From, &req.From}, {files.To, &req.To}} {
			if head.name != "" && err == nil {
				*head.text, err = ReadFile(c.Context(), head.name)
				if err == nil && strings.TrimSpace(*head.text) == "" {
					err = Misusef("%s is empty; give a file with a signed head, as fovea head prints it", head.name)
				}
			}
		}
		return err
	}
}

// checkProof needs a memory only for its trusted keys.
func checkProof(s *Session, c *cobra.Command, req api.CheckProofRequest) error {
	var v *api.Verdict
	if req.Key == "" {
		if _, err := s.Service(c.Context()); err != nil {
			return fmt.Errorf("%w; with the signer's key, --key KEY checks it without a memory", err)
		}
		var err error
		if v, err = Call(s, c, api.OpCheckProof, req); err != nil {
			return err
		}
	} else {
		key, err := verifier(c, req.Key)
		if err != nil {
			return err
		}
		v = api.CheckProof([]byte(req.Proof), note.VerifierList(key))
	}
	if !v.Holds {
		return fault.Wrap("check proof", "", fault.Corrupt, errors.New(v.Why))
	}
	return s.show(face.Of(api.OpCheckProof.Operation), req, v)
}

// verifier returns the public key in the value of --key: the line itself, or a file with it.
func verifier(c *cobra.Command, given string) (note.Verifier, error) {
	key, err := note.NewVerifier(given)
	if err == nil {
		return key, nil
	}
	line, fileErr := ReadFile(c.Context(), given)
	if fileErr == nil {
		key, err = note.NewVerifier(strings.TrimSpace(line))
	}
	if err != nil {
		return nil, Misusef("--key: %s is neither a public key nor a file with one; give key.pub of the machine that signed, or the line in it", given)
	}
	return key, nil
}
