// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package hive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/hive"
)

// twoAgents is a memory that knows ada and bob.
func twoAgents(t testing.TB) *world {
	return newWorld(t, map[string]string{"agents/ada/notes.org": "* A\n", "agents/bob/notes.org": "* B\n"})
}

// TestUnknownAgain: who knows whom is read of the commits that came since alone: a second message to
// nobody reads none, which a context that has ended would not let it.
func TestUnknownAgain(t *testing.T) {
	w := twoAgents(t)
	ctx, cancel := context.WithCancel(as("ada"))
	defer cancel()
	for range 2 {
		_, _, err := w.hive().Send(ctx, hive.MessageSendRequest{To: "carl", Subject: "s"}, nil)
		fails(t, err, hive.ErrUnknown, fault.NotFound)
		cancel()
	}
	_, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "s"}, nil)
	must(t, err)
	all, err := w.hive().Agents(t.Context())
	if must(t, err); len(all) != 2 || !all[0].Seen.Equal(start) || all[0].Session != "s-ada" {
		t.Errorf("agents %+v", all)
	}
}

func TestMessage(t *testing.T) {
	w := twoAgents(t)
	id, c, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "The hull", Body: "It leaks.\nAt the bow."}, nil)
	must(t, err)
	want := "* The hull\n:PROPERTIES:\n:ID: " + id + "\n:FROM: ada\n:TO: bob\n:THREAD: " + id +
		"\n:SENT: 2026-11-24T09:00:00.000Z\n:READ: no\n:AUTHOR: ada\n:SESSION: s-ada\n:TRUST: unreviewed\n:END:\nIt leaks.\nAt the bow.\n"
	if diff := cmp.Diff(want, w.text("agents/bob/inbox.org")); diff != "" {
		t.Errorf("the inbox (-want +got):\n%s", diff)
	}
	if c.Author != author.Named("ada") || c.Session != "s-ada" {
		t.Errorf("commit %+v", c)
	}
	reply, _, err := w.hive().Send(as("bob"), hive.MessageSendRequest{To: "ada", Subject: "Re", Body: "ok", Thread: id}, nil)
	must(t, err)
	again, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "Re 2", Body: "ok", Thread: reply}, nil)
	must(t, err)
	box := w.hive().Inbox("bob", true)
	wantBox := []hive.Message{
		{ID: id, From: "ada", To: "bob", Subject: "The hull", Thread: id, Sent: start, Preview: "It leaks. At the bow.", Path: "agents/bob/inbox.org"},
		{ID: again, From: "ada", To: "bob", Subject: "Re 2", Thread: id, Sent: start, Preview: "ok", Path: "agents/bob/inbox.org"},
	}
	if diff := cmp.Diff(wantBox, box); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	read, left, c, err := w.hive().Read(as("bob"), &fovea.WriteOptions{Key: "k"}, id)
	must(t, err)
	if len(read) != 1 || read[0].Body != "It leaks.\nAt the bow." || left != 0 || c.Seq == 0 {
		t.Errorf("read %+v, %d left, %+v", read, left, c)
	}
	if box := w.hive().Inbox("bob", true); len(box) != 1 || box[0].ID != again {
		t.Errorf("unread: %+v", box)
	}
	w.crash()
	for range 2 { // a retry returns the same, and marks nothing
		more, _, c2, err := w.hive().Read(as("bob"), &fovea.WriteOptions{Key: "k"}, id)
		if err != nil || len(more) != 1 || more[0].Body != read[0].Body || c2.Seq != c.Seq || w.m.View().Head().Seq != c.Seq {
			t.Errorf("again: %+v, %+v, %v", more, c2, err)
		}
	}
	_, _, _, err = w.hive().Read(as("bob"), &fovea.WriteOptions{Key: "k"}, again)
	if fault.KindOf(err) != fault.Conflict || len(w.hive().Inbox("bob", true)) != 1 {
		t.Errorf("the key of another reading: %v", err)
	}
}

