// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/bound"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/index"
	"github.com/fovea-memory/fovea/internal/meaning"
	"github.com/fovea-memory/fovea/internal/minds"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/recall"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/internal/view"
	"github.com/fovea-memory/fovea/node"
	"github.com/fovea-memory/fovea/query"
	"github.com/fovea-memory/fovea/token"
	"github.com/fovea-memory/fovea/window"
)

// LocalOptions configures a service over a memory of this process. nil means the zero value.
type LocalOptions struct {
	// Sync replaces reading the folder where a watcher does: it returns when the memory has all that was saved before.
	Sync func(context.Context) error
	// Project and Session are the scopes of a request without scopes.
	Project, Session string
	// Home replaces $HOME in paths that agents name.
	Home string
	// Seals returns the recipients and the key of bundles; nil if there are none.
	Seals func() (Seals, error)
	// IPFS exchanges checkpoints with IPFS; nil if the program has no access to it.
	IPFS *IPFS
	// Places opens the kinds of places that package place does not open itself.
	Places place.Openers
	// Budget and Threshold are the defaults of requests.
	Budget    int
	Threshold float64
	// Trusted reports whether windows treat the notes of an agent in a document like the owner's, see window.Caller;
	// nil trusts no agent.
	Trusted func(agent, path string) bool
	// Grants lists by agent the paths that it may write besides its own folder and the tasks.
	Grants map[string][]string
	// AtOnce limits the searches and windows at a time; more wait in the order in which they came. 0 means no limit.
	AtOnce int
	// EmbedTimeout limits the wait for the embedder by requests that do not ask for vectors, unless the embedder last
	// needed longer. With Fill, a request that asks for vectors first makes the missing ones.
	EmbedTimeout time.Duration
	Fill         bool
	// Progress receives the progress of reading the folder and of making vectors.
	Progress func(done, total int)
	// Warn receives warnings, such as that deletions were held back, though the operation continues.
	Warn func(error)
	// Did receives each answered call of an agent; it may be nil. It runs in the goroutine of the call and must be fast.
	Did func(ctx context.Context, d Done)
	// Notify receives events other than commits; it may be nil. It must be fast.
	Notify func(Notice)
	// Logs returns the lines of the daemon's log, and those about calls, both oldest first; it may be nil. LogLimit is the
	// default number of lines of a request; 0 means 20.
	Logs     func() (log, calls []string)
	LogLimit int
	// Now is the clock for the dates of queries; time.Now by default.
	Now func() time.Time
}

// NewLocal returns a Service over the memory of a memex in this process, and over its scopes, see
// author.WithScopes. The caller closes the memory.
func NewLocal(m *fovea.Memory, opts *LocalOptions) Service {
	l := &Local{Memex: m, On: m, Options: *cmp.Or(opts, &LocalOptions{})}
	if l.Options.Now == nil {
		l.Options.Now = time.Now
	}
	if l.Options.AtOnce > 0 {
		l.limit = make(bound.Semaphore, l.Options.AtOnce)
	}
	return l.Serve
}

// Local is the memory of a memex in this process, as one call sees it.
type Local struct {
	Memex   *fovea.Memory
	On      *fovea.Memory // the scope that the call is about
	Over    []string      // the scopes laid over the memex
	Call    Call
	Options LocalOptions

	known string // the id of the node of a repeated request, see replay
	limit bound.Semaphore
}

// Sync reads what changed in the folder, if the call asks for that. Held deletions are only a warning: the memory
// still has the files.
func (l *Local) Sync(ctx context.Context) error {
	var err error
	switch how := l.Call.Sync; {
	case how == SyncNone:
		return nil
	case how == "" && l.Options.Sync != nil:
		err = l.Options.Sync(ctx)
	default:
		err = l.Memex.Ingest(ctx, &fovea.IngestOptions{Progress: l.Options.Progress, Trusted: l.warnTrusted})
	}
	switch fovea.KindOf(err) {
	case fovea.Held, fovea.ReadOnly:
		l.Warn(err)
		return nil
	}
	warnEmpty(ctx, l, err)
	warnRemoved(ctx, l)
	return err
}

// warnRemoved warns the owner, once, which files are gone from the folder, and how to bring them back.
func warnRemoved(ctx context.Context, l *Local) {
	if !l.ByOwner(ctx) {
		return
	}
	removed, before := l.Memex.Folder().Removals()
	if len(removed) == 0 {
		return
	}
	names := each(removed[:min(len(removed), 3)], strconv.Quote)
	more, way := "", "fovea restore "+strings.Join(names, " ")
	if len(removed) > len(names) {
		more, way = fmt.Sprintf(" and %d more", len(removed)-len(names)), fmt.Sprintf("fovea rollback seq:%d", before)
	}
	l.Warn(fmt.Errorf("gone from the folder: %s%s; if that was not meant, %s brings back what was there", strings.Join(names, ", "), more, way))
}

