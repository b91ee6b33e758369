// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// MaxName is the largest length in bytes of an agent's name.
const MaxName = 64

// Errors of Check.
var (
	ErrName     = errors.New("an agent's name is 1 to 64 of the characters a-z, 0-9, - and _, and begins with a letter or digit")
	ErrReserved = errors.New("that name could be mistaken for an author who is not an agent; choose another one, such as claude")
)

// reserved are the shapes of words for a kind of author, or for the user.
var reserved = map[string]bool{}

func init() {
	for word := range strings.FieldsSeq("owner person human user me self file fovea agent agents merge admin root system") {
		reserved[shapeOf(word)] = true
	}
}

// Check returns nil if an agent may have the name. Otherwise the error wraps ErrName or
// ErrReserved and suggests a valid name if possible. Only lower-case ASCII letters are
// allowed, so that names do not look alike and do not share a folder on a
// case-insensitive disk. Words for other kinds of authors are reserved, also with - and
// _ inserted or letters replaced by digits, as in 0wner.
func Check(name string) error {
	if !wellFormed(name) {
		near := slug(name)
		if near == "" || Check(near) != nil {
			return fmt.Errorf("agent %s: %w", strconv.QuoteToASCII(name), ErrName)
		}
		return fmt.Errorf("agent %s: %w; write %s", strconv.QuoteToASCII(name), ErrName, near)
	}
	if reserved[shapeOf(name)] {
		return fmt.Errorf("agent %s: %w", name, ErrReserved)
	}
	return nil
}

// wellFormed reports whether a name has a valid length and only valid characters.
func wellFormed(name string) bool {
	for i := range len(name) {
		letter := 'a' <= name[i] && name[i] <= 'z' || '0' <= name[i] && name[i] <= '9'
		if !letter && (i == 0 || name[i] != '-' && name[i] != '_') {
			return false
		}
	}
	return 0 < len(name) && len(name) <= MaxName
}

// lookalikes maps ASCII characters and pairs to the character they resemble.
var lookalikes = strings.NewReplacer(
	"-", "", "_", "", "rn", "m", "vv", "w",
	"0", "o", "1", "i", "l", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g",
)

// shapeOf returns the visual shape of a name: names that look alike have equal shapes.
func shapeOf(name string) string { return lookalikes.Replace(lookalikes.Replace(name)) }

// slug reduces a text to lower-case letters, digits and hyphens; "" if it has none.
func slug(text string) string {
	parts := strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	name := strings.Join(parts, "-")
	return strings.TrimRight(name[:min(len(name), MaxName)], "-")
}

// clientPrefix starts every name that ForClient makes, and no name that it keeps.
const clientPrefix = "agent-"

// ForClient returns the agent for an MCP client with a name, and whether the agent's name
// differs from it. A name that Check accepts is kept, unless it starts with
// agent- or taken reports that it belongs to another agent. Any other name becomes
// agent-, its letters and digits, and eight hex digits of its SHA-256, so that clients
// with different names are different agents. "" becomes agent-unnamed. A nil taken
// reports no name as taken.
func ForClient(name string, taken func(name string) bool) (a Author, changed bool) {
	if name == "" {
		return Named(clientPrefix + "unnamed"), true
	}
	if Check(name) == nil && !strings.HasPrefix(name, clientPrefix) && (taken == nil || !taken(name)) {
		return Named(name), false
	}
	sum := sha256.Sum256([]byte(name))
	middle := slug(name)
	if maxLen := MaxName - len(clientPrefix) - 9; len(middle) > maxLen {
		middle = strings.TrimRight(middle[:maxLen], "-")
	}
	if middle != "" {
		middle += "-"
	}
	return Named(clientPrefix + middle + hex.EncodeToString(sum[:4])), true
}
