// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package daemon_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/daemon"
)

// over asks the daemon over its socket, as Emacs does. Headers are pairs.
func (h *house) ask(method, path, body string, headers ...string) (int, string) {
	h.t.Helper()
	a := h.send(h.t.Context(), method, path, body, headers...)
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	h.check(err)
	return a.StatusCode, string(text)
}

func (h *house) send(ctx context.Context, method, path, body string, headers ...string) *http.Response {
	h.t.Helper()
	socket, err := h.config.Socket()
	h.check(err)
	r, err := http.NewRequestWithContext(ctx, method, "http://fovea"+path, strings.NewReader(body))
	h.check(err)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	one := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	a, err := one.RoundTrip(r)
	h.check(err)
	return a
}

// listener is an open stream of events.
type listener struct {
	h     *house
	name  string // of the client
	lines *bufio.Scanner
	stop  func()
}

// listen opens a stream; headers are as in ask.
func (h *house) listen(headers ...string) *listener {
	h.t.Helper()
	ctx, stop := context.WithCancel(h.t.Context())
	a := h.send(ctx, "GET", "/v1/events", "", headers...)
	l := &listener{h, "", bufio.NewScanner(a.Body), func() { stop(); a.Body.Close() }}
	h.t.Cleanup(l.stop)
	if len(headers) == 0 {
		var said struct{ Client string }
		h.check(json.Unmarshal([]byte(l.next("client")), &said))
		l.name = said.Client
	}
	return l
}

// next returns the data of the next event of one of the kinds.
func (l *listener) next(kinds ...string) string {
	l.h.t.Helper()
	kind := ""
	for l.lines.Scan() {
		key, value, _ := strings.Cut(l.lines.Text(), ": ")
		switch {
		case key == "event":
			kind = value
		case key == "data" && slices.Contains(kinds, kind):
			return value
		}
	}
	l.h.t.Fatalf("the stream ended before %q: %v", kinds, l.lines.Err())
	return ""
}

// push sends the state of a buffer of the session ed and returns the answer.
func (l *listener) push(status int, path string, fields string) string {
	l.h.t.Helper()
	got, text := l.h.ask("POST", "/v1/buffer-update", fmt.Sprintf(`{"client":%q,"path":%q%s}`, l.name, path, fields), api.HeaderSession, "ed")
	if got != status {
		l.h.t.Fatalf("%s %s: %d %s, want %d", path, fields[:min(len(fields), 80)], got, text, status)
	}
	return text
}

// edits has an agent try to change a note, and returns the status and the answer.
func (h *house) edits(note string) (int, string) {
	h.t.Helper()
	return h.ask("POST", "/v1/edit", fmt.Sprintf(`{"id":%q,"append":"by ada"}`, note), api.HeaderAgent, "ada", api.HeaderSession, "ed")
}

const mine = "* Mine\n:PROPERTIES:\n:ID: mine\n:END:\nsaved\n"