// TestMessageToOwner: the person is written to, and writes, like any agent.
func TestMessageToOwner(t *testing.T) {
	w := twoAgents(t)
	_, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "owner", Subject: "May I", Body: "?"}, nil)
	must(t, err)
	read, _, _, err := w.hive().Read(t.Context(), nil)
	if err != nil || len(read) != 1 || read[0].Path != "agents/owner/inbox.org" {
		t.Fatalf("%+v, %v", read, err)
	}
	_, c, err := w.hive().Send(t.Context(), hive.MessageSendRequest{To: "ada", Subject: "Yes", Body: "do"}, nil)
	if err != nil || c.Author.Kind != author.Owner || w.hive().Inbox("ada", true)[0].From != "owner" {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestMessageRefused(t *testing.T) {
	w := twoAgents(t)
	seq := w.m.View().Head().Seq
	send := func(name, to, subject, body string) error {
		_, _, err := w.hive().Send(as(name), hive.MessageSendRequest{To: to, Subject: subject, Body: body}, nil)
		return err
	}
	fails(t, send("ada", "carl", "s", "b"), hive.ErrUnknown, fault.NotFound)
	fails(t, send("ada", "../bob", "s", "b"), hive.ErrUnknown, fault.NotFound)
	fails(t, send("ada", "", "s", "b"), hive.ErrUnknown, fault.NotFound)
	fails(t, send("ada", "ada", "s", "b"), hive.ErrSelf, fault.Invalid)
	fails(t, send("ada", "bob", "s", strings.Repeat("x", hive.MaxMessage)), hive.ErrTooLarge, fault.Invalid)
	fails(t, send("ada", "bob", "s", strings.Repeat("\x00", hive.MaxMessage/2)), hive.ErrTooLarge, fault.Invalid) // each is three bytes then
	for _, m := range []hive.MessageSendRequest{
		{To: "bob"}, {To: "bob", Subject: "\u200b\u200b"}, {To: "bob", Subject: " \u2028\x1b\u202e"},
		{To: "bob", Subject: strings.Repeat("s", 2<<10)}, {To: "bob", Subject: "s", Thread: "a\nb"},
	} {
		if _, _, err := w.hive().Send(as("ada"), m, nil); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", m, err)
		}
	}
	none := author.WithActor(t.Context(), author.Actor{Author: author.Author{Kind: author.Fovea}})
	if _, _, err := w.hive().Send(none, hive.MessageSendRequest{To: "bob", Subject: "s"}, nil); fault.KindOf(err) != fault.Invalid {
		t.Errorf("by Fovea itself: %v", err)
	}
	if now := w.m.View().Head().Seq; now != seq {
		t.Errorf("refused messages made commits %d to %d", seq+1, now)
	}
	id, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "carl", Subject: "s", Known: true}, nil)
	must(t, err)
	_, _, _, err = w.hive().Read(as("bob"), nil, id)
	fails(t, err, hive.ErrNotYours, fault.NotFound)
	_, _, _, err = w.hive().Read(as("ada"), nil, "no such")
	fails(t, err, hive.ErrNotYours, fault.NotFound)
	if _, err := w.m.Notes().Edit(as("ada"), id, nil); fault.KindOf(err) != fault.Denied {
		t.Errorf("the sender edits the inbox: %v", err)
	}
}

func TestMessageRate(t *testing.T) {
	w := newWorld(t, map[string]string{"agents/ada/n.org": "* A\n", "agents/bob/n.org": "* B\n", "agents/carl/n.org": "* C\n"})
	send := func(name, to string) error {
		_, _, err := w.hive().Send(as(name), hive.MessageSendRequest{To: to, Subject: "s", Body: "b"}, nil)
		return err
	}
	for range hive.MaxRate {
		must(t, send("ada", "bob"))
	}
	fails(t, send("ada", "carl"), hive.ErrRate, fault.Conflict)
	must(t, send("bob", "carl"))
	w.now = w.now.Add(-time.Hour) // a clock that was set back stops nobody for longer
	fails(t, send("ada", "carl"), hive.ErrRate, fault.Conflict)
	w.now = w.now.Add(time.Minute + time.Second)
	for len(w.hive().Inbox("bob", true)) < hive.MaxUnread {
		if send("ada", "bob") != nil {
			w.now = w.now.Add(2 * time.Minute)
		}
	}
	w.now = w.now.Add(2 * time.Minute)
	fails(t, send("ada", "bob"), hive.ErrFull, fault.Conflict)
	must(t, send("carl", "bob"))
	got := 0
	for {
		read, left, _, err := w.hive().Read(as("bob"), nil)
		must(t, err)
		if got += len(read); left == 0 {
			break
		}
	}
	if got != hive.MaxUnread+1 {
		t.Errorf("%d messages were read", got)
	}
	must(t, send("ada", "bob"))
}

// TestInboxFiles: a large inbox goes on in another file.
func TestInboxFiles(t *testing.T) {
	w := twoAgents(t)
	for i := range 12 {
		_, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: fmt.Sprint(i), Body: strings.Repeat("word ", 12_000)}, nil)
		must(t, err)
	}
	if _, ok := w.m.View().Text("agents/bob/inbox-3.org"); !ok {
		t.Error("no third file")
	}
	for i, m := range w.hive().Inbox("bob", true) {
		if m.Subject != fmt.Sprint(i) {
			t.Errorf("message %d is %q", i, m.Subject)
		}
	}
	read, left, _, err := w.hive().Read(as("bob"), nil)
	if err != nil || len(read)+left != 12 {
		t.Errorf("%d read, %d left, %v", len(read), left, err)
	}
}

