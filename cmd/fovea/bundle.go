// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// verified is the answer of bundle verify.
type verified struct {
	Scopes []ops.BundleScope `json:"scopes"`
	Loaded bool              `json:"loaded"` // whether every state was computed again
	Signed string            `json:"signed"` // the signed head of the memex, "" for none
}

func bundleVerifyCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "verify FILE",
		Short: "Verify a bundle, without a memory",
		Long: `Verify reads the whole bundle: it hashes each block, checks whether any is
missing, and computes each state of the history again. The states of a bundle
that was written with --since cannot be computed without the earlier history.`,
		Example: "  fovea bundle verify ~/backup/notes.fovea",
		Args:    cli.Args(1, 1, "a file"),
		RunE: func(c *cobra.Command, a []string) error {
			f, err := vfs.OpenPlain(a[0], os.O_RDONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			if s.config, err = config.Load(s.flags, ""); err != nil {
				s.config = config.Config{} // no memex is needed
			}
			r, err := ops.Unsealed(f, localOf(&s.config).Seals)
			if err != nil {
				return err
			}
			done := s.Working()
			p, err := fovea.VerifyBundle(c.Context(), r, &fovea.Options{Formats: s.config.Formats(), Log: s.log()})
			done()
			if err != nil {
				return err
			}
			return s.Answer(verified{p.Scopes, p.Loaded, p.Signed}, func() {
				face.ShowBundle(s.Out, p.Scopes)
				if p.Loaded {
					s.Report("the bundle is whole, and every commit leads to the state that it names")
				} else {
					s.Report("the bundle is whole; it continues a history that is not in it, so its states were not computed")
				}
			})
		},
	}
}

func bundleKeyCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "key",
		Short: "Print the recipient that other machines seal for",
		Long: `Key prints the age recipient of this machine, to name in seal_for on another
one, and the path of the key that opens data sealed for it. Keep a copy of that
file in a safe place.`,
		Example: "  fovea bundle key",
		Args:    cli.NoArguments,
		RunE: func(*cobra.Command, []string) error {
			s.config, _ = config.Load(s.flags, "") // no memex is needed
			k, err := s.config.Seals()
			if err != nil {
				return err
			}
			return s.Answer(struct {
				Recipient string `json:"recipient"`
				File      string `json:"file"`
			}{k.Public, k.File}, func() {
				s.Out.Printf("%s\n", k.Public)
				s.Report("the key is %s", k.File)
			})
		},
	}
}

func remoteServeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "serve FOLDER",
		Short: "Serve a remote in a folder to a machine that connects by SSH",
		Long: `Serve is what "fovea remote add NAME ssh://HOST/FOLDER" runs on the other
machine. It reads requests from standard input and answers on standard output,
until the input ends. It serves only the objects of a remote in FOLDER.`,
		Example: "  ssh box fovea remote serve /srv/notes",
		Args:    cli.Args(1, 1, "a folder"),
		RunE: func(c *cobra.Command, a []string) error {
			if err := outsideNotes(a[0]); err != nil {
				return err
			}
			p, err := place.OpenFolder(a[0])
			if err != nil {
				return err
			}
			defer p.Close()
			return place.Serve(c.Context(), p, c.InOrStdin(), c.OutOrStdout())
		},
	}
}

// outsideNotes refuses a place in the folder of a memex of this user: a person who names the notes of
// another machine wants to synchronize with them, and would only put files beside them.
func outsideNotes(dir string) error {
	abs, err := filepath.Abs(dir)
	base := storesDir()
	if err != nil || base == "" {
		return err
	}
	all, err := stores.List(base)
	for i := 0; i < len(all) && err == nil; i++ {
		if all[i].Memex != "" && ops.Inside(abs, all[i].Memex) {
			err = cli.Misusef("remote serve: %s is a folder of the notes themselves; name one outside, "+
				"and add it as a remote on that machine too", dir)
		}
	}
	return err
}
