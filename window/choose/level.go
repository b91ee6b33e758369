// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package choose

import "fmt"

// Level is how much of a node is shown. The zero Level is "absent".
type Level uint8

// The levels, each showing more than the one before.
const (
	Absent  Level = iota
	Title         // heading line and id
	Snippet       // plus the paragraph that matches the request best
	Full          // plus planning, properties and the whole body
)

var levelNames = [...]string{Absent: "absent", Title: "title", Snippet: "snippet", Full: "full"}

// String returns the level's name: absent, title, snippet or full.
func (l Level) String() string {
	if int(l) < len(levelNames) {
		return levelNames[l]
	}
	return fmt.Sprintf("level(%d)", uint8(l))
}

// MarshalText returns the level's name; the error is always nil. It implements
// encoding.TextMarshaler.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets l to the named level. The error for an unknown name lists the
// known ones. It implements encoding.TextUnmarshaler.
func (l *Level) UnmarshalText(text []byte) error {
	for i, name := range levelNames {
		if name == string(text) {
			*l = Level(i)
			return nil
		}
	}
	return fmt.Errorf("level %q: use one of %v", text, levelNames)
}

// levelValues is the worth of each level as a share of the full node: a convention
// fixed together with the cross-reference measurement that uses it.
var levelValues = [...]float64{Absent: 0, Title: 0.2, Snippet: 0.5, Full: 1}

// Worth is the value of a level as a share of that of the full node.
func Worth(level Level) float64 { return levelValues[level] }
