// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/face"
)

// effect classifies what a tool can do to the memory, for its hints.
type effect uint8

const (
	reads   effect = iota
	adds           // changes no existing note
	changes        // changes notes; history keeps their versions
	sets           // likewise, and a second call with the same arguments changes nothing more
)

func (e effect) hints(title string) *mcp.ToolAnnotations {
	a := &mcp.ToolAnnotations{Title: title, OpenWorldHint: new(bool), ReadOnlyHint: e == reads, IdempotentHint: e == reads || e == sets}
	if e != reads {
		a.DestructiveHint = new(e != adds)
	}
	return a
}

// tool is a row of the list of tools.
type tool struct {
	name, title string
	effect      effect
	about       string
	fields      string // its arguments, in the order of the schema; * marks required ones
	actions     []action
}

// What recall offers if an embedder is set up.
const (
	recallByMeaning = " Mode semantic finds by meaning, also what shares no word with the query, from min_similarity 0.5 on."
	recallModes     = "hybrid (default), lexical, semantic or query"
)

// tools returns the tools. The SDK lists them by name.
func tools() []tool {
	return []tool{
		{"context", "Context for a task", reads,
			"The notes that matter for a focus, question or task, chosen to fit a token budget. Ask this first.",
			"focus question task budget layout fresh since_last", []action{act(api.OpContext, contextTool)}},
		{"recall", "Find notes", reads,
			"Find notes by words, or with mode query by conditions such as: todo:TODO tags:work deadline:to=+7 heading:budget. Without query: your newest notes.",
			"query mode limit min_similarity blocks", []action{act(api.OpSearch, recallTool)}},
		{"read", "Read a note", reads,
			"A note: text, attributes, digest, children; or as it was at an earlier moment.",
			"*id at offset", []action{act(api.OpShow, readTool)}},
		{"remember", "Remember", adds,
			"Keep a new note: one fact, decision or task with a title that can be found again. With to: a message.",
			"*title body under todo tags priority scheduled deadline properties to thread", []action{act(api.OpRemember, rememberTool)}},
		{"edit", "Edit a note", changes,
			"Change fields of a note, or move it with refile_to, or hold a task. Give base, the digest you read, so that nobody's change is lost.",
			"*id base title todo priority add_tags remove_tags properties unset scheduled deadline body append check uncheck refile_to task claim lease",
			[]action{act(api.OpEdit, editTool)}},
		{"forget", "Forget a note", changes,
			"Take a note and all below it out of the files. History keeps it.",
			"*id base", []action{offer(api.OpForget.Operation)}},
		{"history", "History", adds,
			"log: commits, of a note if id is given. diff: what changed between two moments. blame: who wrote each line of a note. snapshots: states to go " +
				"back to. checkpoint: keep this state under a name. inbox: messages to you, then marked as read. tasks: what can be claimed, and who holds it. " +
				"feedback: tell which notes of your last context helped; recall learns. withdraw: take back your proposal id.",
			"*action id limit from to text name answer", []action{
				act(api.OpLog, logTool), offer(api.OpDiff.Operation), offer(api.OpBlame.Operation), offer(api.OpSnapshots.Operation), offer(api.OpCheckpoint.Operation),
				act(ops.OpMessageRead, inboxTool), offer(ops.OpTasks.Operation), offer(api.OpFeedback.Operation),
				offer(ops.OpReviewWithdraw.Operation)}},
		{"rollback", "Go back", sets,
			"rollback: make an earlier state the present one, files included. restore: likewise, a checkpoint by name. revert: take back commits or an " +
				"author's work and keep what others did since. resolve: end a note's conflict. All can be undone.",
			"*action to commits author since dry_run id take", []action{
				offer(api.OpRollback.Operation), offer(api.OpRevert.Operation), offer(api.OpResolve.Operation), offer(api.OpRestore.Operation)}},
	}
}

// schema returns the schema of the tool's arguments.
func (t *tool) schema() *jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	for _, a := range slices.Backward(t.actions) { // the description of the first action wins
		for _, field := range argumentsOf(a.Request) {
			all[field.name] = field.schema()
		}
	}
	for _, field := range argumentsOf(reflect.TypeFor[extra]()) {
		if all[field.name] == nil {
			all[field.name] = field.schema()
		}
	}
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for name := range strings.FieldsSeq(t.fields) {
		name, needed := strings.CutPrefix(name, "*")
		if needed {
			s.Required = append(s.Required, name)
		}
		s.Properties[name], s.PropertyOrder = all[name], append(s.PropertyOrder, name)
	}
	if chosen := s.Properties["action"]; chosen != nil {
		for _, a := range t.actions {
			chosen.Enum = append(chosen.Enum, a.name())
		}
	}
	return s
}

