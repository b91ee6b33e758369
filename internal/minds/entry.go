// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package minds

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"github.com/fovea-memory/fovea/ast"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/merkle"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// Owner is the author of entries that the owner gave. No agent can have this name.
const Owner = "owner"

// Entry is the feedback of one author on the notes that were shown for a question.
type Entry struct {
	ID       uint64        `json:"id"` // its number, from 1
	Time     time.Time     `json:"time"`
	By       string        `json:"by"`                // an agent, or Owner
	Session  string        `json:"session,omitempty"` // of the window
	Window   uint64        `json:"window,omitempty"`  // 0 for a search, or a window that is not recorded
	Question merkle.Digest `json:"question"`
	Version  int           `json:"features"`        // of the features, see recall.FeatureVersion
	Times    int           `json:"times,omitempty"` // number of entries about the same question that it replaced on its day
	Shown    []Shown       `json:"shown"`
}

// Shown is the feedback of an entry on one node.
type Shown struct {
	ID string `json:"id"`
	recall.Shown
}

// Useful counts the nodes that an entry calls useful.
func (e *Entry) Useful() int { return e.count(recall.Useful) }

// Against counts the nodes that an entry calls not useful.
func (e *Entry) Against() int { return e.count(recall.Against) }

func (e *Entry) count(v recall.Verdict) (n int) {
	for i := range e.Shown {
		if e.Shown[i].Verdict == v {
			n++
		}
	}
	return n
}

// MaxShown is the maximum number of nodes in an entry: those that it judges, and the best of the others.
const MaxShown = 24

// Judge adds nodes that were found for a question, best first, each with its verdict.
func (e *Entry) Judge(found []recall.Rankable, verdicts map[string]recall.Verdict) {
	judged, room := 0, MaxShown
	for _, r := range found {
		if verdicts[r.ID] != recall.Unsaid {
			judged++
		}
	}
	room -= min(judged, MaxShown)
	for _, r := range found {
		if verdicts[r.ID] == recall.Unsaid {
			if room--; room < 0 {
				continue
			}
		}
		if len(e.Shown) == MaxShown {
			break
		}
		s := Shown{r.ID, recall.Shown{Region: r.Region, Kind: short(r.Kind), Score: short(r.Score), Verdict: verdicts[r.ID]}}
		for _, x := range r.Features {
			s.Features = append(s.Features, short(x))
		}
		e.Shown = append(e.Shown, s)
	}
	e.Version = recall.FeatureVersion
}

// short rounds a number to the precision that is stored.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// event returns the training data of an entry.
func (e *Entry) event() recall.Event {
	out := recall.Event{Question: e.Question, Owner: e.By == Owner}
	for _, s := range e.Shown {
		out.Shown = append(out.Shown, s.Shown)
	}
	return out
}

// entryAttr is the attribute that holds an entry as JSON, in a tree of one element.
const entryAttr = "FEEDBACK"

func (e *Entry) tree() (*ast.Tree, error) {
	return working.Record("memory-feedback", working.FeedbackID(e.ID), entryAttr, e, "", "")
}

// decodeEntry reads an entry, nil if the text is not one. It does not check numbers.
func decodeEntry(text string) *Entry {
	var e Entry
	if err := json.Unmarshal([]byte(text), &e); err != nil || e.ID == 0 || e.By == "" || len(e.Shown) > MaxShown ||
		slices.ContainsFunc(e.Shown, func(s Shown) bool { return s.Verdict < recall.Against || s.Verdict > recall.Useful }) {
		return nil
	}
	return &e
}

// entryOf returns the entry that a node keeps, nil if it keeps none.
func entryOf(n *node.Node) *Entry {
	e := decodeEntry(document.Lookup(n.Attrs, entryAttr).String())
	if e == nil || n.Path != working.FeedbackPath(e.By, e.ID) {
		return nil
	}
	return e
}