// TestBufferHoldsItsFile: a file whose buffer has unsaved changes is written by nobody, who then
// hears the name of the buffer; the owner's requests in its session see the text, and no others:
// no agent's, whatever it calls itself. The hold ends when the buffer is saved, and with the
// connection.
func TestBufferHoldsItsFile(t *testing.T) {
	h := build(t)
	h.write("agents/ada/a.org", mine)
	h.start(nil)
	if status, said := h.edits("mine"); status != 200 {
		t.Fatal(said)
	}
	emacs := h.listen()
	unsaved := strings.Replace(mine, "saved", "unsaved words of the buffer\n** Child\n", 1)
	text, err := json.Marshal(unsaved)
	h.check(err)
	want := `{"path":"agents/ada/a.org","held":true,"shown":true,"skills":[]}`
	if got := emacs.push(200, filepath.Join(h.memex, "agents/ada/a.org"), `,"buffer":"a.org<2>","text":`+string(text)); strings.TrimSpace(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, base := range []string{"", `,"base":"` + strings.Repeat("0", 63) + `1"`} {
		status, said := h.ask("POST", "/v1/edit", `{"id":"mine","append":"x"`+base+`}`, api.HeaderAgent, "ada", api.HeaderSession, "ed")
		if status != http.StatusLocked || !strings.Contains(said, `buffer \"a.org<2>\"; save or revert it there`) || !strings.Contains(said, `"busy"`) {
			t.Errorf("an edit with %q: %d %s", base, status, said)
		}
	}
	for _, write := range [][2]string{
		{"remember", `{"title":"New","under":"mine"}`}, {"rollback", `{"to":"seq:1"}`}, {"forget", `{"id":"mine"}`},
	} {
		status, said := h.ask("POST", "/v1/"+write[0], write[1])
		if status != http.StatusLocked && write[0] != "rollback" || status == 200 || !strings.Contains(said, "a.org<2>") {
			t.Errorf("%s by the owner: %d %s", write[0], status, said)
		}
	}
	for name, headers := range map[string][]string{
		"the session": {api.HeaderSession, "ed"}, "an agent in it": {api.HeaderSession, "ed", api.HeaderAgent, "ada"},
		"an agent without a name":  {api.HeaderSession, "ed", api.HeaderRole, "agent"},
		"a reader without a name":  {api.HeaderSession, "ed", api.HeaderRole, "reader"},
		"the owner for an agent":   {api.HeaderSession, "ed", api.HeaderAgent, "ada", api.HeaderRole, "owner"},
		"an agent called as it":    {api.HeaderSession, "ed", api.HeaderAgent, "ed"},
		"an agent of its own name": {api.HeaderAgent, "ed"},
		"no session":               nil, "another session": {api.HeaderSession, "other"},
	} {
		_, said := h.ask("POST", "/v1/show", `{"id":"mine"}`, headers...)
		_, window := h.ask("POST", "/v1/context", `{"focus":"mine","budget":1000}`, headers...)
		_, child := h.ask("POST", "/v1/search", `{"text":"Child"}`, headers...)
		sees := name == "the session"
		for what, got := range map[string]bool{
			"show": strings.Contains(said, "unsaved words"), "context": strings.Contains(window, "unsaved words"), "search": strings.Contains(child, "Child"),
		} {
			if got != sees {
				t.Errorf("%s: %s sees the buffer: %v, want %v", name, what, got, sees)
			}
		}
	}
	emacs.push(200, "agents/ada/a.org", `,"modified":true`)
	if _, said := h.ask("POST", "/v1/show", `{"id":"mine"}`, api.HeaderSession, "ed"); !strings.Contains(said, "unsaved words") {
		t.Errorf("without a text, what was sent before is gone: %s", said)
	}
	kept := fmt.Sprintf(`{"client":%q,"path":"agents/ada/a.org","modified":true}`, emacs.name)
	if _, said := h.ask("POST", "/v1/buffer-update", kept); !strings.Contains(said, `"shown":true`) || strings.Contains(said, "why") {
		t.Errorf("what was sent before stays shown, whatever session a later request names: %s", said)
	}
	if got := emacs.push(200, "agents/ada/a.org", ""); !strings.Contains(got, `"held":false`) {
		t.Errorf("saved: %s", got)
	}
	if _, said := h.ask("POST", "/v1/show", `{"id":"mine"}`, api.HeaderSession, "ed"); strings.Contains(said, "unsaved words") {
		t.Errorf("saved, and the session sees %s", said)
	}
	if status, said := h.edits("mine"); status != 200 {
		t.Errorf("saved: %d %s", status, said)
	}
	emacs.push(200, "agents/ada/a.org", `,"modified":true`)
	if status, _ := h.edits("mine"); status != http.StatusLocked {
		t.Errorf("held again: %d", status)
	}
	emacs.stop()
	for end := time.Now().Add(10 * time.Second); ; {
		status, said := h.edits("mine")
		if status == 200 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the connection has ended, and the file is held: %d %s", status, said)
		}
	}
	emacs.push(400, "agents/ada/a.org", `,"modified":true`)
	if saved, err := os.ReadFile(filepath.Join(h.memex, "agents/ada/a.org")); err != nil || strings.Contains(string(saved), "unsaved") {
		t.Errorf("the file has %q, %v", saved, err)
	}
}

