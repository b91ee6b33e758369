// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/internal/chain"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/inert"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/working"
)

// Bounds of messages.
const (
	MaxMessage = 64 << 10 // bytes of a subject and a body together
	MaxSubject = 1 << 10  // bytes of a subject
	MaxRate    = 60       // messages of one sender in a minute
	MaxUnread  = 200      // unread messages of one sender in one inbox

	maxThread    = 200
	previewRunes = 100
	maxInboxFile = 256 << 10 // size in bytes at which a new file of an inbox is started
)

// The properties of a message.
const (
	keyFrom   = "FROM"
	keyTo     = "TO"
	keyThread = "THREAD"
	keySent   = "SENT"
	keyRead   = "READ"
	unread    = "no"
)

// Errors of messages. Each is the cause of a *fault.Error.
var (
	ErrUnknown  = errors.New("nobody of that name is known here")
	ErrSelf     = errors.New("that is the sender; a message goes to somebody else, and a note to oneself is remembered")
	ErrTooLarge = fmt.Errorf("a message has at most %d bytes; put the text into a note and send its id", MaxMessage)
	ErrRate     = fmt.Errorf("a sender sends at most %d messages in a minute; wait, or put several into one", MaxRate)
	ErrFull     = fmt.Errorf("the receiver has %d unread messages of this sender; wait until they are read", MaxUnread)
	ErrNotYours = errors.New("no such message in the inbox of the caller")
)

// Message is a message in an inbox.
type Message struct {
	ID      string    `json:"id" jsonschema:"id of the message"`
	From    string    `json:"from" jsonschema:"an agent, or owner"`
	To      string    `json:"to" jsonschema:"the receiver, in whose inbox it is"`
	Subject string    `json:"subject" jsonschema:"one line"`
	Thread  string    `json:"thread,omitempty" jsonschema:"the id of the message that began it"`
	Sent    time.Time `json:"sent" jsonschema:"when it was sent"`
	Read    bool      `json:"read" jsonschema:"whether the receiver has read it"`
	Preview string    `json:"preview,omitempty" jsonschema:"the first 100 characters of the body, on one line"`
	Path    string    `json:"path" jsonschema:"the file of the inbox"`
	Body    string    `json:"body,omitempty" jsonschema:"only in answers of message-read"`
}

// MessageSendRequest is a message to be sent. A message without a thread begins one.
type MessageSendRequest struct {
	To      string `json:"to" jsonschema:"an agent, or owner" arg:"TO"`
	Subject string `json:"subject" jsonschema:"one line, at most 1,024 bytes" arg:"SUBJECT"`
	Body    string `json:"body,omitempty" jsonschema:"at most 64 KiB with the subject" flag:"@<TEXT> of the message"`
	Thread  string `json:"thread,omitempty" jsonschema:"the id of the message that this answers" flag:"ID"`
	Known   bool   `json:"known,omitempty" jsonschema:"only from the owner: the receiver exists, although it has not written yet" flag:"--first"`
}

// Send writes a message of the actor of ctx into the inbox of its receiver, and returns its id.
// Subject and body become inert text. The sender needs no right to write there. Of opts, only Key
// is used. Errors: Invalid (ErrSelf, ErrTooLarge, no subject, a scope without that folder),
// NotFound (ErrUnknown), Conflict (ErrRate, ErrFull), Denied, and those of writing the file.
func (h *Hive) Send(ctx context.Context, m MessageSendRequest, opts *scope.WriteOptions) (string, chain.Commit, error) {
	from, err := h.caller(ctx, "send")
	if err == nil {
		err = h.sendable(ctx, from, &m)
	}
	if err != nil {
		return "", chain.Commit{}, err
	}
	m.Subject, m.Body = inert.Line(m.Subject), inert.Text(strings.TrimRightFunc(m.Body, unicode.IsSpace))
	if n := len(m.Subject) + len(m.Body); n > MaxMessage { // a receiver gets the whole message
		return "", chain.Commit{}, fault.Errorf("send", m.To, fault.Invalid, "%w; made plain text it has %d", ErrTooLarge, n)
	}
	id, counted := uuid.NewString(), false
	c, first, err := h.run(postal(ctx, h.scope, m.To), scope.Action{Name: "send", Key: opts.OrZero().Key}, func(w *change) error {
		if w.unreadOf(m.To, from) >= MaxUnread {
			return w.c.Fail(m.To, fault.Conflict, ErrFull)
		}
		if !counted && !h.rate.take(from, h.clock.now(h.scope, true)) {
			return w.c.Fail(from, fault.Conflict, ErrRate)
		}
		counted = true
		return w.deliver(from, id, &m)
	})
	switch {
	case err != nil:
		return "", chain.Commit{}, err
	case first != nil:
		id = scope.Inserted(first)
	}
	return id, c, nil
}