// Warn passes a warning to the caller.
func (l *Local) Warn(err error) {
	if l.Call.Warn != nil {
		l.Call.Warn(err)
	} else if l.Options.Warn != nil {
		l.Options.Warn(err)
	}
}

// warnEmpty warns that the folder has no notes.
func warnEmpty(ctx context.Context, l *Local, err error) {
	if v, overErr := l.Memex.Over(ctx, l.Over...); err == nil && overErr == nil && v.Len() == 0 {
		if head := l.Memex.View().Head(); head.Seq > 1 {
			l.Warn(fmt.Errorf("no Org files are left in %s; fovea rollback seq:%d brings back what was there", l.On.Dir(), head.Seq-1))
			return
		}
		l.Warn(fmt.Errorf("%w in %s; is it the right folder?", ErrNoNotes, l.On.Dir()))
	}
}

// ErrNoNotes is the warning about a folder without notes.
var ErrNoNotes = errors.New("no Org files (*.org, *.org_archive)")

// History returns the history of the scope that the call is about.
func (l *Local) History() *travel.History { return travel.Of(l.On.History()) }

// ByOwner reports whether the owner calls, in its own name.
func (l *Local) ByOwner(ctx context.Context) bool { return l.On.Guard().ByOwner(ctx) }

// Find returns the node of a view that a name means. Errors: those of fovea.View.Resolve, with op as their operation.
func (l *Local) Find(v *view.View, op, name string) (*node.Node, error) {
	n, err := v.Resolve(l.Below(name))
	return n, Named(err, op)
}

func synced(ctx context.Context, l *Local) (*view.View, error) {
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	return overlaid(ctx, l)
}

// overlaid returns the present of the scopes of the call, without reading the folder first.
func overlaid(ctx context.Context, l *Local) (*view.View, error) {
	v, err := l.Memex.Over(ctx, l.Over...)
	return view.Of(v), err
}

// Write returns the options of a write under the key of the call.
func (l *Local) Write() *fovea.WriteOptions {
	return &fovea.WriteOptions{Key: l.Call.Key, DryRun: l.Call.DryRun}
}

// writeFiles returns the options of a write that also changes files.
func writeFiles(l *Local, skip, memoryOnly bool) *fovea.WriteOptions {
	opts := l.Write()
	opts.Skip, opts.MemoryOnly = skip, memoryOnly
	return opts
}

// Below returns a path from a shell or an editor as one below the memex, and any other name unchanged.
func (l *Local) Below(name string) string {
	if rest, ok := strings.CutPrefix(name, l.On.Dir()+"/"); ok {
		return rest
	}
	return strings.TrimPrefix(name, "./")
}

func buildContext(ctx context.Context, l *Local, req ContextRequest) (*ContextResponse, error) {
	counter, err := token.ByName(cmp.Or(req.Counter, "o200k"))
	if err != nil {
		return nil, invalid("context", err)
	}
	l.withBlocks(ctx)
	v, err := l.viewAt(ctx, req.At)
	if err != nil {
		return nil, err
	}
	wr := window.Request{
		Question: req.Question, Task: req.Task, Budget: cmp.Or(req.Budget, budgetOf[req.Policy], l.Options.Budget), Policy: req.Policy,
		Format: req.Format, Counter: counter, Cache: l.On.TokenCache(), Degrade: req.Degrade, Explain: req.Explain,
		Limits: window.Limits{Threshold: cmp.Or(req.Threshold, l.Options.Threshold), Reserve: req.Reserve},
		Caller: window.Caller{Trusts: l.Options.Trusted, Now: l.Options.Now()},
	}
	if focus := cmp.Or(req.Focus, req.FovealFocus, req.Payload.TargetID); focus != "" {
		n, err := v.Resolve(l.Below(focus))
		if err != nil {
			return nil, err
		}
		wr.Focus = holder(v, n).ID
	} else if req.At == "" {
		wr.Focus = focusOf(ctx, v)
	}
	asked := rankedFor(l, "", cmp.Or(req.Question, req.Task))
	asked.Focus = wr.Focus != ""
	if v, err = ranking(ctx, l, v, req.At, asked); err != nil {
		return nil, err
	}
	release, err := l.limit.Acquire(ctx)
	if err != nil {
		return nil, fault.Wrap("context", "", fault.Other, err)
	}
	defer release()
	given := &minds.Given{Now: l.Options.Now(), View: v}
	given.Agent, given.Session = l.agentAndSession(ctx, "")
	minds.BlocksOf(l.Memex.Blocks()).Files().Record(ctx, v, &wr.Caller, given)
	before, err := windowBefore(ctx, l, req)
	if err != nil {
		return nil, err
	}
	w, session, err := sessionWindow(ctx, l, v, req, wr)
	if err != nil {
		return nil, err
	}
	if session != "" {
		wr.Session = &window.Session{Layout: cmp.Or(req.Layout, window.LayoutTree)}
	}
	if _, agents := readerOf(ctx, l); agents && req.At == "" && (req.Page == 0 || len(w.Text) <= req.Page) {
		saw(ctx, l, wholeParts(v, w)...)
	}
	changes := minds.Compare(before, v, w)
	if changes.Repeats(before, w) && !req.Fresh {
		w = w.Repeated(counter)
	} else if given.Agent != "" {
		if req.Private {
			wr.Question, wr.Task = "", ""
		}
		given.Request, given.Window = wr, w
		fovea.WindowsOf(l.Memex).Add(ctx, given)
	}
	return &ContextResponse{
		Window: *w, Session: session, Since: changes, Lockdown: v.Lockdown(), Unreviewed: v.Unreviewed(),
		Unmatched: wr.Focus == "" && !v.Knows(cmp.Or(req.Question, req.Task)) &&
			!slices.ContainsFunc(w.Parts, func(p Part) bool { return strings.Contains(p.Reason, recall.ArmMeaning) }),
	}, nil
}

