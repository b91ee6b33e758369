// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/mod/sumdb/note"

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
				err = fault.Errorf("verify", "", fault.Corrupt, "not everything is as it should be")
			}
			return err
		},
	}
	AddFlags(c.Flags(), &req)
	c.Flags().StringArrayVar(&anchors, "anchor", nil, "compare with the signed heads in this `FILE` (-: standard input)")
	return c
}

func proveCommand(s *Session) *cobra.Command {
	var req api.ProofRequest
	var checked api.CheckProofRequest
	var files struct {
		From  string `flag:"--from the signed head in this <FILE> is the earlier one"`
		To    string `flag:"--to the signed head in this <FILE> is the later one (default the newest)"`
		Check string `flag:"--check check the proof in this <FILE> (-: standard input)"`
	}
	c := &cobra.Command{
		Use:   "prove ID",
		Short: "Prove what was in memory, to those who have none of it",
		Long: `Prove prints a proof that the note with these bytes stands in memory, or stood
there at a moment; with --absent, that no note with this id was there. The proof
is one line, has the note and a signed head in it, and shows no other note. With
--from it proves that the history of one signed head ("fovea head" prints them)
contains all of that of an earlier one.

--check prints what a proof proves, and whose key vouches for it. Without Fovea,
check it in a clone of the repository: "go run ./proof/verify FILE key.pub".`,
		Example: `  fovea prove 'Rain gauge' --at 2026-11-20 >gauge.proof
  fovea prove no-such-id --absent
  fovea prove --from anchor.txt
  fovea prove --check gauge.proof
  fovea prove --check gauge.proof --key key.pub`,
		Args: Args(0, 1, "at most one node"),
	}
	AddFlags(c.Flags(), &req)
	AddFlags(c.Flags(), &checked)
	AddFlags(c.Flags(), &files)
	c.MarkFlagsMutuallyExclusive("check", "from")
	c.MarkFlagsMutuallyExclusive("check", "at")
	c.MarkFlagsMutuallyExclusive("check", "absent")
	c.RunE = func(c *cobra.Command, a []string) (err error) {
		takeArguments(reflect.ValueOf(&req).Elem(), a)
		if files.Check != "" {
			checked.Proof, err = ReadFile(c.Context(), files.Check)
			if err != nil {
				return err
			}
			return checkProof(s, c, checked)
		}
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
		if err != nil {
			return err
		}
		return Ask(s, c, api.OpProve, req, func(p *api.Proof) {
			fmt.Fprint(s.Out, p.Proof)
			s.Report("proved: %s; signed by %s", p.Claim, p.Key)
		})
	}
	return c
}

// checkProof needs a memory only for the keys that it knows.
func checkProof(s *Session, c *cobra.Command, req api.CheckProofRequest) error {
	var v *api.Verdict
	if req.Key == "" {
		if _, err := s.Service(c.Context()); err != nil {
			return fmt.Errorf("%w; --key KEY, of who signed the proof, checks it without a memory", err)
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
	return s.Answer(v, func() {
		fmt.Fprintln(s.Out, s.Out.Fold("proved: "+v.Claim, 2))
		fmt.Fprintf(s.Out, "signed by %s\n", v.Key)
		if v.Note != "" {
			fmt.Fprintf(s.Out, "\n%s", v.Note)
		}
	})
}

// verifier returns the public key that --key gives: the line itself, or the file that has it.
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
