// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/mcpserver"
)

// TestNoSurfaceReadsWhatIsWithheld: what MCP and HTTP answer beside operations, to who may not read a
// text, has no word of it: every resource, prompt and completion of MCP, of every name and moment, the
// lists of them, and the streams of events over HTTP, of the past and of what happens. The ways in which
// text comes to be withheld are those of TestNobodyReadsWhatIsWithheld.
func TestNoSurfaceReadsWhatIsWithheld(t *testing.T) {
	for name, make := range hidden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := make(t)
			r.brief = os.Getenv("FOVEA_CAMPAIGN") != "long"
			for _, scopes := range r.scopes {
				r.askClient(scopes)
				r.askEvents(scopes)
			}
			if least := 400; r.asked < least {
				t.Errorf("%d answers, fewer than %d", r.asked, least)
			}
			t.Logf("%d answers", r.asked)
		})
	}
}

// TestWhatIsNotWithheldComesOut: the same questions find a text that nothing withholds, in resources,
// prompts and completions.
func TestWhatIsNotWithheldComesOut(t *testing.T) {
	r := newReading(t, common(map[string]string{"notes/plan.org": planted}), &fovea.Options{})
	r.brief, r.leaks = true, map[string]int{}
	r.askClient(api.Scopes{})
	r.askEvents(api.Scopes{})
	for _, want := range []string{"the resource node", "the resource outline", "the prompt session-start", "the completion of fovea://node/{+id} id"} {
		if r.leaks[want] == 0 {
			t.Errorf("%s has nothing of it; others: %v", want, r.leaks)
		}
	}
}

// surface is a service as the daemon gives it to a surface.
func (r *reading) surface() api.Service { return ops.Guarded(api.NewLocal(r.memory, &r.options)) }

// acting returns a context of who may not read what is withheld.
func (r *reading) acting(ctx context.Context, scopes api.Scopes) context.Context {
	return author.WithScopes(author.WithGrant(ctx, r.grants[0]), scopes)
}

// clean fails the test if an answer has a planted word that what was asked has not.
func (r *reading) clean(what string, asked, answer any, err error) {
	r.t.Helper()
	text, _ := json.Marshal(answer)
	r.asked++
	if leak := leaked(digests.ReplaceAllString(string(text), "")+fmt.Sprint(err), asked); leak != "" && r.leaks != nil {
		r.leaks[what]++
	} else if leak != "" {
		r.t.Errorf("%s of %v tells %s: %.600s", what, asked, leak, text)
	}
}

// variable matches a variable in the address of a template.
var variable = regexp.MustCompile(`\{[+?]?([a-z,]+)\}`)

// askClient asks everything that an MCP client can, tools apart.
func (r *reading) askClient(scopes api.Scopes) {
	r.t.Helper()
	server := mcpserver.New(r.surface(), &mcpserver.Options{Acting: func(ctx context.Context, _ string) context.Context { return r.acting(ctx, scopes) }})
	here, there := mcp.NewInMemoryTransports()
	ctx := r.t.Context()
	go func() { _ = server.Run(ctx, there) }()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	defer c.Close()
	tools, err := c.ListTools(ctx, nil)
	r.clean("the list of tools", nil, tools, err)
	resources, err := c.ListResources(ctx, nil)
	r.clean("the list of resources", nil, resources, err)
	templates, err := c.ListResourceTemplates(ctx, nil)
	r.clean("the list of templates", nil, templates, err)
	prompts, err := c.ListPrompts(ctx, nil)
	r.clean("the list of prompts", nil, prompts, err)
	if len(resources.Resources) < 7 || len(templates.ResourceTemplates) < 5 || len(prompts.Prompts) < 2 {
		r.t.Fatalf("%d resources, %d templates, %d prompts", len(resources.Resources), len(templates.ResourceTemplates), len(prompts.Prompts))
	}
	read := func(kind, uri, name string) {
		answer, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
		if r.allowed["show"] == "" || kind != "node" { // a note that is named is shown, see byName
			r.clean("the resource "+kind, name, answer, err)
		}
	}
	for _, one := range resources.Resources {
		read(one.Name, one.URI, "")
	}
	for _, one := range templates.ResourceTemplates {
		for _, name := range r.named() {
			read(one.Name, variable.ReplaceAllString(strings.Split(one.URITemplate, "{")[0], "")+url.PathEscape(name), name)
		}
		for _, group := range variable.FindAllStringSubmatch(one.URITemplate, -1) {
			for name := range strings.SplitSeq(group[1], ",") {
				r.complete(c, &mcp.CompleteReference{Type: "ref/resource", URI: one.URITemplate}, name)
			}
		}
	}
	for _, p := range prompts.Prompts {
		for _, argument := range p.Arguments {
			r.complete(c, &mcp.CompleteReference{Type: "ref/prompt", Name: p.Name}, argument.Name)
			for _, name := range append(r.named(), "task", "look around", "") {
				answer, err := c.GetPrompt(ctx, &mcp.GetPromptParams{Name: p.Name, Arguments: map[string]string{argument.Name: name}})
				r.clean("the prompt "+p.Name, name, answer, err)
			}
		}
	}
}