// wholeParts returns the nodes of which a window shows all text.
func wholeParts(v *view.View, w *window.Window) (all []*node.Node) {
	for i := range w.Parts {
		if p := &w.Parts[i]; p.Level == window.Full && p.Problem == "" {
			if n, ok := v.Get(p.ID); ok && p.Digest == n.Own && recall.Readable(n) == n.Content {
				all = append(all, n)
			}
		}
	}
	return all
}

// sessionWindow builds a window, that of the session if the call names one.
func sessionWindow(ctx context.Context, l *Local, v *view.View, req ContextRequest, wr window.Request) (w *window.Window, session string, err error) {
	if session = l.Scopes(ctx).Session; session != "" && req.At == "" {
		wr.Session = &window.Session{Layout: req.Layout}
		w, err = l.Memex.SessionWindow(ctx, v, session, wr, req.Fresh)
		return w, session, err
	}
	if req.Layout == window.LayoutSticky {
		return nil, "", fault.Invalidf("context", "the layout sticky is for a session, as it is now; name one with --session, or the header "+HeaderSession)
	}
	w, err = v.Window(ctx, wr)
	return w, "", err
}

// defaultSimilarity is the default minimum similarity of hits in mode semantic.
const defaultSimilarity = 0.5

func search(ctx context.Context, l *Local, req SearchRequest) ([]Hit, error) {
	if err := checkList("search", req.Limit, min(req.Excerpt, req.Match)); err != nil {
		return nil, err
	}
	least := 0.0
	if req.Mode == meaning.Semantic {
		least = defaultSimilarity
	}
	if req.MinSimilarity != nil {
		least = *req.MinSimilarity
	}
	if !(0 <= least && least <= 1) {
		return nil, fault.Invalidf("search", "min-similarity is between 0 and 1")
	}
	if req.Blocks && (req.At != "" || req.Mode != "" && req.Mode != meaning.Lexical) {
		return nil, fault.Invalidf("search", "the files of blocks are searched by words, as they are now; leave out at and mode")
	}
	var keep query.Expr
	if req.Query != "" {
		var err error
		if keep, err = query.Parse(req.Query); err != nil {
			return nil, invalid("search", err)
		}
	}
	v, err := l.viewAt(ctx, req.At)
	if err != nil {
		return nil, err
	}
	if req.Blocks {
		req.Mode = meaning.Lexical
	} else if v, err = ranking(ctx, l, v, req.At, rankedFor(l, req.Mode, req.Text)); err != nil {
		return nil, err
	}
	release, err := l.limit.Acquire(ctx)
	if err != nil {
		return nil, fault.Wrap("search", "", fault.Other, err)
	}
	defer release()
	in := v
	if req.Blocks {
		if in, err = chunks(ctx, l, v); fovea.KindOf(err) == fovea.NotFound {
			return []Hit{}, nil
		} else if err != nil {
			return nil, err
		}
	}
	found, err := l.Memex.Reranker().Search(ctx, in, meaning.Query{
		Mode: req.Mode, Text: req.Text, Limit: req.Limit, MinSimilarity: least, Keep: keep, Now: l.Options.Now(), Warn: l.Warn,
	})
	if err != nil {
		return nil, err
	}
	hits := slices.DeleteFunc(found.Hits, func(h view.Hit) bool { return h.Similarity == 0 && h.Cosine == 0 }) // unrelated
	out, words := make([]Hit, len(hits)), index.NewMatcher(req.Text)
	var whole []*node.Node
	size := 0
	for i, n := range listAll(in, each(hits, func(h view.Hit) *node.Node { return h.Node })) {
		h := hits[i]
		if req.Blocks {
			n = n.inFile(v, h.Node.Content)
		}
		out[i] = Hit{Node: n.withText(h.Node, req.Content, req.Excerpt), Relevance: h.Relevance, Arms: h.ArmNames(), Reranked: found.Reranked}
		if req.Explain {
			out[i].Scores = found.Explain(h)
		}
		if req.Match > 0 {
			out[i].addMatch(h.Node, words, req.Match)
		}
		if size += len(n.Title) + len(out[i].Excerpt) + len(n.Path); req.At == "" && !req.Blocks && out[i].showsAll(h.Node, req.Content, size) {
			whole = append(whole, h.Node)
		}
	}
	saw(ctx, l, whole...)
	return out, nil
}

