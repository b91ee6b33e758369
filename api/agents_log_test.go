// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
)

const (
	clockLine = "CLOCK: [2026-11-14 Sat 09:05]--[2026-11-14 Sat 11:50] =>  2:45\n"
	stateLine = "- State \"NEXT\"       from \"TODO\"       [2026-11-14 Sat 09:00] \\\\\n  with {{{words}}}\n"
)

// loggedFiles are tasks whose log Fovea adds to.
func loggedFiles() map[string]string {
	const keywords = "#+TODO: TODO NEXT | DONE(d!)\n"
	const startup = "#+STARTUP: logdrawer logreschedule logredeadline\n"
	const task = "* NEXT Paint\nSCHEDULED: <2026-11-20 Fri +1w> DEADLINE: <2026-11-21 Sat>\n"
	const text = "The old text.\n#+begin_src sh :results output\nls\n#+end_src\n"
	files := map[string]string{}
	for name, log := range map[string]string{
		"none": "", "drawer": ":LOGBOOK:\n" + clockLine + ":END:\n", "drawer with more": ":LOGBOOK:\n" + stateLine + clockLine + "words\n:END:\n",
		"beside": stateLine + clockLine, "both": clockLine + ":LOGBOOK:\n" + clockLine + ":END:\n" + stateLine,
		"named": ":HISTORY:\n" + clockLine + ":END:\n", "small": ":logbook:\n" + clockLine + "\n" + stateLine + ":end:\n",
	} {
		named := ""
		if name == "named" {
			named = ":PROPERTIES:\n:LOG_INTO_DRAWER: HISTORY\n:END:\n"
		}
		files[name] = keywords + startup + task + named + log + text
		files[name+", no drawer"] = keywords + strings.Replace(startup, "logdrawer ", "", 1) + task + log + text
	}
	return files
}

// TestAgentsEditWhatIsLogged: what an agent's edit makes Fovea log is no text of the agent's:
// it goes through with a grant and as a proposal, beside clocks and other entries.
func TestAgentsEditWhatIsLogged(t *testing.T) {
	changes := map[string]api.EditRequest{
		"todo": {Todo: new("DONE")}, "schedule": {Schedule: new("2026-12-01")}, "deadline": {Deadline: new("2026-12-02")}, "no deadline": {Deadline: new("")},
		"body": {Body: new("New words.")}, "all": {Todo: new("DONE"), Deadline: new("2026-12-02"), Body: new("New words.")},
	}
	for name, text := range loggedFiles() {
		for what, change := range changes {
			for _, review := range [][]string{nil, {"/"}} {
				t.Run(name+"/"+what, func(t *testing.T) {
					owner, _ := serve(t, map[string]string{"p.org": text})
					ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Paths: []string{"p.org"}, Review: review})
					change.ID = "Paint"
					e, err := api.OpEdit.Call(ada, ops.Guarded(owner), change)
					if err == nil && review != nil {
						_, err = ops.OpReviewAccept.Call(t.Context(), owner, ops.ReviewDecision{ID: e.Proposal})
					}
					if err != nil {
						t.Fatal(err)
					}
					after := show(t, owner)
					if got, want := strings.Count(after, clockLine), strings.Count(text, clockLine); got != want {
						t.Errorf("%d clocks of %d in\n%s", got, want, after)
					}
					if strings.Count(after, stateLine) != strings.Count(text, stateLine) || change.Todo != nil && !strings.Contains(after, `- State "DONE"`) {
						t.Errorf("log of\n%s", after)
					}
					if change.Body != nil && (strings.Contains(after, "old text") || !strings.HasSuffix(after, "New words.\n")) {
						t.Errorf("text of\n%s", after)
					}
				})
			}
		}
	}
}

func show(t *testing.T, svc api.Service) string {
	t.Helper()
	n, err := api.OpShow.Call(t.Context(), svc, api.ShowRequest{ID: "Paint"})
	if err != nil {
		t.Fatal(err)
	}
	return n.Content
}

// TestBodySentBackAsRead changes no byte, whether the owner or an agent sends back all that
// was shown, what stands below the line of the headline, or below planning and drawer.
// A line more is a line more.
func TestBodySentBackAsRead(t *testing.T) {
	for name, text := range loggedFiles() {
		t.Run(name, func(t *testing.T) {
			owner, _ := serve(t, map[string]string{"p.org": text})
			status, err := api.OpStatus.Call(t.Context(), owner, api.StatusRequest{})
			if err != nil {
				t.Fatal(err)
			}
			ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Paths: []string{"p.org"}})
			content := show(t, owner)
			below := content[strings.Index(content, "\n")+1:]
			body := below[strings.Index(below, "\n")+1:]
			if _, rest, ok := strings.Cut(body, "HISTORY\n:END:\n"); ok {
				body = rest
			}
			check := func(svc api.Service, who, sent, want string) {
				t.Helper()
				ctx := t.Context()
				if who == "ada" {
					ctx = ada
				}
				if _, err := api.OpEdit.Call(ctx, svc, api.EditRequest{ID: "Paint", Body: &sent}); err != nil {
					t.Fatalf("%s sends %q: %v", who, sent, err)
				}
				got, err := os.ReadFile(filepath.Join(status.Memex, "p.org"))
				if diff := cmp.Diff(want, string(got)); diff != "" || err != nil {
					t.Errorf("%s sends %q: %v (-want +got):\n%s", who, sent, err, diff)
				}
			}
			for _, sent := range []string{content, below, body, strings.TrimSpace(body), strings.ReplaceAll(body, "\n", "\r\n")} {
				check(owner, "owner", sent, text)
				check(ops.Guarded(owner), "ada", sent, text)
			}
			check(ops.Guarded(owner), "ada", body+"One more.\n", text+"One more.\n")
			check(owner, "owner", body+"One more.\nAnd more.", text+"One more.\nAnd more.\n")
		})
	}
}

// TestAgentsForgeNoLog: an entry, a clock or a drawer that the note has not, or has fewer of,
// is words when an agent writes it.
func TestAgentsForgeNoLog(t *testing.T) {
	for name, text := range loggedFiles() {
		for _, forged := range []string{
			clockLine + clockLine + clockLine, ":LOGBOOK:\n" + strings.Replace(clockLine, "2:45", "9:45", 1) + ":END:\n",
			":LOGBOOK:\n:END:\n:LOGBOOK:\n:END:\nx", strings.Repeat(":LOGBOOK:\n"+clockLine+":END:\n", 3), ":PROPERTIES:\n:X: y\n:END:\n",
		} {
			owner, _ := serve(t, map[string]string{"p.org": text})
			ada := author.WithGrant(t.Context(), api.Grant{Agent: "ada", Role: api.Agent, Paths: []string{"p.org"}})
			if _, err := api.OpEdit.Call(ada, ops.Guarded(owner), api.EditRequest{ID: "Paint", Body: &forged}); err != nil {
				continue // refused
			}
			lines := func(text string) (n int) {
				for line := range strings.Lines(text) {
					if strings.HasPrefix(line, "CLOCK:") || strings.HasPrefix(line, ":") && !strings.HasPrefix(line, ": ") {
						n++
					}
				}
				return n
			}
			if after := show(t, owner); lines(after) > lines(text) {
				t.Errorf("%s: %q gives\n%s", name, forged, after)
			}
		}
	}
}