// sendable returns an error for a message that cannot be sent.
func (h *Hive) sendable(ctx context.Context, from string, m *MessageSendRequest) error {
	fail := func(kind fault.Kind, err error) error { return fault.Wrap("send", m.To, kind, err) }
	switch {
	case len(m.Subject)+len(m.Body) > MaxMessage:
		return fail(fault.Invalid, ErrTooLarge)
	case !strings.ContainsFunc(m.Subject, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }), len(m.Subject) > MaxSubject:
		return fail(fault.Invalid, fmt.Errorf("give a subject of at most %d bytes that can be seen", MaxSubject))
	case len(m.Thread) > maxThread || inert.Line(m.Thread) != m.Thread:
		return fail(fault.Invalid, fmt.Errorf("a thread is the id of a message, at most %d bytes", maxThread))
	case m.To == from:
		return fail(fault.Invalid, ErrSelf)
	case m.To == ownerName:
		return nil
	}
	if err := author.Check(m.To); err != nil {
		return fail(fault.NotFound, fmt.Errorf("%w: %w", ErrUnknown, err))
	}
	if m.Known || len(inboxes(h.scope.Present(), m.To)) > 0 {
		return nil
	}
	names, err := h.names(ctx)
	if err != nil {
		return fail(fault.Other, err)
	}
	if _, known := names[m.To]; !known {
		delete(names, from)
		return fail(fault.NotFound, fmt.Errorf("%w; known are %s; the first message to a new agent is the owner's, with --first", ErrUnknown,
			scope.Abbreviate(slices.Sorted(maps.Keys(names)), "no other agents")))
	}
	return nil
}

// postal returns a context whose actor may write only the inbox of an agent.
func postal(ctx context.Context, s *scope.Scope, to string) context.Context {
	a := s.Actor(ctx)
	a.May = func(path string) error {
		if inboxNumber(to, path) > 0 {
			return nil
		}
		return errors.New("a message goes to the inbox of its receiver, and that leads elsewhere")
	}
	return author.WithActor(ctx, a)
}

// deliver adds the message to the newest file of the inbox.
func (w *change) deliver(from, id string, m *MessageSendRequest) error {
	path := w.inboxFile(m.To)
	if _, err := w.read(path); err != nil {
		return err
	}
	w.c.Action.Message = path + ": " + m.Subject
	text, end, err := w.c.Inserted(path, w.headline(from, id, m.Subject, m))
	if err != nil || !hasTitle(w.c.State(), path, end.Source(), m.Subject) { // the file's keywords or tags are parsed from the title
		framed := zeroWidthSpace + m.Subject
		if strings.HasSuffix(framed, ":") { // it reads as a tag
			framed += zeroWidthSpace
		}
		text, end, err = w.c.Inserted(path, w.headline(from, id, framed, m))
	}
	if err != nil {
		return err
	}
	w.c.Put(path, text)
	w.c.Check = func(_, next *graph.State, delta *graph.Delta) error { return w.isOne(next, delta, end, path, id) }
	return nil
}

// hasTitle reports whether the last headline of a text is parsed as just a title.
func hasTitle(s *graph.State, path, text, title string) bool {
	parts := s.Formats().Of(path).Outline(path, []document.Part{document.File(text, false)}, s.Files).Parts
	d := parts[len(parts)-1].Derived
	return d.Title == title && d.Todo == "" && d.Priority == "" && !d.Commented && len(d.Tags) == 0
}

// zeroWidthSpace keeps Org from reading a keyword, a cookie or tags in a subject.
const zeroWidthSpace = "\u200b"

// headline returns the message as a headline.
func (w *change) headline(from, id, title string, m *MessageSendRequest) document.InsertHeadline {
	by := w.h.scope.Actor(w.ctx)
	props := []document.Property{
		{Key: "ID", Value: id}, {Key: keyFrom, Value: from}, {Key: keyTo, Value: m.To},
		{Key: keyThread, Value: cmp.Or(threadOf(w.c.State(), m.Thread), id)},
		{Key: keySent, Value: w.c.Action.Now.UTC().Format(stampForm)}, {Key: keyRead, Value: unread},
	}
	if by.Author.Kind == author.Agent {
		props = append(props, document.Property{Key: "AUTHOR", Value: by.Author.String()})
		if by.Session != "" {
			props = append(props, document.Property{Key: "SESSION", Value: inert.Line(by.Session)})
		}
		props = append(props, document.Property{Key: "TRUST", Value: "unreviewed"})
	}
	return document.InsertHeadline{Title: title, Properties: props, Body: m.Body}
}

// isOne rejects a text that is not parsed as exactly one more message, or that is active.
func (w *change) isOne(next *graph.State, delta *graph.Delta, end document.Text, path, id string) error {
	n, ok := next.Get(id)
	alone := ok && n.Path == path && len(n.Kids) == 0 && n.Derived.Todo == "" && len(n.Derived.Tags) == 0
	for _, c := range delta.Changes {
		alone = alone && (c.ID == id || c.Old == nil && c.New.Type == document.TypeDocument || c.Old != nil && c.New != nil && sameText(c.Old, c.New))
	}
	if !alone {
		return w.c.Fail(path, fault.Invalid, errors.New("the message would not be read as one headline; check the end of the inbox, or write it in other words"))
	}
	checker := inert.Checker(next.Formats().Of(path))
	if checker == nil {
		return nil
	}
	return w.c.Fail(path, fault.Invalid, checker.Place(end, nil).Check(nil, "", n.Content))
}

