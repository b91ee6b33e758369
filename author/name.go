// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// MaxName is how many bytes the name of an agent may have.
const MaxName = 64

// Errors of Check.
var (
	ErrName     = errors.New("an agent's name is 1 to 64 of the characters a-z, 0-9, - and _, and begins with a letter or digit")
	ErrReserved = errors.New("that name would read as somebody who is no agent; choose another one, such as claude")
)

// reserved are the words that mean a kind of author, or the person at the keyboard.
var reserved = []string{
	"owner", "person", "human", "user", "me", "self",
	"file", "fovea", "agent", "agents", "merge",
	"admin", "root", "system",
}

// Check returns nil where an agent may bear a name, else why not: it wraps ErrName or
// ErrReserved and says what to write instead where that is known. Small ASCII letters
// alone are allowed, so that no two names look alike, or share a folder on a disk that
// does not tell A from a. A word that means another kind of author is refused, also
// with - and _ in it, or spelled with digits, such as 0wner.
func Check(name string) error {
	if !plain(name) {
		near := words(name)
		if near == "" || Check(near) != nil {
			return fmt.Errorf("agent %s: %w", strconv.QuoteToASCII(name), ErrName)
		}
		return fmt.Errorf("agent %s: %w; write %s", strconv.QuoteToASCII(name), ErrName, near)
	}
	shape := shapeOf(name)
	if slices.ContainsFunc(reserved, func(word string) bool { return shapeOf(word) == shape }) {
		return fmt.Errorf("agent %s: %w", name, ErrReserved)
	}
	return nil
}

// plain reports whether a name has the characters of one.
func plain(name string) bool {
	for i := range len(name) {
		letter := 'a' <= name[i] && name[i] <= 'z' || '0' <= name[i] && name[i] <= '9'
		if !letter && (i == 0 || name[i] != '-' && name[i] != '_') {
			return false
		}
	}
	return 0 < len(name) && len(name) <= MaxName
}

// looks are the ASCII characters, and pairs, that are taken for another one.
var looks = strings.NewReplacer(
	"-", "", "_", "", "rn", "m", "vv", "w",
	"0", "o", "1", "i", "l", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g",
)

// shapeOf is what a name looks like: names that a reader confuses have one shape.
func shapeOf(name string) string { return looks.Replace(looks.Replace(name)) }

// words makes small letters, digits and hyphens of a text, "" where it has none.
func words(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(parts, "-")
	return strings.TrimRight(name[:min(len(name), MaxName)], "-")
}

// changedPrefix begins each name that ForClient has made, and no other one that it
// returns.
const changedPrefix = "agent-"

// ForClient returns the agent that an MCP client is by the name that it gives itself,
// and whether that is another name than the client's. A name that Check allows stays,
// unless it begins as changed ones do, or taken reports that somebody else has it. Of
// any other one the agent is called agent-, the letters and digits of the name, and
// eight digits of its SHA-256: two clients of different names are different agents.
// "" is the agent agent-unnamed. nil takes no name.
func ForClient(name string, taken func(name string) bool) (a Author, changed bool) {
	if name == "" {
		return Named(changedPrefix + "unnamed"), true
	}
	if Check(name) == nil && !strings.HasPrefix(name, changedPrefix) && (taken == nil || !taken(name)) {
		return Named(name), false
	}
	sum := sha256.Sum256([]byte(name))
	middle := words(name)
	if most := MaxName - len(changedPrefix) - 9; len(middle) > most {
		middle = strings.TrimRight(middle[:most], "-")
	}
	if middle != "" {
		middle += "-"
	}
	return Named(changedPrefix + middle + hex.EncodeToString(sum[:4])), true
}