// named are the names and the moments that there are, a few of the moments.
func (r *reading) named() []string { return append(r.names(), some(r.moments())...) }

// complete asks what an argument may begin with.
func (r *reading) complete(c *mcp.ClientSession, ref *mcp.CompleteReference, argument string) {
	for _, text := range []string{"", "z", "Z", "p", "t", "s", "skills/", "lake/", "~", "0", "1"} {
		answer, err := c.Complete(r.t.Context(), &mcp.CompleteParams{Ref: ref, Argument: mcp.CompleteParamsArgument{Name: argument, Value: text}})
		r.clean("the completion of "+ref.Name+ref.URI+" "+argument, text, answer, err)
	}
}

// askEvents reads the streams of events over HTTP, from each moment to the newest commit and as commits
// are made, and what else HTTP answers beside operations.
func (r *reading) askEvents(scopes api.Scopes) {
	r.t.Helper()
	feed := &api.Feed{}
	head := r.memory.View().Head()
	server := httptest.NewServer(httpapi.New(httpapi.Options{Service: r.surface(), Feed: feed, Hello: func() api.Hello {
		return api.Hello{Protocol: api.Protocol, Memex: r.memory.Dir(), Root: r.memory.View().Root().String(), Seq: head.Seq}
	}}).Handler(func(*http.Request) (api.Grant, error) { return r.grants[0], nil }))
	defer server.Close()
	get := func(path string, read func(*bufio.Scanner) string) {
		ctx, stop := context.WithCancel(r.t.Context())
		defer stop()
		q, err := http.NewRequestWithContext(ctx, "GET", server.URL+path, nil)
		if err != nil {
			r.t.Fatal(err)
		}
		q.Header.Set(api.HeaderProject, scopes.Project)
		q.Header.Set(api.HeaderSession, scopes.Session)
		a, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			r.t.Fatal(err)
		}
		defer a.Body.Close()
		lines := bufio.NewScanner(a.Body)
		lines.Buffer(nil, 16<<20)
		r.clean("GET "+path, path, read(lines), lines.Err())
	}
	upTo := func(end string) func(*bufio.Scanner) string {
		return func(lines *bufio.Scanner) (text string) {
			for lines.Scan() {
				if text += lines.Text() + "\n"; end != "" && strings.HasPrefix(lines.Text(), end) {
					break
				}
			}
			for end != "" && lines.Scan() && lines.Text() != "" { // the rest of the event
				text += lines.Text() + "\n"
			}
			return text
		}
	}
	last := fmt.Sprintf("id: %d", head.Seq)
	for since := range head.Seq {
		get(fmt.Sprintf("/v1/events?since=%d", since), upTo(last))
	}
	get("/v1/events", func(lines *bufio.Scanner) string {
		begun := upTo(": fovea")(lines) // it listens from here on
		feed.Committed(head)
		feed.Progress(1, 1)
		return begun + upTo(last)(lines)
	})
	for _, path := range []string{"/v1/hello", "/v1/logs", "/metrics", "/openapi.json", "/v1/events?since=x", "/v1/nothing", "/"} {
		get(path, upTo(""))
	}
	for _, name := range slices.Compact(r.names()) {
		get("/v1/"+url.PathEscape(name), upTo(""))
	}
}