// ranking returns a view that ranks for a request; one of the present also uses what was learned from feedback.
// It may wait for the embedder, so it is called before l.limit is acquired.
func ranking(ctx context.Context, l *Local, v *view.View, at string, req meaning.Request) (*view.View, error) {
	v, err := meaning.View(ctx, l.Memex.Meaning(), v.AskedBy(author.AgentOf(ctx)), req)
	if err != nil || at != "" {
		return v, err
	}
	return v.ByFeedback(fovea.WindowsOf(l.Memex).Feedback().Model(ctx)), nil
}

// rankedFor returns what nodes are ranked for.
func rankedFor(l *Local, mode, text string) meaning.Request {
	return meaning.Request{Mode: mode, Text: text, Timeout: l.Options.EmbedTimeout, Fill: l.Options.Fill, Progress: l.Options.Progress, Warn: l.Warn}
}

func listCommits(ctx context.Context, l *Local, req LogRequest) ([]Commit, error) {
	if err := checkList("log", req.Limit, 0); err != nil {
		return nil, err
	}
	v, err := l.View(ctx)
	if err != nil {
		return nil, err
	}
	id := ""
	if req.ID != "" {
		if l, id, err = inHistory(ctx, l, v, req.ID); err != nil {
			return nil, err
		}
	}
	return l.Log(ctx, v, id, req.Limit)
}

// Log lists the newest commits of the scope, or of a node, newest first, at most limit (0: all). It withholds the
// messages about files that the caller does not see.
func (l *Local) Log(ctx context.Context, v *view.View, id string, limit int) ([]Commit, error) {
	commits, err := l.History().Log(ctx, id, limit)
	out := each(commits, commit)
	for i := range out {
		for _, path := range v.Lockdown() {
			if !l.ByOwner(ctx) && out[i].Message != path && strings.Contains(out[i].Message, path) {
				out[i].Message = path
			}
		}
	}
	return out, err
}

func takeSnapshot(ctx context.Context, l *Local, req SnapshotRequest) (*Snapshot, error) {
	s, err := l.History().Snapshot(ctx, req.Name)
	return &s, err
}

func listSnapshots(ctx context.Context, l *Local, _ None) ([]Snapshot, error) {
	list := l.History().Snapshots()
	if len(list) > 0 {
		return list, nil
	}
	_, err := l.History().Log(ctx, "", 1) // returns an error if the history is damaged
	return list, err
}

func rollBack(ctx context.Context, l *Local, req RollbackRequest) (*RollbackResponse, error) {
	to, err := l.History().Resolve(ctx, cmp.Or(req.To, "0")) // before the sync, which may add a snapshot
	if err != nil {
		return nil, err
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	opts := writeFiles(l, req.Skip, req.MemoryOnly)
	opts.Head = req.Head
	c, files, err := l.History().Rollback(ctx, to, opts)
	if err != nil {
		return nil, err
	}
	return new(l.RolledBack(ctx, c, files, req.MemoryOnly)), nil
}

func ingestFolder(ctx context.Context, l *Local, req IngestRequest) (*Status, error) {
	opts := &fovea.IngestOptions{AcceptDeletions: req.AcceptDeletions, Progress: req.Progress, Trusted: l.warnTrusted}
	if req.Committed != nil {
		opts.Committed = func(c fovea.Commit) { req.Committed(commit(c)) }
	}
	err := l.Memex.Ingest(ctx, opts)
	warnEmpty(ctx, l, err)
	if err != nil {
		return nil, err
	}
	return statusOf(ctx, l, false)
}

func readStatus(ctx context.Context, l *Local, req StatusRequest) (*Status, error) {
	err := l.Sync(ctx)
	if fovea.KindOf(err) == fovea.Conflict { // the folder was replaced, which the status shows
		l.Warn(err)
		err = nil
	}
	if err != nil {
		return nil, err
	}
	return statusOf(ctx, l, req.Diagnostics)
}
