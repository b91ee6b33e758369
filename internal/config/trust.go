// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// PublicKey is the key of a machine, from its file key.pub.
type PublicKey struct {
	Line string // as in trusted_keys
	Name string // chosen by the machine; not authenticated
	// Fingerprint is SHA256: and the hash of the line in base64, to be compared with the one that the
	// machine itself shows.
	Fingerprint string
}

// ErrPublicKey is returned for a text that is not a public key.
var ErrPublicKey = errors.New("not a public key; give the line of the other machine's file key.pub")

// errByHand is returned if the edit could change more than the one key. The file stays unchanged.
var errByHand = errors.New("the file cannot be changed safely; add the line to trusted_keys by hand")

// ParsePublicKey parses the line of a file key.pub. It returns ErrPublicKey.
func ParsePublicKey(text string) (PublicKey, error) {
	line := strings.TrimSpace(text)
	v, err := note.NewVerifier(line)
	if err != nil || strings.ContainsAny(line, "\n\r") {
		return PublicKey{}, fmt.Errorf("config: %w", ErrPublicKey)
	}
	sum := sha256.Sum256([]byte(line))
	return PublicKey{line, v.Name(), "SHA256:" + base64.RawStdEncoding.EncodeToString(sum[:])}, nil
}

// MachineKey returns this machine's public key and creates the key if missing.
func MachineKey() (PublicKey, error) {
	_, public, err := machineKey()
	if err != nil {
		return PublicKey{}, fmt.Errorf("config: %w", err)
	}
	return ParsePublicKey(public)
}

// TrustKey adds a key to trusted_keys in the configuration file, which it creates if missing, and returns the
// file's name. It keeps every other byte of the file and does not add a key twice. If it cannot add to
// trusted_keys safely, it returns an error and does not change the file.
func (c *Config) TrustKey(key PublicKey) (string, error) {
	if slices.Contains(c.TrustedKeys, key.Line) {
		return c.File, nil
	}
	name, err := c.edit(func(text string) (string, error) { return withKey(text, key.Line) })
	if err == nil {
		c.TrustedKeys = append(c.TrustedKeys, key.Line)
	}
	return name, err
}

// edit rewrites the configuration file, or creates it, and returns its name. The mode is 0600, because the file
// may hold secrets.
func (c *Config) edit(change func(text string) (string, error)) (string, error) {
	name := cmp.Or(c.File, ownFile(defaultName))
	if name == "" {
		return "", fmt.Errorf("config: no place for a configuration file: %w", ErrNoHome)
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // keep the link
	}
	err := exclusively(filepath.Dir(name), func() error {
		old, err := vfs.ReadPlain(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text, err := change(string(old))
		if err != nil {
			return err
		}
		return vfs.WriteFile(name, []byte(text), 0o600)
	})
	if err != nil {
		return name, fmt.Errorf("config: %s: %w", name, err)
	}
	c.File = name
	return name, nil
}

// keysBegin matches the beginning of the list of trusted keys, as people write it.
var keysBegin = regexp.MustCompile(`(?m)^[ \t]*trusted_keys[ \t]*=[ \t]*\[`)

// withKey adds a key at the start of the list trusted_keys. It returns an error if the parsed result differs by
// more than the key.
func withKey(text, line string) (string, error) {
	want, is := map[string]any{}, map[string]any{}
	if _, err := toml.Decode(text, &want); err != nil {
		return "", err
	}
	keys, isList := want["trusted_keys"].([]any)
	if want["trusted_keys"] != nil && !isList {
		return "", errByHand
	}
	out := "trusted_keys = [" + strconv.Quote(line) + "]\n" + text
	if at := keysBegin.FindStringIndex(text); at != nil {
		comma := map[bool]string{true: ", "}[len(keys) > 0]
		out = text[:at[1]] + strconv.Quote(line) + comma + text[at[1]:]
	}
	want["trusted_keys"] = append([]any{line}, keys...)
	if _, err := toml.Decode(out, &is); err != nil || !reflect.DeepEqual(want, is) {
		return "", errByHand
	}
	return out, nil
}

const (
	// lockName locks the files in the configuration folder that are read, changed and
	// written back.
	lockName = ".lock"
	// lockWait bounds the wait for another command's change, which takes milliseconds.
	lockWait = 10 * time.Second
)

// exclusively runs change while no other process changes a file of the configuration folder, which it creates if
// missing, so that change replaces exactly what it has read.
func exclusively(folder string, change func() error) error {
	in, err := vfs.CreateDir(folder, 0o700)
	if err != nil {
		return err
	}
	defer in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	lock, err := vfs.LockFile(ctx, in, lockName, vfs.Holder{PID: os.Getpid(), Command: "fovea", Since: time.Now()})
	if err != nil {
		return err
	}
	return errors.Join(change(), lock.Unlock())
}
