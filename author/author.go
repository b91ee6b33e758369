// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind is what an author is.
type Kind uint8

// The kinds of authors. The zero Kind is that of the zero Author, who is nobody.
const (
	Owner Kind = iota + 1 // the person whose memory it is
	File                  // found in a file: an editor or another program saved it
	Agent                 // a program that bears a name
	Fovea                 // Fovea itself: the merge of two histories
)

var kindNames = [...]string{Owner: "owner", File: "file", Agent: "agent", Fovea: "fovea"}

// String returns owner, file, agent or fovea; "" for the zero Kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// KindNamed returns the kind that String prints as a word, false for any other word.
func KindNamed(word string) (Kind, bool) {
	for k := Owner; k <= Fovea; k++ {
		if kindNames[k] == word {
			return k, true
		}
	}
	return 0, false
}

// Author is who made a change. Authors are compared with ==. The zero Author is
// nobody.
type Author struct {
	Kind Kind
	Name string // of an agent; "" for the other kinds
}

// Named returns the agent of a name. It does not ask whether an agent may bear that
// name, see Check: any agent is an agent.
func Named(name string) Author { return Author{Agent, name} }

// IsZero reports whether the author is nobody.
func (a Author) IsZero() bool { return a == Author{} }

// String returns the printed form: owner, file, fovea, or the bare name of an agent.
// An agent whose name Check refuses, such as one of an old history, prints as the
// word agent and the name in quotes, in ASCII.
func (a Author) String() string {
	if a.Kind != Agent {
		return a.Kind.String()
	}
	if Check(a.Name) == nil {
		return a.Name
	}
	return agentPrefix + strconv.QuoteToASCII(a.Name)
}

const agentPrefix = "agent "

// ErrAuthor is returned for a text that names no author.
var ErrAuthor = errors.New(`no author is called that; use owner, file, fovea, or the name of an agent as fovea log prints it`)

// Parse reads the printed form of an author. It also takes person for owner, and
// agent NAME for any agent. Errors: ErrAuthor.
func Parse(text string) (Author, error) {
	switch kind, _ := KindNamed(text); {
	case text == "person":
		return Author{Kind: Owner}, nil
	case kind != 0 && kind != Agent:
		return Author{Kind: kind}, nil
	}
	name, spelled := strings.CutPrefix(text, agentPrefix)
	if spelled && strings.HasPrefix(name, `"`) {
		name, err := strconv.Unquote(name)
		if err != nil {
			return Author{}, fmt.Errorf("author %s: %w", strconv.QuoteToASCII(text), ErrAuthor)
		}
		return Named(name), nil
	}
	if !spelled && Check(name) != nil {
		return Author{}, fmt.Errorf("author %s: %w", strconv.QuoteToASCII(text), ErrAuthor)
	}
	return Named(name), nil
}

// OfText returns the author that histories before commit format 2 meant by a text:
// person was the owner, file what was found in files, merge Fovea itself, and
// anything else an agent.
func OfText(text string) Author {
	switch text {
	case "person":
		return Author{Kind: Owner}
	case "file":
		return Author{Kind: File}
	case "merge":
		return Author{Kind: Fovea}
	}
	return Named(text)
}