// TestGapOfInboxes: messages are found where many files of the inbox before them were removed.
func TestGapOfInboxes(t *testing.T) {
	w := newWorld(t, map[string]string{
		"agents/bob/inbox-200.org": "* Old\n:PROPERTIES:\n:ID: old\n:FROM: ada\n:TO: bob\n:READ: no\n:END:\n",
	})
	if box := w.hive().Inbox("bob", true); len(box) != 1 || box[0].ID != "old" {
		t.Errorf("%+v", box)
	}
}

var nasty = []string{
	"a\n* b", "* TODO x", "TODO x", "COMMENT y", "[#A] z", "x :tag:", "x :crypt:", "\r* b", "a\u2028* b", "\x00", "**", "DONE", ":PROPERTIES:", "[2026-11-24 Tue]",
	":END:\n* gone", ":PROPERTIES:\n:ID: hull\n:END:", "#+TITLE: mine", "#+SETUPFILE: /etc/passwd", "#+begin_src emacs-lisp :eval yes\n(delete-file)\n#+end_src",
	"# Local Variables:\n# eval: (ding)\n# End:", "* a\n** b\n*** c", "CLOCK: [2026-01-01]", "SCHEDULED: <2026-01-01>", "[[elisp:(ding)]]", "call_x()", "{{{m}}}",
	"#+begin_example", "#+end_src", "<<<radio>>>", "\n\n\n", " ", "\t* x", "-*- mode: sh -*-", "src_sh{rm}", "\xff\xfe", ":LOGBOOK:\n- x", "%%(ding)",
	"\\input{x}",
}

// checkDelivered sends a message, and requires exactly one more headline, inert.
func checkDelivered(t rapid.TB, w *world, subject, body string) {
	before := w.m.View().Len()
	id, c, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: subject, Body: body, Known: true}, nil)
	if err != nil {
		if fault.KindOf(err) != fault.Invalid {
			t.Fatalf("%q, %q: %v", subject, body, err)
		}
		t.Logf("refused %q, %q: %v", subject, body, err)
		return
	}
	more := w.m.View().Len() - before
	n, ok := w.m.View().Get(id)
	if !ok || more > 2 || len(n.Kids) != 0 || n.Derived.Todo != "" || len(n.Derived.Tags) != 0 || n.Derived.Priority != "" || n.Derived.Last("FROM") != "ada" {
		t.Fatalf("%q, %q: %d more nodes, %+v", subject, body, more, n)
	}
	if doc := w.document("agents/bob/inbox.org"); len(doc.Derived.Setup) != 0 || doc.Derived.Title != "" || doc.Derived.Opaque {
		t.Fatalf("%q, %q: the file is %+v", subject, body, doc.Derived)
	}
	w.now = w.now.Add(2 * time.Second)
	read, _, _, err := w.hive().Read(as("bob"), nil)
	if err != nil || len(read) != 1 || read[0].ID != id || c.Seq == 0 {
		t.Fatalf("%q, %q: read %+v, %v", subject, body, read, err)
	}
}

func TestMessageInjection(t *testing.T) {
	w := twoAgents(t)
	for _, subject := range nasty {
		checkDelivered(t, w, subject, "body")
		checkDelivered(t, w, "subject", subject)
		checkDelivered(t, w, subject, subject)
	}
	if got := len(w.hive().Inbox("bob", false)); got < 3*len(nasty)-6 {
		t.Errorf("only %d messages were accepted", got)
	}
}

// TestMessageInjectionDraws puts the pieces together in any way.
func TestMessageInjectionDraws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := twoAgents(t)
		piece := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.SampledFrom([]string{"\n", " ", ":", "*", "#+"}))
		for range rapid.IntRange(1, 4).Draw(rt, "messages") {
			subject := strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(rt, "subject"), "")
			body := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(rt, "body"), "")
			checkDelivered(rt, w, subject, body)
		}
		must(t, w.m.Close())
	})
}

