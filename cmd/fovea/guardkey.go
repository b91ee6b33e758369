// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
)

// maxKeyFile is the number of bytes read from a public key file.
const maxKeyFile = 4096

func guardAdoptKeyCommand(s *session) *cobra.Command {
	var fingerprint string
	c := &cobra.Command{
		Use:   "adopt-key [FILE | LINE]",
		Short: "Trust the signatures of another machine",
		Long: `Adopt-key shows the fingerprint of another machine's public key, its file
key.pub or the line in it (- reads standard input), and with --fingerprint adds
it to trusted_keys in the configuration. Compare the fingerprint with what
adopt-key without an argument prints on that machine: that is this machine's own
key.`,
		Example: `  fovea guard adopt-key
  fovea guard adopt-key other.pub
  fovea guard adopt-key other.pub --fingerprint SHA256:...`,
		Args: cli.Args(0, 1, "a file key.pub or the line in it"),
		RunE: func(c *cobra.Command, a []string) error {
			own, err := config.MachineKey()
			if err != nil {
				return err
			}
			if len(a) == 0 { // no memex is needed
				return printKey(s, own, "the key of this machine")
			}
			if err := s.load(); err != nil {
				return err
			}
			key, err := givenKey(c.Context(), a[0])
			switch {
			case err != nil:
				return cli.Misuse{Err: err}
			case key.Line == own.Line:
				return printKey(s, key, "the key of this machine, which is always trusted")
			case fingerprint == "":
				return printKey(s, key, "not changed; compare the fingerprint, then run this again with --fingerprint")
			case s.config.Agent != "":
				return errors.New("only the owner decides which signatures are trusted")
			case fingerprint != key.Fingerprint:
				return cli.Misusef("the fingerprint is %s; this is not the key that you compared", key.Fingerprint)
			}
			file, err := s.config.TrustKey(key)
			if err != nil {
				return err
			}
			return printKey(s, key, "trusted in "+file+"; a running daemon follows within seconds")
		},
	}
	c.Flags().StringVar(&fingerprint, "fingerprint", "", "trust the key that has this `FINGERPRINT`")
	return c
}

// givenKey parses a public key given as text, as a file name, or as - for standard input.
func givenKey(ctx context.Context, word string) (config.PublicKey, error) {
	if key, err := config.ParsePublicKey(word); err == nil {
		return key, nil
	}
	text, err := cli.ReadUpTo(ctx, word, maxKeyFile)
	if err != nil {
		return config.PublicKey{}, err
	}
	return config.ParsePublicKey(text)
}

func printKey(s *session, key config.PublicKey, state string) error {
	return s.Answer(map[string]string{"name": key.Name, "fingerprint": key.Fingerprint, "key": key.Line, "state": state}, func() {
		s.Out.Printf("%s\nname         %s\nfingerprint  %s\n%s\n", key.Line, key.Name, key.Fingerprint, state)
	})
}
