// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fovea-memory/fovea/internal/archive"
)

// sealName is the file of the key that opens what is sealed for this machine, mode 0600.
const sealName = "seal.key"

// SealKeys are what bundles are sealed for, and what opens them.
type SealKeys struct {
	// Own is the key of this machine.
	Own archive.Identity
	// For are this machine and those of seal_for.
	For []archive.Recipient
	// Public is what other machines name in seal_for to seal for this one.
	Public string
	// File is where the key is kept.
	File string
}

// Seals reads the X25519 key in the file seal.key, in the folder of the configuration file, and
// creates it with mode 0600 if it is missing. env is os.Getenv if nil, as in Load. A bundle
// that is sealed for this machine alone is lost with that key. A key that others can read is
// refused.
func (c *Config) Seals(env func(string) string) (SealKeys, error) {
	folder := keyFolder(environmentOr(env))
	if folder == "" {
		return SealKeys{}, errors.New("config: the key that opens bundles has no place: set HOME or XDG_CONFIG_HOME")
	}
	file := filepath.Join(folder, sealName)
	text, err := readOrMake(folder, sealName, func() (string, error) {
		key, err := archive.NewKey()
		if err != nil {
			return "", err
		}
		return key.String(), nil
	})
	if err != nil {
		return SealKeys{}, fmt.Errorf("config: %w", err)
	}
	key, err := archive.ParseKey(strings.TrimSpace(text))
	if err != nil {
		return SealKeys{}, fmt.Errorf("config: %s: %w; put a copy of it back, or move it away to get a new one", file, err)
	}
	k := SealKeys{Own: key, For: []archive.Recipient{key.Recipient()}, Public: key.Recipient().String(), File: file}
	for _, other := range c.SealFor {
		to, err := archive.ParseRecipient(other) // Load has rejected invalid ones
		if err != nil {
			return SealKeys{}, fmt.Errorf("config: seal_for: %w", err)
		}
		k.For = append(k.For, to)
	}
	return k, nil
}