// TestMessageModel: many agents, retries and crashes; each message is delivered once, and none is
// marked that was not handed over.
func TestMessageModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, nil)
		names := []string{"ada", "bob", "carl"}
		sent, got := map[string]map[string]bool{}, map[string]map[string]bool{}
		for _, name := range names {
			sent[name], got[name] = map[string]bool{}, map[string]bool{}
		}
		name := rapid.SampledFrom(names)
		n := 0
		rt.Repeat(map[string]func(*rapid.T){
			"send": func(rt *rapid.T) {
				n++
				from, to := name.Draw(rt, "from"), name.Draw(rt, "to")
				opts := &fovea.WriteOptions{Key: fmt.Sprint("send", n)}
				body := fmt.Sprint("text ", n)
				first := ""
				for range rapid.IntRange(1, 2).Draw(rt, "times") {
					id, _, err := w.hive().Send(as(from), hive.MessageSendRequest{To: to, Subject: "s", Body: body, Known: true}, opts)
					if from == to {
						fails(t, err, hive.ErrSelf, fault.Invalid)
						return
					}
					must(t, err)
					if first != "" && first != id {
						rt.Fatalf("a retry made %s of %s", id, first)
					}
					first, sent[to][body] = id, true
				}
			},
			"read": func(rt *rapid.T) {
				n++
				who := name.Draw(rt, "who")
				opts := &fovea.WriteOptions{Key: fmt.Sprint("read", n)}
				var ids []string
				if box := w.hive().Inbox(who, false); len(box) > 0 && rapid.Bool().Draw(rt, "one") {
					ids = []string{rapid.SampledFrom(box).Draw(rt, "message").ID}
				}
				read, _, c, err := w.hive().Read(as(who), opts, ids...)
				if rapid.Bool().Draw(rt, "lost") && c.Seq > 0 { // the answer is lost in a crash, and asked for again
					w.crash()
					read, _, _, err = w.hive().Read(as(who), opts, ids...)
				}
				must(t, err)
				for _, m := range read {
					if ids == nil && got[who][m.Body] {
						rt.Fatalf("%s read %q twice", who, m.Body)
					}
					got[who][m.Body] = true
				}
			},
			"crash": func(*rapid.T) { w.crash() },
			"":      func(rt *rapid.T) { w.checkBoxes(rt, names, sent, got) },
		})
		must(t, w.m.Close())
	})
}

// checkBoxes requires that inboxes hold what was sent, and that what is marked was handed over.
func (w *world) checkBoxes(rt *rapid.T, names []string, sent, got map[string]map[string]bool) {
	w.now = w.now.Add(10 * time.Second)
	for _, who := range names {
		seen := map[string]bool{}
		for _, m := range w.hive().Inbox(who, false) {
			if seen[m.Preview] || !sent[who][m.Preview] || m.Read != got[who][m.Preview] {
				rt.Fatalf("%s: %+v; sent %v, handed over %v", who, m, sent[who], got[who])
			}
			seen[m.Preview] = true
		}
		if len(seen) != len(sent[who]) {
			rt.Fatalf("%s has %d of %d messages", who, len(seen), len(sent[who]))
		}
	}
}

// TestReadCutShort: power fails at every step of reading. What is marked then was marked by a
// commit that a retry answers, bodies included.
func TestReadCutShort(t *testing.T) {
	errPower := errors.New("no power")
	for step := 1; ; step++ {
		w := twoAgents(t)
		_, _, err := w.hive().Send(as("ada"), hive.MessageSendRequest{To: "bob", Subject: "s", Body: "b"}, nil)
		must(t, err)
		stop := failAfter(w, step, errPower)
		_, _, _, err = w.hive().Read(as("bob"), &fovea.WriteOptions{Key: "k"})
		done := !stop()
		w.crash()
		read, _, _, again := w.hive().Read(as("bob"), &fovea.WriteOptions{Key: "k"})
		if again != nil || len(read) != 1 || read[0].Body != "b" {
			t.Fatalf("step %d: first %v; again %+v, %v", step, err, read, again)
		}
		if done {
			if step < 5 {
				t.Fatalf("only %d steps", step)
			}
			return
		}
	}
}

// TestMessageIntoEditedInbox: a person wrote into the file, settings at its end and blank lines.
func TestMessageIntoEditedInbox(t *testing.T) {
	w := newWorld(t, map[string]string{
		"agents/ada/n.org": "* A\n", "agents/bob/inbox.org": "#+TITLE: Mail\n* Mine\n#+SEQ_TODO: HELLO | BYE\n\n\n",
		"agents/carl/inbox.org": "#+TITLE: Mail\n\n* Open\n#+begin_example\nno end",
	})
	for _, m := range []hive.MessageSendRequest{
		{To: "bob", Subject: "HELLO there"}, // a keyword, as a setting in the last headline says
		{To: "bob", Subject: "plain", Body: "x"}, {To: "carl", Subject: "plain", Body: "x"},
	} {
		id, _, err := w.hive().Send(as("ada"), m, nil)
		must(t, err)
		n, _ := w.m.View().Get(id)
		box := w.hive().Inbox(m.To, true)
		if newest := box[len(box)-1]; newest.ID != id || newest.Subject != m.Subject || n.Derived.Todo != "" {
			t.Errorf("%s: %+v", m.To, box)
		}
	}
	if bob, carl := w.hive().Inbox("bob", true), w.hive().Inbox("carl", true); len(bob) != 2 || len(carl) != 1 {
		t.Errorf("%+v, %+v", bob, carl)
	}
}