// call runs the action that the arguments name, or the tool's only one, under an idempotency key, except
// for a hand-over of messages: when it is repeated, there may be more of them.
func (s *Server) call(ctx context.Context, t *tool, key string, given arguments) (r face.Reply, meta mcp.Meta, err error) {
	var of extra
	if err := given.take(&of); err != nil {
		return r, nil, err
	}
	i := slices.IndexFunc(t.actions, func(a action) bool { return a.name() == of.Action }) // the schema allows no others
	a := t.actions[max(i, 0)]
	if a.Operation == ops.OpMessageRead.Operation {
		return s.handOver(ctx, func() (face.Reply, error) { return a.call(ctx, s.service, given) })
	}
	r, err = a.call(ctx, api.WithKey(s.service, key), given)
	return r, nil, err
}

// add registers a tool.
func (s *Server) add(t tool) {
	schema := t.schema()
	if s.opts.Embedder && t.name == "recall" {
		t.about += recallByMeaning
		schema.Properties["mode"].Description = recallModes
	}
	s.schemas[t.name] = schema
	listed := &mcp.Tool{Name: t.name, Description: t.about, InputSchema: schema, Annotations: t.effect.hints(t.title)}
	mcp.AddTool(s.mcp, listed, func(ctx context.Context, req *mcp.CallToolRequest, given arguments) (*mcp.CallToolResult, any, error) {
		if t.effect != reads {
			defer s.Changed(context.WithoutCancel(ctx))
		}
		key, err := keyOf(req.Params.Meta)
		if err != nil {
			return nil, nil, toolError{t.name, err}
		}
		r, meta, err := s.call(ctx, &t, key, given)
		if err != nil {
			return nil, nil, toolError{t.name, err}
		}
		out := &mcp.CallToolResult{Meta: meta, Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}}
		if r.Data == nil {
			return out, nil, nil
		}
		return out, r.Data, nil
	})
}

// metaOp is the field of a call's _meta with its idempotency key: a tool writes once for each key.
const metaOp = "io.github.fovea-memory/idempotency-key"

// keyOf returns the idempotency key of a call, "" for none.
func keyOf(meta mcp.Meta) (string, error) {
	value, ok := meta[metaOp]
	if !ok {
		return "", nil
	}
	key, ok := value.(string)
	if !ok || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", misuse("_meta: " + metaOp + " is printable ASCII, such as a random UUID")
	}
	return key, nil
}

// listed is middleware that leaves the hidden tools out of the list.
func (s *Server) listed(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return s.hidden[t.Name] })
		}
		return res, err
	}
}

// aliases returns the tools under the names and with the parameters of the specification. They are
// not listed: a model would pay for them in every window.
func aliases() []tool {
	return []tool{
		{"semantic-search", "Search", reads, "As recall, mode semantic.", "*query limit min-similarity", []action{act(api.OpSearch, semanticSearch)}},
		{"checkpoint-memory", "Checkpoint", adds, "As history, action checkpoint.", "", []action{act(api.OpCheckpoint, checkpointMemory)}},
		{"restore-memory", "Restore", sets, "As rollback, action restore.", "source cid", []action{act(api.OpRestore, restoreMemory)}},
	}
}

func semanticSearch(ctx context.Context, svc api.Service, req api.SearchRequest, in extra) (face.Reply, error) {
	req.Limit, req.MinSimilarity = cmp.Or(req.Limit, defaultHits), in.MinSimilarity
	return searchTool(ctx, svc, req, "semantic")
}

// checkpointMemory is contract P24: cid is null if nothing is on IPFS.
func checkpointMemory(ctx context.Context, svc api.Service, req api.CheckpointRequest, _ extra) (face.Reply, error) {
	req.To = "all"
	r, err := reply(ctx, svc, api.OpCheckpoint.Operation, req)
	return only(r, "image seq root cid sealed errors"), err
}

// restoreMemory is contract P25.
func restoreMemory(ctx context.Context, svc api.Service, req api.RestoreRequest, in extra) (face.Reply, error) {
	req.From, req.CID = strings.ToLower(in.Source), in.CID
	if req.From == "ipfs" && in.CID == "" {
		return face.Reply{}, misuse("restoring from IPFS needs a cid")
	}
	r, err := reply(ctx, svc, api.OpRestore.Operation, req)
	return only(r, "root seq source restored_files"), err
}

// only keeps some fields of the data of a reply, and its remark. Missing fields are null.
func only(r face.Reply, fields string) face.Reply {
	var all map[string]json.RawMessage
	if json.Unmarshal(r.Data, &all) != nil {
		return r
	}
	left := map[string]json.RawMessage{}
	for name := range strings.FieldsSeq(fields) {
		if left[name] = all[name]; name == "cid" && string(all[name]) == `""` {
			left[name] = nil
		}
	}
	if remark := all["remark"]; remark != nil {
		left["remark"] = remark
	}
	r.Data, _ = json.Marshal(left) // JSON, part by part
	r.Text = string(r.Data)
	return r
}
