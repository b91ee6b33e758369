// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

// An Edit is one typed change of a part of a document, or of the document itself: a
// value of one of the types below. A format that cannot express a change returns
// an error.
type Edit interface{ edit() }

// SetTodo sets the state of a task, a keyword such as TODO; "" removes it.
type SetTodo struct{ Keyword string }

// SetPriority sets the priority of a headline; "" removes it.
type SetPriority struct{ Priority string }

// SetTitle sets the title of a headline; state, priority and tags stay.
type SetTitle struct{ Title string }

// AddTag adds a tag after the other tags of a headline, unless the headline has it.
type AddTag struct{ Tag string }

// RemoveTag removes a tag from a headline, if it is there.
type RemoveTag struct{ Tag string }

// SetProperty sets a property of a headline or of the document.
type SetProperty struct{ Key, Value string }

// RemoveProperty removes all values of a property, if it is there.
type RemoveProperty struct{ Key string }

// Schedule sets the time at which work on a headline is to start; "" removes it. When
// is a date such as 2026-03-01, optionally followed by a time (10:00 or 10:00-11:30), a
// repeater (+1w) and a warning period (-3d), with or without angle brackets and the
// name of the day. A missing repeater or warning period is taken from the old time.
type Schedule struct{ When string }

// Deadline is [Schedule] for the time at which a headline must be done.
type Deadline struct{ When string }

// AppendBody appends text, as whole lines, to the own text of a headline, or to
// the text before the first headline. The text may contain headlines only if Children
// is set, and then only at levels below the edited one.
type AppendBody struct {
	Text     string
	Children bool
}

// ReplaceBody replaces the body of a headline, its own text after the metadata, under
// the rules of [AppendBody]; for a document, the text between its settings and the
// first headline. An empty Text removes the body.
type ReplaceBody struct {
	Text     string
	Children bool
}

// InsertHeadline inserts a headline as the last child of the edited one, or at the top
// level of the document; with Sibling set, directly after the subtree of the edited
// one. Each field holds the argument of the edit of that name.
type InsertHeadline struct {
	Title      string
	Todo       string
	Priority   string
	Tags       []string
	Properties []Property
	Scheduled  string
	Deadline   string
	Body       string
	Sibling    bool
}

// Edits returns the edits that set the fields of the new headline.
func (s InsertHeadline) Edits() []Edit {
	edits := []Edit{SetTitle{s.Title}}
	if s.Todo != "" {
		edits = append(edits, SetTodo{s.Todo})
	}
	if s.Priority != "" {
		edits = append(edits, SetPriority{s.Priority})
	}
	for _, tag := range s.Tags {
		edits = append(edits, AddTag{tag})
	}
	if s.Scheduled != "" {
		edits = append(edits, Schedule{s.Scheduled})
	}
	if s.Deadline != "" {
		edits = append(edits, Deadline{s.Deadline})
	}
	for _, p := range s.Properties {
		edits = append(edits, SetProperty(p))
	}
	if s.Body != "" {
		edits = append(edits, AppendBody{Text: s.Body})
	}
	return edits
}

// CheckItem sets the checkbox of a list item in the own text of a headline or of the
// document. Line is the line of the item's bullet, counted from 1 in the document after
// the preceding edits. State is "X", " " or "-". The checkboxes of enclosing items
// follow.
type CheckItem struct {
	Line  int
	State string
}

// Delete removes a headline and its subtree. No edit can follow it.
type Delete struct{}

// Property is a key and a value. Keys are compared without regard to case. A key that
// ends in + appends to the value before it.
type Property struct{ Key, Value string }

func (SetTodo) edit()        {}
func (SetPriority) edit()    {}
func (SetTitle) edit()       {}
func (AddTag) edit()         {}
func (RemoveTag) edit()      {}
func (SetProperty) edit()    {}
func (RemoveProperty) edit() {}
func (Schedule) edit()       {}
func (Deadline) edit()       {}
func (AppendBody) edit()     {}
func (ReplaceBody) edit()    {}
func (InsertHeadline) edit() {}
func (CheckItem) edit()      {}
func (Delete) edit()         {}