// TestBuffersHaveLimits: only the owner pushes buffers, under the name of an open stream, of files
// in the memex, and so many; what is over a limit leaves the hold. Text that no session may see
// is held without being shown.
func TestBuffersHaveLimits(t *testing.T) {
	h := build(t)
	h.write("a.org", mine)
	h.write("skills/s.org", "* Skill\n")
	h.write("c.org", "* Note\n")
	h.write("deep/real.org", "* Real\n")
	h.check(os.Symlink("deep", filepath.Join(h.memex, "link")))
	h.start(nil)
	_ = h.titles()
	emacs := h.listen()
	for name, tc := range map[string]struct {
		status  int
		body    string
		headers []string
	}{
		"an agent":          {403, fmt.Sprintf(`{"client":%q,"path":"a.org","text":"* X\n"}`, emacs.name), []string{api.HeaderAgent, "ada"}},
		"the owner's hand":  {403, fmt.Sprintf(`{"client":%q,"path":"a.org","text":"* X\n"}`, emacs.name), []string{api.HeaderAgent, "ada", api.HeaderRole, "owner"}},
		"no client":         {400, `{"path":"a.org","text":"* X\n"}`, nil},
		"another client":    {400, `{"client":"guessed","path":"a.org","text":"* X\n"}`, nil},
		"a path outside":    {400, fmt.Sprintf(`{"client":%q,"path":"../a.org","text":"* X\n"}`, emacs.name), nil},
		"an absolute one":   {400, fmt.Sprintf(`{"client":%q,"path":"/etc/passwd","text":"* X\n"}`, emacs.name), nil},
		"no path":           {400, fmt.Sprintf(`{"client":%q,"text":"* X\n"}`, emacs.name), nil},
		"the memex itself":  {400, fmt.Sprintf(`{"client":%q,"path":%q,"modified":true}`, emacs.name, h.memex), nil},
		"a path that is no": {400, fmt.Sprintf(`{"client":%q,"path":"a\u0000.org","modified":true}`, emacs.name), nil},
	} {
		if status, said := h.ask("POST", "/v1/buffer-update", tc.body, tc.headers...); status != tc.status {
			t.Errorf("%s: %d %s, want %d", name, status, said, tc.status)
		}
	}
	if status, said := h.ask("POST", "/v1/edit", `{"id":"mine","append":"x"}`); status != 200 {
		t.Fatalf("what was refused holds the file: %d %s", status, said)
	}
	for path, want := range map[string]string{
		"a.org": `"shown":true`, "skills/s.org": `"shown":false,"why":"the file is protected"`, "b.txt": `"shown":false,"why":"no format reads the file"`,
		"new.org": `"shown":true`, "key.org.gpg": `"shown":false,"why":"no format reads the file"`,
	} {
		if got := emacs.push(200, path, `,"text":"* Zy9 words\n"`); !strings.Contains(got, `"held":true,`+want) {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	status, said := h.ask("POST", "/v1/buffer-update", fmt.Sprintf(`{"client":%q,"path":"c.org","text":"* Zy9 secret\n"}`, emacs.name))
	if status != 200 || !strings.Contains(said, `"held":true,"shown":false,"why":"the request names no session`) {
		t.Errorf("without a session: %d %s", status, said)
	}
	emacs.push(200, "c.org", `,"text":"* Entry :crypt:\nzy9plain\n** Zy9child\n"`)
	for _, request := range []string{
		`search {"text":"zy9plain zy9child"}`, `context {"question":"Entry","budget":2000}`, `query {"query":"path:c.org","content":true}`,
	} {
		op, body, _ := strings.Cut(request, " ")
		if _, said := h.ask("POST", "/v1/"+op, body, api.HeaderSession, "ed", api.HeaderAgent, "ada"); strings.Contains(strings.ToLower(said), "zy9plain") ||
			strings.Contains(strings.ToLower(said), "zy9child") {
			t.Errorf("%s: an agent reads an entry to be encrypted: %s", request, said)
		}
	}
	emacs.push(200, "link/real.org", `,"modified":true`)
	if status, _ := h.ask("POST", "/v1/edit", `{"id":"deep/real.org","append":"x"}`); status != http.StatusLocked {
		t.Errorf("a file held through a link: %d", status)
	}
	emacs.push(400, "a.org", `,"text":"`+strings.Repeat("x", corpus.MaxText+1)+`"`)
	if status, _ := h.ask("POST", "/v1/edit", `{"id":"mine","append":"x"}`); status != http.StatusLocked {
		t.Errorf("a text that is too long ended the hold: %d", status)
	}
	for i := range corpus.MaxBuffers - 7 {
		emacs.push(200, fmt.Sprintf("many/%d.org", i), `,"modified":true`)
	}
	if got := emacs.push(400, "many/more.org", `,"modified":true`); !strings.Contains(got, "64 buffers are the limit of one client") {
		t.Errorf("one too many: %s", got)
	}
	emacs.push(200, "a.org", `,"modified":true`) // which is held already
}

// TestNoticesOnTheStream: a commit names its files; what is locked down or has conflicts, and who
// sent a message to whom, comes to those whom it concerns, without a word of any note.
func TestNoticesOnTheStream(t *testing.T) {
	h := build(t)
	h.write("a.org", mine)
	h.write("skills/s.org", "* Skill\n")
	alerts := make(chan string, 8)
	h.start(func(o *daemon.Options) {
		o.Alert = func(text string) error {
			alerts <- text
			return nil
		}
	})
	_ = h.titles()
	emacs, ada, bob := h.listen(), h.listen(api.HeaderAgent, "ada"), h.listen(api.HeaderAgent, "bob")
	paths := func(l *listener) (c api.Commit) {
		h.check(json.Unmarshal([]byte(l.next("commit")), &c))
		return c
	}
	if status, said := h.ask("POST", "/v1/edit", `{"id":"mine","append":"x"}`); status != 200 {
		t.Fatal(said)
	}
	for name, l := range map[string]*listener{"the owner": emacs, "an agent": ada} {
		if c := paths(l); !cmp.Equal(c.Paths, []string{"a.org"}) || c.MorePaths != 0 {
			t.Errorf("%s hears of %q and %d more", name, c.Paths, c.MorePaths)
		}
	}
	for i := range 120 {
		h.write(fmt.Sprintf("many/%03d.org", i), "* Note\n")
	}
	_ = h.titles()
	for files := 0; files < 120; {
		c := paths(emacs)
		if files += len(c.Paths) + c.MorePaths; len(c.Paths) > 100 {
			t.Errorf("%d files of a commit are named", len(c.Paths))
		}
	}
	h.write("skills/s.org", "* Zy9skill\n")
	_ = h.titles()
	for name, l := range map[string]*listener{"the owner": emacs, "an agent": ada} {
		if got := l.next("lockdown"); got != `{"paths":["skills/s.org"]}` {
			t.Errorf("%s hears %s", name, got)
		}
	}
	if status, said := h.ask("POST", "/v1/guard-adopt", `{"path":"skills/s.org"}`); status != 200 {
		t.Fatal(said)
	}
	if got := emacs.next("lockdown"); got != `{"paths":[]}` {
		t.Errorf("after the owner's decision: %s", got)
	}
	h.write("a.org", "* Mine :conflict:\n")
	_ = h.titles()
	if got := emacs.next("conflicts"); got != `{"paths":["a.org"]}` {
		t.Errorf("a conflict: %s", got)
	}
	if text := <-alerts; len(alerts) > 0 || !strings.Contains(text, `the same notes in ["a.org"]`) {
		t.Errorf("alerted %q and %d times more", text, len(alerts))
	}
	for _, to := range []string{"bob", "owner"} {
		if status, said := h.ask("POST", "/v1/message-send", fmt.Sprintf(`{"to":%q,"subject":"Zy9","known":true}`, to)); to == "bob" && status != 200 {
			t.Fatal(said)
		}
	}
	if status, said := h.ask("POST", "/v1/message-send", `{"to":"owner","subject":"Zy9"}`, api.HeaderAgent, "ada"); status != 200 {
		t.Fatal(said)
	}
	type message struct{ From, To string }
	heard := func(l *listener) (m message) {
		h.check(json.Unmarshal([]byte(l.next("message")), &m))
		return m
	}
	if got := heard(bob); got != (message{"owner", "bob"}) {
		t.Errorf("bob hears %v", got)
	}
	if got := heard(ada); got != (message{"ada", "owner"}) { // and not the one to bob, which was before
		t.Errorf("ada hears %v", got)
	}
	if got := heard(emacs); got != (message{"owner", "bob"}) {
		t.Errorf("the owner hears %v", got)
	}
}

// TestLogsOfCalls: an agent reads the lines of its own calls, in scopes that it reaches; the owner
// reads all. While a file is locked down, an agent does not read errors again.
func TestLogsOfCalls(t *testing.T) {
	h := build(t)
	h.write("a.org", mine)
	h.write("skills/s.org", "* Skill\n")
	h.start(nil)
	_ = h.titles()
	h.ask("POST", "/v1/show", `{"id":"nothing of ada"}`, api.HeaderAgent, "ada", api.HeaderSession, "s1")
	h.ask("POST", "/v1/show", `{"id":"x\",\"agent\":\"ada\",\"error\":\"secret"}`, api.HeaderAgent, "bob")
	h.ask("POST", "/v1/edit", `{"id":"mine"`, api.HeaderAgent, "ada")
	h.ask("POST", "/v1/purge", `{"text":"x"}`, api.HeaderAgent, "ada")
	h.ask("POST", "/v1/show", `{"id":"nothing of the owner"}`)
	logs := func(headers ...string) []string {
		var got struct{ Lines []string }
		status, said := h.ask("GET", "/v1/logs?limit=1000", "", headers...)
		if status != 200 || json.Unmarshal([]byte(said), &got) != nil {
			t.Fatal(status, said)
		}
		return got.Lines
	}
	all := strings.Join(logs(), "\n")
	for _, want := range []string{"msg=serving", `"agent":"ada","op":"show"`, `"agent":"bob"`, `"agent":"owner","op":"show"`, "nothing of the owner"} {
		if !strings.Contains(all, want) {
			t.Errorf("the owner does not read %q:\n%s", want, all)
		}
	}
	ada := logs(api.HeaderAgent, "ada")
	if len(ada) != 3 {
		t.Errorf("ada reads %d lines, want those of its three calls:\n%s", len(ada), strings.Join(ada, "\n"))
	}
	for i, want := range []string{`"session":"s1","kind":"not found","error":"`, `"op":"edit"`, `"op":"purge"`} {
		if i < len(ada) && (!strings.Contains(ada[i], want) || !strings.Contains(ada[i], `"msg":"call","agent":"ada"`)) {
			t.Errorf("line %d of ada lacks %q: %s", i, want, ada[i])
		}
	}
	if bob := strings.Join(logs(api.HeaderAgent, "bob"), "\n"); strings.Contains(bob, "nothing") || !strings.Contains(bob, `"agent":"bob"`) {
		t.Errorf("bob reads\n%s", bob)
	}
	h.write("b.org", "* Purged9\n")
	_ = h.titles()
	h.write("b.org", "* Kept\n")
	_ = h.titles()
	h.ask("POST", "/v1/show", `{"id":"Purged9 of ada"}`, api.HeaderAgent, "ada")
	if !strings.Contains(strings.Join(logs(), "\n"), "Purged9") || !strings.Contains(strings.Join(logs(api.HeaderAgent, "ada"), "\n"), "Purged9") {
		t.Error("the logs lack what is to be purged")
	}
	if status, said := h.ask("POST", "/v1/purge", `{"text":"Purged9"}`); status != 200 {
		t.Fatal(said)
	}
	if left := strings.Join(logs(), "\n"); strings.Contains(left, "Purged9") {
		t.Errorf("after a purge the logs have\n%s", left)
	}
	h.write("skills/s.org", "* Zy9skill\n")
	_ = h.titles()
	locked := strings.Join(logs(api.HeaderAgent, "ada"), "\n")
	if strings.Contains(locked, "nothing of ada") || !strings.Contains(locked, `"kind":"not found","error":"(withheld`) {
		t.Errorf("while a file is locked down ada reads\n%s", locked)
	}
}

// TestLogsTakeNoLongNames: the log has room for a thousand lines, and no caller makes one that is
// longer than a person reads.
func TestLogsTakeNoLongNames(t *testing.T) {
	h := build(t)
	h.write("a.org", mine)
	h.start(nil)
	long := strings.Repeat("x", 20_000)
	if status, _ := h.ask("POST", "/v1/show", `{"id":"mine"}`, api.HeaderAgent, "ada", api.HeaderProject, long, api.HeaderSession, long); status == 200 {
		t.Error("a scope has a name of 20,000 letters")
	}
	_, said := h.ask("GET", "/v1/logs?limit=1000", "", api.HeaderAgent, "ada")
	if !strings.Contains(said, `\"op\":\"show\"`) || len(said) > 2000 {
		t.Errorf("ada's log has %d bytes: %.300s", len(said), said)
	}
	_, said = h.ask("GET", "/v1/logs?limit=1000", "")
	if !strings.Contains(said, `\"op\":\"show\"`) || len(said) > 4000 {
		t.Errorf("the log has %d bytes: %.300s", len(said), said)
	}
}
