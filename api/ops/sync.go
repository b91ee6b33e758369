// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/corpus"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// The operations that carry commits.
var (
	OpPush = api.Define(api.Operation{Name: "push", Group: "history", Effect: api.Mends,
		Summary: "Send new commits to a remote"}, push)
	OpPull = api.Define(api.Operation{Name: "pull", Group: "history", Effect: api.Mends,
		Summary: "Merge what other machines have written to a remote"}, pull)
	OpSync = api.Define(api.Operation{Name: "sync", Group: "history", Effect: api.Mends,
		Summary: "Pull from a remote, then push to it"}, with("sync", fetch, write))
	OpScrub = api.Define(api.Operation{Name: "remote-scrub", Effect: api.Mends,
		Summary: "Read back what this machine wrote to a remote, repair it, and sync"}, with("remote scrub", scrub, fetch, write))
)

// SyncRequest names a remote; without a name, the only remote is meant.
type SyncRequest struct {
	Name   string   `json:"name,omitempty" jsonschema:"name of the remote, not needed if there is only one; ipfs:CID pulls from IPFS, ipfs: pushes" arg:"NAME"`
	From   []string `json:"from,omitempty" jsonschema:"the machines whose logs are read; all by default"`
	DryRun bool     `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

// Machine is the result of merging the log of another machine.
type Machine struct {
	Name    string    `json:"name" jsonschema:"name of its log"`
	Brought []Brought `json:"brought" jsonschema:"by scope, where there was something new"`
	Member  string    `json:"member,omitempty" jsonschema:"who signed it, where there is a list of members"`
	Problem string    `json:"problem,omitempty" jsonschema:"why part of it is missing"`
	Waits   bool      `json:"-"` // the problem needs a person
}

// took adds what was merged into a scope, unless it was nothing.
func (m *Machine) took(b Brought, _ fovea.Commit) error {
	if b.Seq > 0 || b.Would != nil {
		m.Brought = append(m.Brought, b)
	}
	return nil
}

// SyncResponse is the result of a push, pull, sync or scrub.
type SyncResponse struct {
	Remote   string    `json:"remote" jsonschema:"its name"`
	Machines []Machine `json:"machines" jsonschema:"the others that write there; empty for a push"`
	Pushed   uint64    `json:"pushed" jsonschema:"how many commits were written"`
	Bytes    int64     `json:"bytes" jsonschema:"how many bytes were written"`
	CID      string    `json:"cid,omitempty" jsonschema:"of a push to ipfs: that of the archive"`
	Read     int       `json:"read,omitempty" jsonschema:"of a scrub: how many objects are as this machine wrote them"`
	Damaged  []string  `json:"damaged,omitempty" jsonschema:"of a scrub: the objects that were damaged or missing"`
}

// Commits counts the commits made here from the work of other machines.
func (r *SyncResponse) Commits() (n int) {
	for _, m := range r.Machines {
		n += len(m.Brought)
	}
	return n
}

// named opens the remote that a request names.
func named(ctx context.Context, a *api.Local, op string, req SyncRequest) (*place.Remote, string, error) {
	name := req.Name
	if name == "" {
		all, err := place.Names(a.Memex.Histories().State)
		switch {
		case err != nil:
			return nil, "", fault.Wrap(op, a.Memex.Dir(), fault.Other, err)
		case len(all) == 0:
			return nil, "", fault.Errorf(op, a.Memex.Dir(), fault.NotFound, "there is no remote yet; fovea remote add NAME URL adds one")
		case len(all) > 1:
			return nil, "", fault.Errorf(op, a.Memex.Dir(), fault.Ambiguous, "there are several remotes; name one, see fovea remote list")
		}
		name = all[0]
	}
	if _, err := a.View(ctx); err != nil { // the folder is read first
		return nil, "", err
	}
	r, err := opened(ctx, a, op, name)
	return r, name, err
}

// step is a part of an exchange with a remote.
type step func(context.Context, *api.Local, *place.Remote, SyncRequest, *SyncResponse) error

// with returns a handler that performs steps on the remote that a request names.
func with(op string, steps ...step) func(context.Context, *api.Local, SyncRequest) (*SyncResponse, error) {
	return func(ctx context.Context, a *api.Local, req SyncRequest) (_ *SyncResponse, err error) {
		over, err := turn(ctx, a)
		if err != nil {
			return nil, fault.Wrap(op, req.Name, fault.Other, err)
		}
		defer over()
		r, name, err := named(ctx, a, op, req)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, r.Place.Close()) }()
		done := &SyncResponse{Remote: name, Machines: []Machine{}}
		for _, step := range steps {
			if err := step(ctx, a, r, req, done); err != nil {
				return nil, fault.Wrap(op, name, kindOf(err), err)
			}
		}
		if !req.DryRun {
			_ = vfs.WriteJSON(r.State, syncedFile, time.Now())
		}
		return done, nil
	}
}

func push(ctx context.Context, a *api.Local, req SyncRequest) (*SyncResponse, error) {
	if req.Name == IPFSPrefix {
		return pushIPFS(ctx, a)
	}
	return with("push", write)(ctx, a, req)
}

func pull(ctx context.Context, a *api.Local, req SyncRequest) (*SyncResponse, error) {
	if strings.HasPrefix(req.Name, IPFSPrefix) {
		return pullIPFS(ctx, a, req.Name)
	}
	return with("pull", fetch)(ctx, a, req)
}

// scrub reads back what this machine has written.
func scrub(ctx context.Context, _ *api.Local, r *place.Remote, _ SyncRequest, done *SyncResponse) (err error) {
	_ = vfs.WriteJSON(r.State, scrubbedFile, time.Now()) // written before the scrub; Watch may remove it meanwhile
	done.Read, done.Damaged, err = r.Scrub(ctx)
	if err != nil {
		_ = vfs.RemoveIfThere(r.State, scrubbedFile)
	}
	return err
}

// write pushes.
func write(ctx context.Context, a *api.Local, r *place.Remote, _ SyncRequest, done *SyncResponse) error {
	sources, release, err := a.Memex.Histories().Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if a.Call.DryRun {
		behind, err := r.Behind(headsOf(sources))
		done.Pushed = behind + uint64(done.Commits()) // each would make one commit
		return err
	}
	p, err := r.Push(ctx, sources)
	done.Pushed, done.Bytes = p.Commits, p.Bytes
	return err
}

// fetch pulls, and merges the logs of other machines.
func fetch(ctx context.Context, a *api.Local, r *place.Remote, req SyncRequest, done *SyncResponse) error {
	others, err := r.Pull(ctx, req.From...)
	list, listErr := r.Members(ctx)
	if err = cmp.Or(err, listErr); err != nil {
		return err
	}
	for _, me := range list.List {
		if me.Key == r.Self.Key && len(me.Agents) > 0 && author.AgentOf(ctx) == "" { // a merge is recorded under the name of whoever asked
			ctx = author.WithGrant(ctx, api.Grant{Agent: me.Agents[0], Role: api.Owner})
		}
	}
	a.Call.Key = "" // each machine's work is a merge of its own; repeating a merge finds nothing new
	twins := map[string]string{r.Self.Key: "this machine"}
	for _, o := range others {
		m := Machine{Name: o.Machine, Brought: []Brought{}, Member: o.Member.Name}
		if o.Problem != nil {
			m.Problem, m.Waits = o.Problem.Error(), isAny(o.Problem, place.ErrMember, place.ErrBack, place.ErrFork)
			if !isAny(o.Problem, place.ErrLocked, place.ErrMember) {
				m.Problem += "; if this persists, remove heads/" + o.Machine + " from the remote; that machine writes everything again at its next push"
			}
		}
		if other := twins[o.Member.Key]; other != "" && o.Member.Name != "" && m.Problem == "" {
			m.Problem = "its log has the same key as the log of " + other + "; remove the older log, or admit a new key for one of them"
			m.Waits = true
		}
		twins[o.Member.Key] = o.Machine
		if o.New {
			err := bringAll(ctx, a, o.In, o.Scopes, o.Machine, bringing{agents: o.Member.Agents}, m.took)
			if err == nil && !a.Call.DryRun {
				err = r.Merged(o.Machine)
			}
			switch kind := kindOf(err); {
			case err == nil:
			case errors.Is(err, corpus.ErrNever), kind == fault.Denied, kind == fault.Conflict, kind == fault.Invalid, kind == fault.NotFound, kind == fault.Corrupt:
				m.Problem, m.Waits = err.Error(), true // continue with the other machines, and still push
			default:
				return err
			}
		}
		done.Machines = append(done.Machines, m)
	}
	return nil
}

// turns has a channel of capacity one for each memory, by its folder.
var turns sync.Map

// turn waits until no other exchange of this memory is running, since both would use the same files in the state folder.
// done ends the turn.
func turn(ctx context.Context, a *api.Local) (done func(), err error) {
	of, _ := turns.LoadOrStore(a.Memex.Dir(), make(chan struct{}, 1))
	free := of.(chan struct{})
	select {
	case free <- struct{}{}:
		return func() { <-free }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Files in the folder of a remote with the time when it was last synced, and scrubbed. They can be deleted safely.
const syncedFile, scrubbedFile = "synced.json", "scrubbed.json"

// lastTime returns the time in such a file, zero if it cannot be read.
func lastTime(m *fovea.Memory, name, file string) (at time.Time) {
	_ = vfs.ReadJSON(m.Histories().State, place.Folder+"/"+name+"/"+file, &at)
	return at
}

// ScrubDue reports whether it is time for OpScrub: every day, and after Watch has found that the place may have lost writes.
func ScrubDue(m *fovea.Memory, name string) bool {
	return time.Since(lastTime(m, name, scrubbedFile)) > 24*time.Hour
}

// Watch sends the name of each other machine that writes its log on a remote, and "" when any of them may have, until
// ctx ends. It returns nil at once for a place that cannot be watched.
func Watch(ctx context.Context, m *fovea.Memory, places place.Openers, name string, machines chan<- string) error {
	k, err := readKept(m, "watch", name)
	if err != nil {
		return err
	}
	p, err := place.Open(ctx, k.URL, places)
	if err != nil {
		return err
	}
	defer p.Close()
	w, ok := p.(place.Watcher)
	if !ok {
		return nil
	}
	return w.Watch(ctx, place.HeadFolder, func(head string) {
		if head == "" { // the place may have lost writes
			_ = vfs.RemoveIfThere(m.Histories().State, place.Folder+"/"+name+"/"+scrubbedFile)
		}
		if machine := strings.TrimPrefix(head, place.HeadFolder); machine != k.Machine {
			select {
			case machines <- machine:
			case <-ctx.Done():
			}
		}
	})
}

// OpMerge merges another copy.
var OpMerge = api.Define(api.Operation{Name: "merge", Group: "history", Effect: api.Mends, History: true,
	Summary: "Merge the changes of another copy of this memory"}, mergeCopy)

// MergeRequest merges another copy of the memory.
type MergeRequest struct {
	State      string `json:"state" jsonschema:"its state folder, an absolute path on the machine that has the memory" arg:"COPY"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory afterwards" flag:""`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
	Head       uint64 `json:"head,omitempty" jsonschema:"number that you expect of the newest commit; a newer commit is a conflict"`
}

// MergeResponse is what a merge did, or would do.
type MergeResponse struct {
	api.Merged
	Parents []merkle.Digest `json:"parents" jsonschema:"parents of the commit: the one before it, and those merged; sorted"`
}

func mergeCopy(ctx context.Context, a *api.Local, req MergeRequest) (*MergeResponse, error) {
	if !filepath.IsAbs(req.State) { // the caller's working directory may differ
		return nil, fault.Errorf("merge", req.State, fault.Invalid, "state must be an absolute path")
	}
	if err := a.Sync(ctx); err != nil {
		return nil, err
	}
	opts := a.Write()
	opts.MemoryOnly, opts.Head = req.MemoryOnly, req.Head
	c, files, conflicts, err := a.History().Merge(ctx, req.State, opts)
	if err != nil {
		return nil, err
	}
	return &MergeResponse{a.Merged(ctx, c, files, conflicts), append([]merkle.Digest{}, c.Parents...)}, nil
}
