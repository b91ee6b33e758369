// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fovea

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/merkle"
)

// chainHead is what a signed head says: that the chain which began with commit
// first had commit at number seq (doc/format/nodes.md).
type chainHead struct {
	first  merkle.Digest // names the memex: every copy of its history has it
	seq    uint64
	commit merkle.Digest
	root   merkle.Digest // of the state
	time   time.Time     // of the commit, whole milliseconds
	attested
}

// attested is what a signed head says of protected files besides.
type attested struct {
	// baselines is what was trusted: the digest of their Book, noBaselines where
	// nothing vouched for that, "" where there is none.
	baselines string
	told      string // the digest of which changes the owner was told of, "" for none
}

const (
	headOrigin = "fovea head 0 " // begins the first line; the number is the format's
	headTime   = "2006-01-02T15:04:05.000Z"

	headBaselines = "baselines " // begins the line about them
	noBaselines   = "none"
	headTold      = "told " // begins the line about what the owner was told of
)

func (h chainHead) text() string {
	text := fmt.Sprintf("%s%s\n%d\n%s\n%s\n%s\n", headOrigin, h.first, h.seq, h.commit, h.root, h.time.UTC().Format(headTime))
	if h.baselines != "" {
		text += headBaselines + h.baselines + "\n"
	}
	if h.told != "" {
		text += headTold + h.told + "\n"
	}
	return text
}

var errHead = errors.New("not a head of this version's format")

// parseHead reads what text writes, and nothing else.
func parseHead(text string) (chainHead, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 6 || len(lines) > 8 || !strings.HasPrefix(lines[0], headOrigin) {
		return chainHead{}, errHead
	}
	var h chainHead
	var errs [5]error
	h.first, errs[0] = merkle.Parse(lines[0][len(headOrigin):])
	h.seq, errs[1] = strconv.ParseUint(lines[1], 10, 64)
	h.commit, errs[2] = merkle.Parse(lines[2])
	h.root, errs[3] = merkle.Parse(lines[3])
	h.time, errs[4] = time.Parse(headTime, lines[4])
	for _, line := range lines[5 : len(lines)-1] {
		if told, is := strings.CutPrefix(line, headTold); is {
			h.told = told
		} else {
			h.baselines = strings.TrimPrefix(line, headBaselines)
		}
	}
	if errors.Join(errs[:]...) != nil || h.text() != text {
		return chainHead{}, errHead
	}
	return h, nil
}

// untrusted says why a signature does not count. Its kind is that of a problem.
type untrusted struct{ kind, reason string }

// The kinds that a later signature of a known key mends.
const (
	unknownKey = "unknown key"
	unsigned   = "unsigned"
)

func (e *untrusted) Error() string { return e.reason }

// openHead reads a signed head and returns the key that signed it, NAME+HASH,
// one of known. Any error is an *untrusted.
func openHead(signed string, known note.Verifiers) (h chainHead, by string, err error) {
	if known == nil {
		known = note.VerifierList()
	}
	n, err := note.Open([]byte(signed), known)
	if none, ok := errors.AsType[*note.UnverifiedNoteError](err); ok {
		return h, "", &untrusted{unknownKey, fmt.Sprintf(
			"signed by %s, a key that is not known here; if it is yours, add the line of its key.pub to trusted_keys in the configuration",
			keyOf(none.Note.UnverifiedSigs[0]))}
	}
	if bad, ok := errors.AsType[*note.InvalidSignatureError](err); ok {
		return h, "", &untrusted{"signature", fmt.Sprintf("the key %s+%08x did not sign this", bad.Name, bad.Hash)}
	}
	if err == nil {
		h, err = parseHead(n.Text)
	}
	if err != nil {
		return h, "", &untrusted{"signature", "not a signed head: " + err.Error()}
	}
	return h, keyOf(n.Sigs[0]), nil
}

func keyOf(s note.Signature) string { return fmt.Sprintf("%s+%08x", s.Name, s.Hash) }

// signature begins each line of signatures under a note.
const signature = "— "

// splitNotes cuts a text of signed notes behind the signatures of each.
func splitNotes(text string) ([]string, error) {
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
