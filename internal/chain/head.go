// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package chain

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/merkle"
)

// SignedHead is the content of a signed head: the chain that began with commit First had commit Commit at
// number Seq (doc/format/nodes.md).
type SignedHead struct {
	First  merkle.Digest // identifies the memex: every copy of its history has it
	Seq    uint64
	Commit merkle.Digest
	Root   merkle.Digest // of the state
	Time   time.Time     // of the commit, whole milliseconds
	Statements
}

// Statements are what ledgers state in a signed head: values by key.
type Statements struct{ values map[string]string }

// Add sets a statement. The key and the value are words without blanks; an empty value is no statement.
func (s *Statements) Add(key, value string) {
	if s.values == nil {
		s.values = map[string]string{}
	}
	if value != "" {
		s.values[key] = value
	}
}

// Get returns the value of a key, "" for none.
func (s *Statements) Get(key string) string { return s.values[key] }

const (
	headOrigin = "fovea head 0 " // begins the first line; the number is the format's
	// HeadTime is the layout of the time in a signed head.
	HeadTime = "2006-01-02T15:04:05.000Z"
)

func (h SignedHead) text() string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s%s\n%d\n%s\n%s\n%s\n", headOrigin, h.First, h.Seq, h.Commit, h.Root, h.Time.UTC().Format(HeadTime))
	for _, key := range slices.Sorted(maps.Keys(h.values)) {
		fmt.Fprintf(&text, "%s %s\n", key, h.values[key])
	}
	return text.String()
}

var errHead = errors.New("not a head of this version's format")

// maxStatements is the largest number of statements in a head.
const maxStatements = 8

// parseHead reads the output of text, and nothing else.
func parseHead(text string) (SignedHead, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 6 || len(lines) > 6+maxStatements || !strings.HasPrefix(lines[0], headOrigin) {
		return SignedHead{}, errHead
	}
	var h SignedHead
	var errs [5]error
	h.First, errs[0] = merkle.Parse(lines[0][len(headOrigin):])
	h.Seq, errs[1] = strconv.ParseUint(lines[1], 10, 64)
	h.Commit, errs[2] = merkle.Parse(lines[2])
	h.Root, errs[3] = merkle.Parse(lines[3])
	h.Time, errs[4] = time.Parse(HeadTime, lines[4])
	for _, line := range lines[5 : len(lines)-1] {
		key, value, _ := strings.Cut(line, " ")
		if key == "" || value == "" || strings.Contains(value, " ") || h.Get(key) != "" { // the order is compared below
			return SignedHead{}, errHead
		}
		h.Add(key, value)
	}
	if errors.Join(errs[:]...) != nil || h.text() != text {
		return SignedHead{}, errHead
	}
	return h, nil
}

// Untrusted is the reason why a signature does not count. Kind is that of a problem.
type Untrusted struct{ Kind, Reason string }

// The kinds that a later signature by a known key resolves.
const (
	UnknownKey = "unknown key"
	Unsigned   = "unsigned"
)

// Error returns the reason.
func (e *Untrusted) Error() string { return e.Reason }

// OpenHead reads a signed head and returns the key that signed it, NAME+HASH,
// one of known. Any error is an *Untrusted.
func OpenHead(signed string, known note.Verifiers) (h SignedHead, by string, err error) {
	if known == nil {
		known = note.VerifierList()
	}
	n, err := note.Open([]byte(signed), known)
	if none, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return h, "", &Untrusted{UnknownKey, fmt.Sprintf(
			"signed by %s, a key that is not known here; if it is yours, copy its key.pub here and trust it with fovea guard adopt-key",
			keyOf(none.Note.UnverifiedSigs[0]))}
	}
	if bad, ok := errors.AsType[*note.InvalidSignatureError](err); ok {
		return h, "", &Untrusted{"signature", fmt.Sprintf("the key %s+%08x did not sign this", bad.Name, bad.Hash)}
	}
	if err == nil {
		h, err = parseHead(n.Text)
	}
	if err != nil {
		return h, "", &Untrusted{"signature", "not a signed head: " + err.Error()}
	}
	return h, keyOf(n.Sigs[0]), nil
}

func keyOf(s note.Signature) string { return fmt.Sprintf("%s+%08x", s.Name, s.Hash) }

// signature begins each line of signatures under a note.
const signature = "— "

// SplitNotes splits a text of signed notes after the signatures of each.
func SplitNotes(text string) ([]string, error) {
	var notes []string
	var one strings.Builder
	last := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(last, signature) && !strings.HasPrefix(line, signature) {
			notes = append(notes, one.String())
			one.Reset()
		}
		if one.Len() > 0 || strings.TrimSpace(line) != "" {
			one.WriteString(line)
		}
		last = line
	}
	if strings.HasPrefix(last, signature) {
		notes = append(notes, one.String())
	} else if one.Len() > 0 {
		return nil, errors.New("it ends without a signature")
	}
	if len(notes) == 0 {
		return nil, errors.New("it holds no signed head; fovea head prints one")
	}
	return notes, nil
}