// sameText reports whether two versions of a node differ at most in empty lines at the end.
func sameText(a, b *node.Node) bool {
	return a.Own == b.Own || strings.TrimRight(a.Content, "\r\n") == strings.TrimRight(b.Content, "\r\n")
}

// threadOf returns the thread of the message with an id, else the word itself.
func threadOf(state *graph.State, word string) string {
	if n, ok := state.Get(word); ok && isMessage(n) {
		return cmp.Or(n.Derived.Last(keyThread), word)
	}
	return word
}

// Inbox lists the messages of an agent, or of "owner", without their bodies, oldest first. With
// onlyUnread it leaves out those that were read. O(messages of the agent).
func (h *Hive) Inbox(agent string, onlyUnread bool) []Message {
	return inbox(h.scope.Present(), agent, onlyUnread)
}

// inbox lists the messages of an agent in a state.
func inbox(state *graph.State, agent string, onlyUnread bool) []Message {
	var out []Message
	for _, path := range inboxes(state, agent) {
		for _, n := range state.Nodes(path) {
			if onlyUnread && !isUnread(n) {
				continue
			}
			if m, ok := messageOf(n); ok {
				m.Body = ""
				out = append(out, m)
			}
		}
	}
	return out
}

// maxGap is the number of consecutive files of an inbox that may have been removed: 64 MiB of
// messages. Files after a larger gap are not found.
const maxGap = 256

// inboxes lists the files of an agent's inbox in a state, oldest first.
func inboxes(state *graph.State, agent string) (paths []string) {
	for n, last := 1, 0; n <= last+maxGap; n++ {
		if path := inboxName(agent, n); state.Size(path) > 0 {
			paths, last = append(paths, path), n
		}
	}
	return paths
}

// unreadOf counts the unread messages from one sender to an agent.
func (w *change) unreadOf(to, from string) int {
	mail := inbox(w.c.State(), to, true)
	return len(slices.DeleteFunc(mail, func(m Message) bool { return m.From != from }))
}

// stampForm is the form of times in properties.
const stampForm = "2006-01-02T15:04:05.000Z07:00"

// isMessage reports whether a node is a message of the inbox that it is in.
func isMessage(n *node.Node) bool {
	return n.Type == document.TypeHeadline && n.Derived.Last(keyFrom) != "" && IsInbox(n.Path)
}

// isUnread reports whether a node is marked as an unread message.
func isUnread(n *node.Node) bool { return n.Derived.Last(keyRead) == unread }

// messageOf reads a message.
func messageOf(n *node.Node) (Message, bool) {
	if !isMessage(n) {
		return Message{}, false
	}
	d, body := n.Derived, strings.TrimRight(n.Body(), "\n")
	sent, _ := time.Parse(stampForm, d.Last(keySent))
	to, _ := working.Folder(n.Path)
	return Message{
		ID: n.ID, From: d.Last(keyFrom), To: to, Subject: strings.Trim(d.Title, zeroWidthSpace), Thread: cmp.Or(d.Last(keyThread), n.ID),
		Sent: sent, Read: !isUnread(n), Preview: text.First(strings.Join(strings.Fields(body), " "), previewRunes), Path: n.Path, Body: body,
	}, true
}

// inboxName returns the path of the n-th file of an inbox.
func inboxName(agent string, n int) string {
	if n == 1 {
		return "agents/" + agent + "/inbox.org"
	}
	return fmt.Sprintf("agents/%s/inbox-%d.org", agent, n)
}

// IsInbox reports whether a path is that of an inbox file. Its headlines are read as messages from
// the senders that they name.
func IsInbox(path string) bool {
	agent, _ := working.Folder(path)
	return inboxNumber(agent, path) > 0
}

// inboxNumber is the inverse of inboxName, 0 for other paths.
func inboxNumber(agent, path string) int {
	rest, ok := strings.CutPrefix(path, "agents/"+agent+"/inbox")
	if !ok || agent == "" {
		return 0
	}
	if rest == ".org" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(rest, "-"), ".org"))
	if err != nil || n < 2 || inboxName(agent, n) != path {
		return 0
	}
	return n
}

// inboxFile returns the inbox file for a new message.
func (w *change) inboxFile(agent string) string {
	paths := inboxes(w.c.State(), agent)
	if len(paths) == 0 {
		return inboxName(agent, 1)
	}
	last := paths[len(paths)-1]
	if w.c.State().Size(last) < maxInboxFile {
		return last
	}
	return inboxName(agent, inboxNumber(agent, last)+1)
}
