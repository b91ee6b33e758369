// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Files of the key, in the folder of the configuration file.
const (
	keyName    = "key"     // the private key, mode 0600
	publicName = "key.pub" // the line for another machine's trusted_keys
)

// Keys sign heads and verify their signatures.
type Keys struct {
	// Signer signs with this machine's key; nil if there is no usable one.
	Signer note.Signer
	// Public is the line by which other machines trust that key; "" without a Signer.
	Public string
	// Verifiers accept that key and those of trusted_keys.
	Verifiers note.Verifiers
	// Problem explains why there is no Signer, and what to do; "" if there is one.
	Problem string
}

// Keys reads this machine's Ed25519 key from the file key in the folder of the configuration file, and creates it
// with mode 0600 if missing. It rejects a key that others can read, since they could sign as well. Concurrent
// processes get the same key.
func (c *Config) Keys() Keys {
	var k Keys
	lines := slices.Clone(c.TrustedKeys)
	signer, public, err := machineKey()
	if err != nil {
		k.Problem = fmt.Sprintf("config: %v; new commits are not signed", err)
	} else {
		k.Signer, k.Public, lines = signer, public, append(lines, public)
	}
	known := map[string]note.Verifier{} // package note rejects a key that is listed twice
	for _, line := range lines {
		if v, err := note.NewVerifier(line); err == nil { // Load has rejected invalid ones
			known[fmt.Sprintf("%s+%08x", v.Name(), v.KeyHash())] = v
		}
	}
	k.Verifiers = note.VerifierList(slices.Collect(maps.Values(known))...)
	return k
}

// machineKey returns the signing key, and the line by which others trust it.
func machineKey() (note.Signer, string, error) {
	file, secret, err := readOrMake(keyName, "signs heads", func() (string, error) {
		secret, _, err := note.GenerateKey(rand.Reader, machineName())
		return secret, err
	})
	if err != nil {
		return nil, "", err
	}
	signer, public, err := parseKey(secret)
	if err != nil {
		return nil, "", fmt.Errorf("%s is not a key (%w); put a copy of it back, or move it away to get a new one", file, err)
	}
	return signer, public, publish(filepath.Dir(file), public)
}

// Limits of a file with secrets: its size, and the permissions that it must not have.
const maxPrivate, others = 1 << 20, 0o077

// parseKey returns the signer, and the public key as in trusted_keys, of a private key in
// package note's format: PRIVATE+KEY+NAME+HASH+BASE64.
func parseKey(secret string) (note.Signer, string, error) {
	signer, err := note.NewSigner(secret)
	if err != nil {
		return nil, "", errors.New("malformed, or of another algorithm than Ed25519")
	}
	// Base64 may hold a plus, names may not.
	data, _ := base64.StdEncoding.DecodeString(strings.SplitN(secret, "+", 5)[4]) // NewSigner has decoded it
	key := ed25519.NewKeyFromSeed(data[1:]).Public().(ed25519.PublicKey)
	public, err := note.NewEd25519VerifierKey(signer.Name(), key)
	return signer, public, err
}

// readOrMake returns the private key in a file of the configuration folder, and the path of the file. does describes
// the key in errors. A missing key is made, and synced before it is used; a key that another process made
// meanwhile is kept.
func readOrMake(name, does string, make func() (string, error)) (file, key string, err error) {
	if file = ownFile(name); file == "" {
		return "", "", fmt.Errorf("the key that %s has no place: set HOME or XDG_CONFIG_HOME", does)
	}
	text, err := readUpTo(file, maxPrivate, others)
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = make(); err == nil {
			err = createFile(file, key+"\n")
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", "", fmt.Errorf("cannot create the key %s: %w", file, err)
		}
		text, err = readUpTo(file, maxPrivate, others)
	}
	if err != nil {
		err = fmt.Errorf("the key: %w", err)
	}
	return file, strings.TrimSpace(string(text)), err
}

// createFile writes a new file that nobody else can read. An existing file is an error.
func createFile(file, text string) error {
	in, err := vfs.CreateDir(filepath.Dir(file), 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	staged, err := vfs.Stage(in, filepath.Base(file), 0o600, nil, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
	if err != nil {
		return err
	}
	return staged.Create()
}

// publish writes the public key to key.pub unless the file has it.
func publish(folder, public string) error {
	file := filepath.Join(folder, publicName)
	if text, err := vfs.ReadPlain(file); err == nil && strings.TrimSpace(string(text)) == public {
		return nil
	}
	if err := vfs.WriteFile(file, []byte(public+"\n"), 0o644); err != nil {
		return fmt.Errorf("the public key cannot be written: %w", err)
	}
	return nil
}

// unsigned matches characters that the name of a key must not have.
var unsigned = regexp.MustCompile(`[^-._0-9A-Za-z]+`)

// machineName returns the key's name: the host name without characters that a signature does not allow.
func machineName() string {
	host, _ := os.Hostname()
	name := unsigned.ReplaceAllString(host, "")
	return "fovea-" + name[:min(len(name), maxNameBytes)]
}

// sealName is the file of the key that opens bundles sealed for this machine, mode 0600.
const sealName = "seal.key"

// SealKeys are the recipients of bundles, and the key that opens them.
type SealKeys struct {
	// Own is the key of this machine.
	Own place.Identity
	// For lists this machine and those of seal_for.
	For []place.Recipient
	// Public is the line for seal_for of other machines, to seal for this one.
	Public string
	// File is the path of the key.
	File string
}

// Seals reads the X25519 key in the file seal.key, in the folder of the configuration file, and creates it with
// mode 0600 if missing. A bundle that is sealed for this machine alone is lost with that key. It rejects a key
// that others can read.
func (c *Config) Seals() (SealKeys, error) {
	file, text, err := readOrMake(sealName, "opens bundles", func() (string, error) {
		key, err := place.NewKey()
		if err != nil {
			return "", err
		}
		return key.String(), nil
	})
	if err != nil {
		return SealKeys{}, fmt.Errorf("config: %w", err)
	}
	key, err := place.ParseKey(text)
	if err != nil {
		return SealKeys{}, fmt.Errorf("config: %s: %w; put a copy of it back, or move it away to get a new one", file, err)
	}
	k := SealKeys{Own: key, For: []place.Recipient{key.Recipient()}, Public: key.Recipient().String(), File: file}
	for _, other := range c.SealFor {
		to, err := place.ParseRecipient(other) // Load has rejected invalid ones
		if err != nil {
			return SealKeys{}, fmt.Errorf("config: seal_for: %w", err)
		}
		k.For = append(k.For, to)
	}
	return k, nil
}
