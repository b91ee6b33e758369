// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fovea-memory/fovea/internal/vfs"
)

// witnessFolder is the folder next to the key with a file for each store whose head was signed.
const witnessFolder = "signed"

// Witness records next to the key which stores it has signed. It implements fovea.Witness.
type Witness struct{ folder string }

// witnessed is the content of a file.
type witnessed struct {
	Store string `json:"store"`
	Memex string `json:"memex"`
	Head  string `json:"head"` // a signed note
}

// Witness returns the record of signed heads, nil if there is no configuration folder.
func (c *Config) Witness() *Witness {
	if folder := ownFile(witnessFolder); folder != "" {
		return &Witness{folder}
	}
	return nil
}

// file returns the name of a store's file.
func (w *Witness) file(store string) string {
	if abs, err := filepath.Abs(store); err == nil {
		store = abs
	}
	sum := sha256.Sum256([]byte(store))
	return filepath.Join(w.folder, fmt.Sprintf("%x.json", sum[:12]))
}

// Signed returns the recorded signed head of a store, "" for none. A record that exists but
// cannot be read, such as a dangling link, is an error.
func (w *Witness) Signed(store string) (string, error) {
	if _, err := os.Stat(w.folder); !there(w.folder) || err == nil && !there(w.file(store)) {
		return "", nil
	}
	known, err := record(w.file(store))
	if err == nil && known.Head == "" {
		err = errors.New("it has no head")
	}
	if err != nil {
		return "", fmt.Errorf("config: %s: %w", w.file(store), err)
	}
	return known.Head, nil
}

// record reads a file.
func record(name string) (known witnessed, err error) {
	text, err := vfs.ReadPlain(name)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	return known, err
}

// there reports whether anything is at a path, even a dangling link.
func there(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Remember replaces the record of a store, atomically and durably. An empty head removes the
// records of the store and of the scopes in it.
func (w *Witness) Remember(store, memex, head string) error {
	if head == "" {
		return w.forget(store)
	}
	text, err := json.Marshal(witnessed{store, memex, head})
	if err == nil {
		err = vfs.WriteFile(w.file(store), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}

// forget removes the records of a store and of the folders in it.
func (w *Witness) forget(store string) error {
	entries, err := os.ReadDir(w.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("config: %w", err)
	}
	for _, e := range entries {
		name := filepath.Join(w.folder, e.Name())
		known, unread := record(name)
		rel, outside := filepath.Rel(store, known.Store)
		if name != w.file(store) && (unread != nil || outside != nil || !filepath.IsLocal(rel)) {
			continue
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("config: %w", err)
		}
	}
	return nil
}
