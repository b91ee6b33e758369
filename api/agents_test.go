// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/hive"
	"github.com/fovea-memory/fovea/working"
)

// as is the context of an agent without a grant.
func as(t *testing.T, agent string) context.Context {
	return author.WithGrant(t.Context(), api.Grant{Agent: agent, Role: api.Agent})
}

// TestMessagesBetweenAgents: what one agent sends another reads whole, once, and nobody else
// through these operations.
func TestMessagesBetweenAgents(t *testing.T) {
	owner, _ := serve(t, map[string]string{"a.org": "* One\n"})
	svc := ops.Guarded(owner)
	vouching := ops.MessageSendRequest{To: "bob", Subject: "Hello", Known: true}
	if _, err := ops.OpMessageSend.Call(as(t, "ada"), svc, vouching); !errors.Is(err, hive.ErrUnknown) {
		t.Errorf("an agent vouches for another: %v", err)
	}
	if _, err := ops.OpMessageSend.Call(t.Context(), owner, ops.MessageSendRequest{To: "bob", Subject: "Welcome", Known: true}); err != nil {
		t.Fatal(err)
	}
	body := "* DONE not a headline\n" + strings.Repeat("Rain. ", 100)
	sent, err := ops.OpMessageSend.Call(as(t, "ada"), svc, ops.MessageSendRequest{To: "bob", Subject: "The gauge", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := ops.OpMessages.Call(as(t, "ada"), svc, ops.MessagesRequest{Agent: "bob"}); err != nil || len(all) != 0 {
		t.Errorf("ada lists the inbox of bob: %v, %v", all, err)
	}
	if _, err := ops.OpMessageRead.Call(as(t, "ada"), svc, ops.MessageReadRequest{IDs: []string{sent.ID}}); !errors.Is(err, hive.ErrNotYours) {
		t.Errorf("ada reads a message to bob: %v", err)
	}
	all, err := ops.OpMessages.Call(as(t, "bob"), svc, ops.MessagesRequest{Unread: true})
	if err != nil || len(all) != 2 || all[1].From != "ada" || all[1].Body != "" || all[1].Preview == "" {
		t.Fatalf("%+v, %v", all, err)
	}
	read, err := ops.OpMessageRead.Call(as(t, "bob"), svc, ops.MessageReadRequest{IDs: []string{sent.ID}})
	if err != nil || len(read.Messages) != 1 || !strings.Contains(read.Messages[0].Body, strings.TrimSpace(strings.Repeat("Rain. ", 100))) {
		t.Fatalf("%+v, %v", read, err)
	}
	rest, err := ops.OpMessageRead.Call(as(t, "bob"), svc, ops.MessageReadRequest{})
	if err != nil || len(rest.Messages) != 1 || rest.Messages[0].From != "owner" {
		t.Fatalf("%+v, %v", rest, err)
	}
	if all, err = ops.OpMessages.Call(t.Context(), owner, ops.MessagesRequest{Agent: "bob", Unread: true}); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestTasksOfAgents: one agent at a time holds a task, others neither edit nor end it, and a
// write under an old claim fails.
func TestTasksOfAgents(t *testing.T) {
	owner, _ := serve(t, map[string]string{
		"tasks.org": "* TODO Paint\n:PROPERTIES:\n:ID: paint\n:END:\n* TODO Hang\n:PROPERTIES:\n:ID: hang\n:DEPENDS_ON: paint\n:END:\n",
		"mine.org":  "* TODO Mine\n:PROPERTIES:\n:ID: mine\n:TASK: yes\n:END:\n",
	})
	svc := ops.Guarded(owner)
	free, err := ops.OpTasks.Call(as(t, "ada"), svc, ops.TasksRequest{Free: true})
	if ids := each(free, func(x ops.Task) string { return x.ID }); err != nil || !slices.Equal(ids, []string{"mine", "paint"}) {
		t.Fatalf("free are %v, %v", ids, err)
	}
	if _, err := ops.OpTaskClaim.Call(as(t, "ada"), svc, ops.ClaimRequest{Task: "mine"}); fovea.KindOf(err) != fovea.Denied {
		t.Errorf("a task in a file that is not hers: %v", err)
	}
	if _, err := ops.OpTaskClaim.Call(as(t, "ada"), svc, ops.ClaimRequest{Task: "hang"}); !errors.Is(err, hive.ErrBlocked) {
		t.Errorf("a task that waits: %v", err)
	}
	first, err := ops.OpTaskClaim.Call(as(t, "ada"), svc, ops.ClaimRequest{Task: "Paint", Lease: "24h"})
	if err != nil || first.Task != "paint" || first.By != "ada" {
		t.Fatalf("%+v, %v", first, err)
	}
	for what, err := range map[string]error{
		"claim": func() error {
			_, err := ops.OpTaskClaim.Call(as(t, "bob"), svc, ops.ClaimRequest{Task: "paint"})
			return err
		}(),
		"edit": func() error {
			_, err := api.OpEdit.Call(as(t, "bob"), svc, api.EditRequest{ID: "paint", Append: new("mine")})
			return err
		}(),
		"done": func() error {
			_, err := ops.OpTaskDone.Call(as(t, "bob"), svc, ops.ClaimEndRequest{Task: "paint", Number: first.Number})
			return err
		}(),
	} {
		if fovea.KindOf(err) != fovea.Conflict {
			t.Errorf("%s by bob: %v", what, err)
		}
	}
	under := author.WithActor(as(t, "ada"), author.Actor{Claim: author.Claim{Task: "paint", Number: first.Number}})
	if _, err := api.OpRemember.Call(under, svc, api.RememberRequest{Title: "Half is painted"}); err != nil {
		t.Errorf("a note under the claim: %v", err)
	}
	if _, err := ops.OpTaskRelease.Call(t.Context(), owner, ops.ClaimEndRequest{Task: "paint"}); err != nil {
		t.Fatal(err)
	}
	second, err := ops.OpTaskClaim.Call(as(t, "bob"), svc, ops.ClaimRequest{Task: "paint", Lease: "24h"})
	if err != nil || second.Number <= first.Number {
		t.Fatalf("%+v after %+v, %v", second, first, err)
	}
	if _, err := api.OpRemember.Call(under, svc, api.RememberRequest{Title: "All is painted"}); !errors.Is(err, hive.ErrClaim) {
		t.Errorf("a note under an old claim: %v", err)
	}
	if _, err := ops.OpTaskDone.Call(as(t, "bob"), svc, ops.ClaimEndRequest{Task: "paint", Number: second.Number}); err != nil {
		t.Fatal(err)
	}
	agents, err := ops.OpAgents.Call(t.Context(), owner, ops.AgentsRequest{})
	if err != nil || len(agents) != 2 || agents[0].Name != "ada" || agents[0].Seen.IsZero() || len(agents[0].Tasks) != 0 {
		t.Errorf("%+v, %v", agents, err)
	}
}

// each applies a function to every element.
func each[T, U any](all []T, of func(T) U) (out []U) {
	for _, x := range all {
		out = append(out, of(x))
	}
	return out
}

// TestMailboxBlocks: an agent that checks its mailbox gets a block for each unread message,
// with how it begins, and their number.
func TestMailboxBlocks(t *testing.T) {
	owner, _ := serve(t, map[string]string{"a.org": "* One\n"})
	svc := ops.Guarded(owner)
	check := api.BlockAddRequest{Actions: []working.Action{{Name: working.CheckMailbox}}}
	for _, want := range []int{0, 2} {
		if _, err := api.OpBlockAdd.Call(as(t, "bob"), svc, check); err != nil {
			t.Fatal(err)
		}
		blocks, err := api.OpBlocks.Call(as(t, "bob"), svc, api.BlocksRequest{})
		var mail []working.Block
		for _, b := range blocks {
			if b.Type == working.Message {
				mail = append(mail, b)
			}
		}
		if err != nil || len(mail) != want {
			t.Fatalf("%d unread: %+v, %v", want, blocks, err)
		}
		for _, b := range mail {
			if b.FromAgent != "owner" || b.Priority != working.High || len([]rune(b.Preview)) != 100 || b.Read {
				t.Errorf("%+v", b)
			}
		}
		for _, subject := range []string{"First", "Second"} {
			send := ops.MessageSendRequest{To: "bob", Subject: subject, Body: strings.Repeat("ä", 300)}
			if _, err := ops.OpMessageSend.Call(t.Context(), owner, send); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestReadMailLeaves: the block of a message leaves when the message is read, and the mailbox
// tells what is left; a block that no mailbox made stays.
func TestReadMailLeaves(t *testing.T) {
	owner, _ := serve(t, map[string]string{"a.org": "* One\n"})
	svc, bob := ops.Guarded(owner), as(t, "bob")
	for i := range 3 {
		send := ops.MessageSendRequest{To: "bob", Subject: fmt.Sprint("Number ", i), Known: true}
		if _, err := ops.OpMessageSend.Call(t.Context(), owner, send); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ops.OpMessageRead.Call(bob, svc, ops.MessageReadRequest{}); err != nil { // without a session there is nothing to do
		t.Fatal(err)
	}
	var first string
	for i := range 2 {
		sent, err := ops.OpMessageSend.Call(t.Context(), owner, ops.MessageSendRequest{To: "bob", Subject: fmt.Sprint("New ", i)})
		if err != nil {
			t.Fatal(err)
		}
		first = cmp.Or(first, sent.ID)
	}
	add := api.BlockAddRequest{Actions: []working.Action{{Name: working.CheckMailbox}}}
	add.Blocks = []working.Block{{Type: working.Message, FromAgent: "cy", FullPath: "a.org"}}
	if _, err := api.OpBlockAdd.Call(bob, svc, add); err != nil {
		t.Fatal(err)
	}
	mail := func() (subjects []string) {
		all, err := api.OpBlocks.Call(bob, svc, api.BlocksRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range all {
			subjects = append(subjects, fmt.Sprint(b.Subject, b.Value))
		}
		slices.Sort(subjects)
		return subjects
	}
	for _, tc := range []struct {
		ids  []string
		want []string
	}{
		{nil, []string{"2 unread of 2 messages", "<nil>", "New 0<nil>", "New 1<nil>"}},
		{[]string{first}, []string{"1 unread of 1 messages", "<nil>", "New 1<nil>"}},
		{[]string{}, []string{"0 unread of 0 messages", "<nil>"}},
	} {
		if tc.ids != nil {
			if _, err := ops.OpMessageRead.Call(bob, svc, ops.MessageReadRequest{IDs: tc.ids}); err != nil {
				t.Fatal(err)
			}
		}
		if got := mail(); !slices.Equal(got, tc.want) {
			t.Errorf("after reading %q: %q, want %q", tc.ids, got, tc.want)
		}
	}
}

// TestOrgFilesAreBlocks: a whole Org file is a block like any other, under its path.
func TestOrgFilesAreBlocks(t *testing.T) {
	owner, _ := serve(t, map[string]string{"a.org": "* One\nzebras\n", "b.org_archive": "* Two\n"})
	svc := ops.Guarded(owner)
	ids := []string{"a.org", "b.org_archive", "knowledge:a.org", "rom:a.org"}
	add := api.BlockAddRequest{Blocks: []working.Block{
		{Type: working.File, Location: "a.org"}, {Type: working.ROM, Location: "a.org"}, {Type: working.Knowledge, Location: "a.org"},
		{Type: working.File, Location: "b.org_archive"},
	}}
	for range 2 { // the second time they are replaced
		answer, err := api.OpBlockAdd.Call(as(t, "ada"), svc, add)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range answer.Blocks {
			if b.Error != "" {
				t.Error(b.Error)
			}
		}
		all, err := api.OpBlocks.Call(as(t, "ada"), svc, api.BlocksRequest{})
		if got := each(all, func(b working.Block) string { return b.ID }); err != nil || !slices.Equal(got, ids) {
			t.Fatalf("blocks %q, %v", got, err)
		}
	}
	w, err := api.OpContext.Call(as(t, "ada"), svc, api.ContextRequest{Task: "zebras", Policy: "shares"})
	if err != nil || !strings.Contains(w.Text, "zebras") {
		t.Errorf("%v\n%s", err, w.Text)
	}
	if _, err := api.OpBlockRemove.Call(as(t, "ada"), svc, api.BlockRemoveRequest{IDs: ids}); err != nil {
		t.Error(err)
	}
}
