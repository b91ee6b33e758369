// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"context"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/fault"
)

// resourceReader returns the text of a resource; name is "" for a single one.
type resourceReader func(ctx context.Context, svc api.Service, name string, options url.Values) (string, error)

// resourceKind is a single resource, or a template of resources, each with a name after the kind.
type resourceKind struct {
	uri, name, about, mime string
	read                   resourceReader
}

// resourceKinds returns all kinds.
func resourceKinds() []resourceKind {
	const data, text = "application/json", "text/plain"
	return []resourceKind{
		{"fovea://status", "status", "State of the memory", data, jsonOf(api.OpStatus.Operation, api.StatusRequest{})},
		{"fovea://verify", "verify", "Verification of the whole memory from its bytes", data, jsonOf(api.OpVerify.Operation, api.VerifyRequest{})},
		{"fovea://outline", "outline", "Titles and ids of all notes", text, outlineText},
		{"fovea://snapshots", "snapshots", "States to go back to", text, textOf(api.OpSnapshots, func(string) api.None { return api.None{} })},
		{"fovea://skills", "skills", "Skills, highest priority first", data, jsonOf(api.OpSkills.Operation, api.None{})},
		{"fovea://inbox", "inbox", "Unread messages, without their bodies", data, jsonOf(ops.OpMessages.Operation, ops.MessagesRequest{Unread: true})},
		{"fovea://review", "review", "Changes that wait for the owner", data, jsonOf(ops.OpReview.Operation, ops.ReviewRequest{})},
		{"fovea://logs", "logs", "Your own calls and their errors, newest last", text, textOf(api.OpLogs, func(string) (req api.LogsRequest) { return })},
		{"fovea://node/{+id}", "node", "One note by id or title, escaped", text, nodeText},
		{"fovea://outline/{+path}", "document outline", "Titles and ids of one file, its path escaped", text, outlineText},
		{"fovea://snapshot/{+name}", "snapshot", "What changed since a snapshot, commit or date", text,
			textOf(api.OpDiff, func(name string) api.DiffRequest { return api.DiffRequest{From: name} })},
		{"fovea://skill/{+name}", "skill", "The text of one skill", text,
			textOf(api.OpSkill, func(name string) api.SkillRequest { return api.SkillRequest{Name: name} })},
		{"fovea://window/{+focus}{?question,budget}", "window", "Context for a focus within a token budget", text, windowText},
	}
}

// template reports whether the kind is a template.
func (k resourceKind) template() bool { return strings.Contains(k.uri, "{") }

func (s *Server) addResources() {
	for _, k := range resourceKinds() {
		if k.template() {
			s.mcp.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: k.uri, Name: k.name, Description: k.about, MIMEType: k.mime}, s.readResource)
		} else {
			s.mcp.AddResource(&mcp.Resource{URI: k.uri, Name: k.name, Description: k.about, MIMEType: k.mime}, s.readResource)
		}
	}
}

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	k, text, err := readURI(ctx, s.service, uri)
	if err != nil {
		return nil, unread(uri, err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: k.mime, Text: text}}}, nil
}

// unread returns the error of a resource that could not be read, in the form of the protocol.
func unread(uri string, err error) error {
	if fovea.KindOf(err) == fovea.NotFound {
		return mcp.ResourceNotFoundError(uri)
	}
	return refusal("resource", err)
}

// readURI reads the resource at fovea://KIND or fovea://KIND/NAME, the name escaped as one part of a path.
func readURI(ctx context.Context, svc api.Service, uri string) (k resourceKind, text string, err error) {
	absent := fault.Errorf("resource", uri, fault.NotFound, "no such resource")
	u, err := url.Parse(uri)
	if err != nil {
		return k, "", absent
	}
	name, err := url.PathUnescape(strings.TrimPrefix(u.EscapedPath(), "/"))
	if err != nil {
		return k, "", absent
	}
	for _, k := range resourceKinds() {
		kind, _, _ := strings.Cut(strings.TrimPrefix(k.uri, "fovea://"), "/")
		if u.Scheme == "fovea" && u.Host == kind && k.template() == (name != "") {
			text, err := k.read(ctx, svc, name, u.Query())
			return k, text, err
		}
	}
	return k, "", absent
}

// jsonOf returns a reader of the JSON answer of an operation.
func jsonOf(op *api.Operation, req any) resourceReader {
	return func(ctx context.Context, svc api.Service, _ string, _ url.Values) (string, error) {
		answer, err := svc(ctx, api.Call{Op: op, Request: req})
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(answer)
		return string(text), err
	}
}

// textOf returns a reader of the text answer of an operation, whose request is made from the name.
func textOf[Q, A any](op api.Op[Q, A], request func(name string) Q) resourceReader {
	return func(ctx context.Context, svc api.Service, name string, _ url.Values) (string, error) {
		r, err := reply(ctx, svc, op.Operation, request(name))
		return r.Text, err
	}
}

func nodeText(ctx context.Context, svc api.Service, id string, _ url.Values) (string, error) {
	r, err := readTool(ctx, svc, api.ShowRequest{ID: id}, extra{})
	return r.Text, err
}

// maxOutline limits the lines of an outline.
const maxOutline = 2000

func outlineText(ctx context.Context, svc api.Service, path string, _ url.Values) (string, error) {
	q := ""
	if path != "" {
		q = "path:" + quoted("^"+regexp.QuoteMeta(path)+"$")
	}
	r, err := reply(ctx, svc, api.OpQuery.Operation, api.QueryRequest{Query: q, Limit: maxOutline + 1, Content: true})
	if err == nil && path != "" && r.Empty {
		err = fault.Errorf("outline", path, fault.NotFound, "no such file in memory")
	}
	return r.Text, err
}

func windowText(ctx context.Context, svc api.Service, focus string, options url.Values) (string, error) {
	budget := 0
	if text := options.Get("budget"); text != "" {
		var err error
		if budget, err = strconv.Atoi(text); err != nil {
			return "", misuse("budget is a number of tokens")
		}
	}
	r, err := contextTool(ctx, svc, api.ContextRequest{Focus: focus, Question: options.Get("question"), Budget: budget}, extra{})
	return r.Text, err
}
