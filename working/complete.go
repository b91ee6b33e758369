// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/text"
)

// Limits of a block.
const (
	maxID       = 512     // bytes of an id
	maxBlock    = 1 << 18 // bytes of a block as JSON
	previewSize = 100     // characters of a message's preview
	maxRelated  = 1000    // related ids of a context
)

// Complete returns the block with its defaults, at the time of adding it. Paths must already be relative.
// The error is of kind Invalid and names what to correct.
func (b Block) Complete(now time.Time) (Block, error) {
	b.Type, b.Priority = Type(strings.ToLower(string(b.Type))), b.Priority.inWords()
	if err := b.check(now); err != nil {
		return b, fault.Wrap("block", clip(cmp.Or(b.ID, string(b.Type)), maxID), fault.Invalid, err)
	}
	b.Timestamp = cmp.Or(b.Timestamp, now).UTC().Truncate(time.Millisecond)
	b.Confidence = cmp.Or(b.Confidence, new(1.0))
	switch b.Type {
	case Task:
		b.Status = cmp.Or(b.Status, "pending")
		b.TaskID = cmp.Or(b.TaskID, digestOf(b.Description))
	case Message:
		b.Preview = beginning(b.Preview)
	case Knowledge:
		b.Relevance = cmp.Or(b.Relevance, new(0.5))
	}
	b.Priority = cmp.Or(b.Priority, b.defaultPriority())
	if b.Type == Message && b.Priority == Critical {
		b.Priority = High // the text of others is never pinned
	}
	b.ID = cmp.Or(b.ID, b.defaultID())
	text, err := json.Marshal(b)
	switch {
	case len(b.ID) > maxID:
		return b, fault.Errorf("block", clip(b.ID, 32)+"…", fault.Invalid, "an id is at most %d bytes long; give a shorter one", maxID)
	case !isName(b.ID):
		err = errName
	case err != nil:
		err = fmt.Errorf("the value or the metadata is not JSON: %w", err)
	case len(text) > maxBlock:
		err = fmt.Errorf("it has %d bytes, but the limit is %d; keep long text in a file", len(text), maxBlock)
	}
	return b, fault.Wrap("block", b.ID, fault.Invalid, err)
}

func (b *Block) defaultPriority() Priority {
	switch {
	case b.Type == ROM:
		return Critical
	case b.Type == Status, b.Type == Task, b.Type == Message && !b.Read:
		return High
	default:
		return Medium
	}
}

// defaultID names the block by what it is about; of history, by its time and text.
func (b *Block) defaultID() string {
	switch b.Type {
	case File:
		return strings.TrimSuffix(b.Location+":"+b.Lines(), ":")
	case ROM:
		return "rom:" + b.Location
	case Status:
		return "status:" + b.StatusType
	case Task:
		return "task:" + b.TaskID
	case Message:
		return "message:" + cmp.Or(b.FullPath, digestOf(b.FromAgent, b.ToAgent, b.Subject, b.Preview))
	case Knowledge:
		return "knowledge:" + cmp.Or(b.Location, digestOf(b.Topic, b.Subtopic))
	case History:
		return "history:" + b.Timestamp.UTC().Format("20060102T150405") + "-" + digestOf(b.Timestamp.String(), b.ActionType, b.ActionDetail, b.Result)
	default:
		return "context:" + cmp.Or(b.ContextType, digestOf(b.Summary))
	}
}

// digestOf returns a short digest of texts.
func digestOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d:%s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
}

// beginning returns the first characters of a text, on one line.
func beginning(of string) string {
	return text.First(strings.Join(strings.Fields(of), " "), previewSize)
}

// check returns an error for an invalid block.
func (b *Block) check(now time.Time) error {
	switch {
	case !slices.Contains(Types, b.Type):
		return fmt.Errorf("there is no type %q; use one of %s", b.Type, joined(Types))
	case b.Priority != "" && !slices.Contains(Priorities, b.Priority):
		return fmt.Errorf("there is no priority %q; use one of %s, or 1 to 4", b.Priority, joined(Priorities))
	case !isShare(b.Confidence):
		return fmt.Errorf("the confidence %v is not between 0 and 1", *b.Confidence)
	case !isShare(b.Relevance):
		return fmt.Errorf("the relevance_score %v is not between 0 and 1", *b.Relevance)
	case !b.Expiry.IsZero() && !b.Expiry.After(now):
		return fmt.Errorf("the expiry %s has passed; it is %s now", b.Expiry.Format(time.RFC3339), now.Format(time.RFC3339))
	case len(b.RelatedIDs) > maxRelated:
		return fmt.Errorf("it has %d related_ids, but the limit is %d", len(b.RelatedIDs), maxRelated)
	case !isName(b.ID):
		return errName
	}
	if err := b.checkFields(); err != nil {
		return err
	}
	return b.checkLines()
}

// checkLines returns an error for an invalid range of lines.
func (b *Block) checkLines() error {
	switch {
	case b.StartLine == 0 && b.EndLine == 0:
		return nil
	case b.StartLine < 1:
		return fmt.Errorf("there is no start_line %d; lines are numbered from 1", b.StartLine)
	case b.EndLine != 0 && b.EndLine < b.StartLine:
		return fmt.Errorf("the lines %d-%d are not a range; start_line comes before end_line", b.StartLine, b.EndLine)
	}
	return nil
}

// fields lists the JSON keys of each type, without the common ones. One of those before the empty key is
// required.
var fields = map[Type][]string{
	ROM:       {"location", "", "digest", "size"},
	File:      {"location", "", "start_line", "end_line", "digest", "size"},
	Status:    {"status_type", "", "value"},
	Task:      {"task_id", "description", "", "project", "dependencies", "status"},
	Message:   {"from_agent", "", "to_agent", "subject", "preview", "full_path", "read", "digest", "size"},
	Knowledge: {"topic", "location", "", "subtopic", "relevance_score", "digest", "size"},
	History:   {"action_type", "", "action_detail", "result"},
	Context:   {"summary", "", "context_type", "related_ids"},
}

// common are the keys that all blocks have.
var common = []string{"type", "id", "priority", "confidence", "timestamp", "expiry", "metadata", "automatic"}

// checkFields returns an error if a required key is missing, or a key belongs to another type.
func (b *Block) checkFields() error {
	own := fields[b.Type]
	needed := own[:slices.Index(own, "")]
	missing := true
	v := reflect.ValueOf(*b)
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch {
		case slices.Contains(common, key) || v.Field(i).IsZero():
		case !slices.Contains(own, key):
			return fmt.Errorf("a block of type %s has no %s", b.Type, key)
		default:
			missing = missing && !slices.Contains(needed, key)
		}
	}
	if missing {
		return fmt.Errorf("a block of type %s needs %s", b.Type, strings.Join(needed, " or "))
	}
	return nil
}

// isShare reports whether a number is absent, or between 0 and 1.
func isShare(x *float64) bool { return x == nil || *x >= 0 && *x <= 1 }

var errName = errors.New("the id is not one line of UTF-8, or ends in a blank, or has :: in it; give another one")

// isName reports whether a text can name a block. See document.UnusableID.
func isName(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl) && strings.TrimRightFunc(text, unicode.IsSpace) == text &&
		!strings.Contains(text, document.SearchMark)
}

func joined[T ~string](names []T) string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = string(name)
	}
	return strings.Join(texts, ", ")
}
