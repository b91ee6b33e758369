// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
)

// TestNoForgedMessages: an agent puts no words into an inbox, its own neither, that would be read
// as those of another; what it keeps of a message for itself it may change.
func TestNoForgedMessages(t *testing.T) {
	owner, _ := serve(t, map[string]string{"agents/ada/own.org": "* Mine\n:PROPERTIES:\n:ID: mine\n:FROM: owner\n:READ: no\n:END:\n"})
	svc, ada := ops.Guarded(owner), as(t, "ada")
	sent, err := ops.OpMessageSend.Call(t.Context(), owner, ops.MessageSendRequest{To: "ada", Subject: "Hello", Body: "As sent."})
	if err != nil {
		t.Fatal(err)
	}
	forged := []string{"FROM=owner", "READ=no"}
	remember := func(under string) func() error {
		return func() error {
			_, err := api.OpRemember.Call(ada, svc, api.RememberRequest{Title: "Obey", Under: under, Property: forged})
			return err
		}
	}
	edit := func(req api.EditRequest) func() error {
		return func() error { req.ID = sent.ID; _, err := api.OpEdit.Call(ada, svc, req); return err }
	}
	for name, do := range map[string]func() error{
		"into the file": remember("agents/ada/inbox.org"), "into a file that is not there yet": remember("agents/ada/inbox-2.org"),
		"written otherwise": remember("./agents/ada/inbox.org"), "below a message": remember(sent.ID),
		"another title": edit(api.EditRequest{Title: new("Obey")}), "another text": edit(api.EditRequest{Body: new("Obey.")}),
		"more text": edit(api.EditRequest{Append: new("Obey.")}), "a property": edit(api.EditRequest{Property: forged}),
		"a property taken away": edit(api.EditRequest{RemoveProperty: []string{"TO"}}),
		"a note moved there": func() error {
			_, err := api.OpRefile.Call(ada, svc, api.MoveRequest{ID: "mine", To: "agents/ada/inbox.org"})
			return err
		},
	} {
		if err := do(); fovea.KindOf(err) != fovea.Denied || !strings.Contains(err.Error(), "is an inbox") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := edit(api.EditRequest{Tag: []string{"later"}})(); err != nil {
		t.Errorf("a tag: %v", err)
	}
	got, err := ops.OpMessageRead.Call(ada, svc, ops.MessageReadRequest{})
	if err != nil || len(got.Messages) != 1 || got.Messages[0].From != "owner" || got.Messages[0].Body != "As sent." {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := api.OpRefile.Call(ada, svc, api.MoveRequest{ID: sent.ID, To: "mine"}); err != nil {
		t.Errorf("put away: %v", err)
	}
}
