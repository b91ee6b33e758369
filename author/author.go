// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of an author.
type Kind uint8

// The kinds of authors. The zero Kind belongs to the zero Author, which is no author.
const (
	Owner Kind = iota + 1 // the owner of the memory
	File                  // a file saved by an editor or another program
	Agent                 // a program with a name
	Fovea                 // Fovea itself, for the merge of two histories
)

var kindNames = [...]string{Owner: "owner", File: "file", Agent: "agent", Fovea: "fovea"}

// String returns owner, file, agent or fovea; "" for the zero Kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// ParseKind returns the kind whose String is word, and false for any other word.
func ParseKind(word string) (Kind, bool) {
	for k := Owner; k <= Fovea; k++ {
		if kindNames[k] == word {
			return k, true
		}
	}
	return 0, false
}

// Author is the author of a change. Authors are comparable with ==. The zero Author is
// no author.
type Author struct {
	Kind Kind
	Name string // of an agent; "" for the other kinds
}

// Named returns the agent of that name, without checking the name as Check does.
func Named(name string) Author { return Author{Agent, name} }

// IsZero reports whether a is the zero Author.
func (a Author) IsZero() bool { return a == Author{} }

// String returns the printed form: owner, file, fovea, or the bare name of an agent. An
// agent with a name that Check rejects, such as one from an old history, is printed as
// agent "NAME", quoted in ASCII.
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

// ErrAuthor is returned for a text that is not the name of an author.
var ErrAuthor = errors.New(`no author has that name; use owner, file, fovea, or the name of an agent as fovea log prints it`)

// Parse parses the printed form of an author. It also accepts person for owner, and
// agent NAME for any agent. Errors: ErrAuthor.
func Parse(text string) (Author, error) {
	switch kind, _ := ParseKind(text); {
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
