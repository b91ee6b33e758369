// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
)

// resourceKind is a family of resources and how one is read.
type resourceKind struct {
	uri, name, about, mime string
	read                   func(ctx context.Context, name string, options url.Values) (string, error)
}

// kinds are the resources there are: single ones, and templates, which have a name
// behind their kind.
func (s *Server) kinds() []resourceKind {
	const data, text = "application/json", "text/plain"
	return []resourceKind{
		{"fovea://status", "status", "How the memory is", data, s.statusText},
		{"fovea://verify", "verify", "Proof of the whole memory from its bytes", data, s.verifyText},
		{"fovea://outline", "outline", "Titles and ids of all notes", text, s.outlineText},
		{"fovea://snapshots", "snapshots", "States to go back to", text, s.snapshotsText},
		{"fovea://skills", "skills", "What there is to follow, the first one first", data, s.skillsText},
		{"fovea://node/{+id}", "node", "One note by id or title, escaped", text, s.nodeText},
		{"fovea://outline/{+path}", "document outline", "Titles and ids of one file, its path escaped", text, s.outlineText},
		{"fovea://snapshot/{+name}", "snapshot", "What changed since a snapshot, commit or date", text, s.snapshotText},
		{"fovea://skill/{+name}", "skill", "The text of one skill", text, s.skillText},
		{"fovea://window/{+focus}{?question,budget}", "window", "Context for a focus within a token budget", text, s.windowText},
	}
}

// template reports a kind whose resources have names.
func (k resourceKind) template() bool { return strings.Contains(k.uri, "{") }

func (s *Server) addResources() {
	for _, k := range s.kinds() {
		if k.template() {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: k.uri, Name: k.name, Description: k.about, MIMEType: k.mime}, s.readResource)
		} else {
			s.mcp.AddResource(&mcp.Resource{URI: k.uri, Name: k.name, Description: k.about, MIMEType: k.mime}, s.readResource)
		}
	}
}

// readResource answers a client. What is not there is said as the protocol has it.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	k, text, err := s.resource(ctx, uri)
	if err != nil {
		return nil, unread(uri, err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: k.mime, Text: text}}}, nil
}

// unread is why a resource was not given.
func unread(uri string, err error) error {
	if fovea.KindOf(err) == fovea.NotFound {
		return mcp.ResourceNotFoundError(uri)
	}
	return refusal("resource", err)
}

// resource reads the resource at an address, fovea://KIND or fovea://KIND/NAME, the
// name escaped as one part of a path.
func (s *Server) resource(ctx context.Context, uri string) (k resourceKind, text string, err error) {
	absent := &fovea.Error{Op: "resource", What: uri, Kind: fovea.NotFound, Err: errors.New("no such resource")}
	u, err := url.Parse(uri)
	if err != nil {
		return k, "", absent
	}
	name, err := url.PathUnescape(strings.TrimPrefix(u.EscapedPath(), "/"))
	if err != nil {
		return k, "", absent
	}
	for _, k := range s.kinds() {
		kind, _, _ := strings.Cut(strings.TrimPrefix(k.uri, "fovea://"), "/")
		if u.Scheme == "fovea" && u.Host == kind && k.template() == (name != "") {
			text, err := k.read(ctx, name, u.Query())
			return k, text, err
		}
	}
	return k, "", absent
}

func (s *Server) statusText(ctx context.Context, _ string, _ url.Values) (string, error) {
	return asJSON(api.OpStatus.Call(ctx, s.service, api.StatusRequest{}))
}

func (s *Server) verifyText(ctx context.Context, _ string, _ url.Values) (string, error) {
	return asJSON(api.OpVerify.Call(ctx, s.service, api.VerifyRequest{}))
}

func asJSON[T any](v T, err error) (string, error) {
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(v)
	return string(text), err
}

func (s *Server) nodeText(ctx context.Context, id string, _ url.Values) (string, error) {
	r, err := readTool(ctx, s.service, readInput{ID: id})
	return r.text, err
}

// maxOutline is how many lines an outline has.
const maxOutline = 2000

func (s *Server) outlineText(ctx context.Context, path string, _ url.Values) (string, error) {
	q := ""
	if path != "" {
		q = "path:" + quoted("^"+regexp.QuoteMeta(path)+"$")
	}
	nodes, err := api.OpQuery.Call(ctx, s.service, api.QueryRequest{Query: q, Limit: maxOutline + 1, Content: true})
	if err != nil {
		return "", err
	}
	if path != "" && len(nodes) == 0 {
		return "", &fovea.Error{Op: "outline", What: path, Kind: fovea.NotFound, Err: errors.New("no such file in memory")}
	}
	var b strings.Builder
	for i := range nodes[:min(maxOutline, len(nodes))] {
		n := &nodes[i]
		level := len(n.Content) - len(strings.TrimLeft(n.Content, "*"))
		fmt.Fprintf(&b, "%s%s  id %s\n", strings.Repeat("  ", level), headline(n), n.ID)
	}
	if len(nodes) > maxOutline {
		b.WriteString("and more: ask for the outline of one file\n")
	}
	return fenced(b.String()), nil
}

func (s *Server) snapshotsText(ctx context.Context, _ string, _ url.Values) (string, error) {
	list, err := api.OpSnapshots.Call(ctx, s.service, api.None{})
	return fenced(snapshotLines(list)), err
}

func (s *Server) snapshotText(ctx context.Context, name string, _ url.Values) (string, error) {
	d, err := api.OpDiff.Call(ctx, s.service, api.DiffRequest{From: name})
	if err != nil {
		return "", err
	}
	return diffText(d), nil
}

func (s *Server) skillsText(ctx context.Context, _ string, _ url.Values) (string, error) {
	return asJSON(api.OpSkills.Call(ctx, s.service, api.None{}))
}

func (s *Server) skillText(ctx context.Context, name string, _ url.Values) (string, error) {
	skill, err := api.OpSkill.Call(ctx, s.service, api.SkillRequest{Name: name})
	if err != nil {
		return "", err
	}
	return fenced(skill.Source), nil
}

func (s *Server) windowText(ctx context.Context, focus string, options url.Values) (string, error) {
	budget := 0
	if text := options.Get("budget"); text != "" {
		var err error
		if budget, err = strconv.Atoi(text); err != nil {
			return "", misuse("budget is a number of tokens")
		}
	}
	r, err := contextTool(ctx, s.service, contextInput{Focus: focus, Question: options.Get("question"), Budget: budget})
	return r.text, err
}
