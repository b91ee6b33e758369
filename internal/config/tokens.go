// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Token binds a secret to its bearer. Only the hash of the secret is stored.
type Token struct {
	Name  string    `json:"name"`
	Agent string    `json:"agent,omitempty"` // "" is the owner
	Role  string    `json:"role"`            // owner, agent or reader
	Hash  string    `json:"hash"`            // SHA-256 of the secret, in hexadecimal
	Made  time.Time `json:"made"`
	// Scopes are the projects and sessions that the bearer may name, such as project/river
	// or session/*; any if empty.
	Scopes []string `json:"scopes,omitempty"`
	// Paths are additional writable paths.
	Paths []string `json:"paths,omitempty"`
}

// Tokens holds the tokens of the file tokens.json in the folder of the configuration file.
// The zero value has none.
type Tokens struct {
	file string
	All  []Token
}

// Errors of Tokens.
var (
	ErrToken     = errors.New("the token is missing or unknown")
	ErrTokenName = errors.New("a token's name consists of letters, digits, - and _")
	ErrTokenMade = errors.New("a token of that name exists; fovea token remove NAME removes it")
	ErrNoToken   = errors.New("no token has that name; see fovea token list")
)

// tokensName is the file of the tokens, readable only by its owner.
const tokensName = "tokens.json"

// ReadTokens reads the tokens; there are none if the file is missing. It rejects a file that others can read or
// write.
func ReadTokens() (*Tokens, error) {
	t := &Tokens{file: ownFile(tokensName)}
	return t, t.read()
}

// read rereads the file.
func (t *Tokens) read() error {
	t.All = nil
	text, err := readUpTo(t.file, maxPrivate, others)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &t.All)
	}
	if err != nil {
		return fmt.Errorf("config: tokens: %s: %w", t.file, err)
	}
	return nil
}

// change rereads the file, changes the tokens and replaces the file durably, with other processes excluded.
func (t *Tokens) change(change func() error) error {
	if t.file == "" {
		return fmt.Errorf("config: tokens: %w", ErrNoHome)
	}
	return exclusively(filepath.Dir(t.file), func() error {
		if err := t.read(); err != nil {
			return err
		}
		if err := change(); err != nil {
			return err
		}
		all := append([]Token{}, t.All...) // an empty list is written as []
		text, err := json.MarshalIndent(all, "", "  ")
		if err == nil {
			err = vfs.WriteFile(t.file, append(text, '\n'), 0o600)
		}
		if err != nil {
			return fmt.Errorf("config: tokens: %w", err)
		}
		return nil
	})
}

// Add stores a token and returns its new secret, which is not stored. Errors: ErrTokenName, ErrTokenMade, and
// those of author.Check for its agent.
func (t *Tokens) Add(one Token) (string, error) {
	name := one.Name
	if !tokenName.MatchString(name) {
		return "", fmt.Errorf("config: token %q: %w", name, ErrTokenName)
	}
	if one.Agent != "" {
		if err := author.Check(one.Agent); err != nil {
			return "", fmt.Errorf("config: token %q: %w", name, err)
		}
	}
	secret := rand.Text()
	one.Hash, one.Made = hashOf(secret), one.Made.UTC().Truncate(time.Second)
	return secret, t.change(func() error {
		if t.index(name) >= 0 {
			return fmt.Errorf("config: token %q: %w", name, ErrTokenMade)
		}
		t.All = append(t.All, one)
		return nil
	})
}

// tokenName matches the names that tokens may have.
var tokenName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Remove deletes a token, or returns ErrNoToken.
func (t *Tokens) Remove(name string) error {
	return t.change(func() error {
		i := t.index(name)
		if i < 0 {
			return fmt.Errorf("config: token %q: %w", name, ErrNoToken)
		}
		t.All = slices.Delete(t.All, i, i+1)
		return nil
	})
}

func (t *Tokens) index(name string) int {
	return slices.IndexFunc(t.All, func(one Token) bool { return one.Name == name })
}

// Find returns the token of a secret, or ErrToken. Its time does not depend on the result.
func (t *Tokens) Find(secret string) (Token, error) {
	hash, found := []byte(hashOf(secret)), Token{}
	for _, one := range t.All {
		if subtle.ConstantTimeCompare(hash, []byte(one.Hash)) == 1 {
			found = one
		}
	}
	if found.Hash == "" || secret == "" {
		return Token{}, ErrToken
	}
	return found, nil
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}
