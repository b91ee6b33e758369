// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/history"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/travel"
)

// Seals are the recipients that bundles are sealed for, and the key that opens those for this machine.
type Seals struct {
	For []place.Recipient
	Own place.Identity
}

// IPFS exchanges checkpoints with a node of IPFS; package api/ops makes it.
type IPFS struct {
	// Push puts the memory with all its projects there.
	Push func(ctx context.Context, l *Local, req CheckpointRequest) (Archived, error)
	// Restore makes the newest state that a CID names the present one of the memex, and likewise of its
	// projects, each as a commit that a rollback undoes.
	Restore func(ctx context.Context, l *Local, req RestoreRequest) (RollbackResponse, error)
	// Address returns the URL of the daemon.
	Address func() (string, error)
	// Configured reports whether the configuration names a daemon.
	Configured bool
}

// Archived is a memory that is on IPFS.
type Archived struct {
	CID     string `json:"cid" jsonschema:"on IPFS: of the newest commit, of a sealed archive that of the archive, without history the root; empty elsewhere"`
	Archive string `json:"archive,omitempty" jsonschema:"the CID with which all history comes back"`
	ipfs.Carried
}

// CheckpointRequest keeps the present state under a name.
type CheckpointRequest struct {
	Name      string `json:"name,omitempty" jsonschema:"without one it is checkpoint- and the day" arg:"NAME" mcp:""`
	To        string `json:"to,omitempty" jsonschema:"local, the default; ipfs, too; all, ipfs where it is configured" flag:"<PLACE> to put it besides: ipfs"`
	Plain     bool   `json:"plain,omitempty" jsonschema:"do not seal it" flag:"to ipfs: do not seal it, whoever has the CID can read it"`
	Seal      bool   `json:"seal,omitempty" jsonschema:"seal it also where the node of IPFS is offline" flag:"to ipfs: seal it also where the node is offline"`
	StateOnly bool   `json:"state_only,omitempty" jsonschema:"without history, which is plain" flag:"to ipfs: the notes alone, without history and plain"`
	// Withheld is why the caller may not put the memory elsewhere, "" if it may; see package ops.
	Withheld string `json:"-"`
}

// Places of checkpoints.
const (
	PlaceLocal = "local"
	PlaceIPFS  = "ipfs"
	PlaceAll   = "all" // ipfs only where it is configured
)

// Checkpoint is a state that was written out whole and can be restored by name.
type Checkpoint struct {
	Name      string `json:"name" jsonschema:"what it is called"`
	Image     string `json:"image" jsonschema:"the path of the image"`
	Seq       uint64 `json:"seq" jsonschema:"the number of the commit"`
	Root      string `json:"root" jsonschema:"the digest of the whole state"`
	Nodes     int    `json:"nodes" jsonschema:"how many documents and headlines"`
	Documents int    `json:"documents" jsonschema:"how many"`
	Archived
	Errors []string `json:"errors" jsonschema:"why it is not on IPFS, though it is here"`
}

// Failed returns why the checkpoint is missing at a requested place, nil if it is at all of them.
func (c *Checkpoint) Failed() error {
	if len(c.Errors) == 0 {
		return nil
	}
	return errors.New("checkpoint: " + strings.Join(c.Errors, "; "))
}

// RestoreRequest goes back to a checkpoint, or brings back only files.
type RestoreRequest struct {
	From       string   `json:"source,omitempty" jsonschema:"local, the default, or ipfs" flag:"<PLACE> where it is: local (default) or ipfs"`
	CID        string   `json:"cid,omitempty" jsonschema:"on ipfs: what a checkpoint answered" flag:"on ipfs: the <CID> that a checkpoint answered"`
	Name       string   `json:"name,omitempty" jsonschema:"of a checkpoint, or of a file as in files; the newest checkpoint by default" mcp:"to"`
	Files      []string `json:"files,omitempty" jsonschema:"bring back these files alone, in their newest version"`
	Missing    bool     `json:"missing,omitempty" jsonschema:"bring back the files alone that the folder has lost" flag:""`
	At         string   `json:"at,omitempty" jsonschema:"with files: as they were at this moment" flag:"with FILE: as it was at this <MOMENT>"`
	Skip       bool     `json:"skip,omitempty" jsonschema:"leave out files that changed or are open, and go on" flag:""`
	MemoryOnly bool     `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory afterwards" flag:""`
	// Cloned marks a history that was just copied from elsewhere. If it has a path that no memex may have, nothing is restored.
	Cloned bool `json:"-"`
	DryRun bool `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
	Text   bool `json:"text,omitempty" jsonschema:"of a dry run: with text diffs"`
}

// RestoreResponse is what a restore did.
type RestoreResponse struct {
	Source string `json:"source" jsonschema:"where it was: local or ipfs"`
	Name   string `json:"name" jsonschema:"what it is called"`
	RollbackResponse
}

// Head is the newest commit with a signature, which also vouches for all commits before it.
type Head = history.Head

func writeCheckpoint(ctx context.Context, l *Local, req CheckpointRequest) (*Checkpoint, error) {
	at := l.Options.IPFS
	if err := req.check(at != nil); err != nil {
		return nil, invalid("checkpoint", err)
	}
	s, image, err := l.History().Checkpoint(ctx, req.Name)
	if err != nil {
		return nil, err
	}
	st := l.On.Status()
	done := &Checkpoint{Name: s.Name, Image: image, Seq: s.Seq, Root: s.Root.String(), Nodes: st.Nodes, Documents: st.Documents, Errors: []string{}}
	if req.To == PlaceIPFS || req.To == PlaceAll && at != nil && at.Configured {
		if done.Archived, err = at.Push(ctx, l, req); err != nil {
			done.Errors = append(done.Errors, err.Error())
		}
	}
	return done, nil
}

var errNoIPFS = errors.New("this program has no access to IPFS")

// check refuses a request that contradicts itself, or one for IPFS if the program has no access to it.
func (r *CheckpointRequest) check(hasIPFS bool) error {
	switch to := cmp.Or(r.To, PlaceLocal); {
	case to != PlaceLocal && to != PlaceIPFS && to != PlaceAll:
		return fmt.Errorf("there is no place %q; the places are %s, %s and %s", to, PlaceLocal, PlaceIPFS, PlaceAll)
	case to == PlaceLocal && (r.Plain || r.Seal || r.StateOnly):
		return errors.New("plain, seal and state-only are about IPFS; say to ipfs")
	case r.Seal && (r.Plain || r.StateOnly):
		return errors.New("what is sealed is neither plain nor without its history; leave out one")
	case to == PlaceIPFS && !hasIPFS:
		return errNoIPFS
	}
	return nil
}

func restore(ctx context.Context, l *Local, req RestoreRequest) (*RestoreResponse, error) {
	switch from := cmp.Or(req.From, PlaceLocal); {
	case from != PlaceLocal && from != PlaceIPFS:
		return nil, fault.Invalidf("restore", "cannot restore from %q; only from %s and %s", from, PlaceLocal, PlaceIPFS)
	case from == PlaceIPFS && l.Options.IPFS == nil:
		return nil, invalid("restore", errNoIPFS)
	case from == PlaceIPFS:
		if err := l.Sync(ctx); err != nil {
			return nil, err
		}
		done, err := l.Options.IPFS.Restore(ctx, l, req)
		return &RestoreResponse{PlaceIPFS, req.CID, done}, err
	case req.CID != "":
		return nil, fault.Invalidf("restore", "a cid names something on ipfs; say source ipfs, too")
	}
	at, err := momentOf(ctx, l, req.At, false)
	if err != nil {
		return nil, err
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	if req.Missing || len(req.Files) > 0 || req.Name == "" && !isSnapshot(l, "") && len(l.On.Folder().Missing()) > 0 {
		return restoreFiles(ctx, l, req, at)
	}
	from, c, files, err := l.History().Restore(ctx, req.Name, writeFiles(l, req.Skip, req.MemoryOnly))
	if req.Name != "" && !isSnapshot(l, req.Name) {
		req.Files, req.Name = []string{req.Name}, ""
		if found, fileErr := restoreFiles(ctx, l, req, at); fovea.KindOf(fileErr) != fovea.NotFound {
			return found, fileErr
		}
	}
	if err != nil {
		return nil, err
	}
	return &RestoreResponse{Source: PlaceLocal, Name: from.Name, RollbackResponse: l.RolledBack(ctx, c, files, req.MemoryOnly)}, nil
}

// isSnapshot reports whether a snapshot has a name; "" is any.
func isSnapshot(l *Local, name string) bool {
	return slices.ContainsFunc(l.History().Snapshots(), func(s history.Snapshot) bool { return s.Name != "" && (name == "" || s.Name == name) })
}

// restoreFiles brings back the files of the request, or those that are missing, also in the projects.
func restoreFiles(ctx context.Context, l *Local, req RestoreRequest, at string) (*RestoreResponse, error) {
	opts := writeFiles(l, req.Skip, req.MemoryOnly)
	switch {
	case req.Name != "":
		return nil, fault.Invalidf("restore", "a checkpoint and files cannot be restored in one; name one or the other")
	case req.Missing && len(req.Files) > 0:
		return nil, fault.Invalidf("restore", "name files, or say missing for all that the folder has lost; not both")
	case req.Missing && at != "":
		return nil, fault.Invalidf("restore", "a moment goes with files that are named; fovea rollback brings back all as it was")
	case req.Missing && req.MemoryOnly:
		return nil, fault.Invalidf("restore", "memory has the missing files already; leave out memory-only")
	}
	paths := each(req.Files, l.Below)
	if req.Cloned {
		project := func(m *fovea.Memory) error { return travel.Refuse(travel.Of(m.History())) }
		if err := errors.Join(travel.Refuse(l.History()), eachProject(ctx, l.On, project)); err != nil {
			return nil, err
		}
	}
	c, files, err := l.History().RestoreFiles(ctx, paths, at, opts)
	if err != nil {
		return nil, err
	}
	out := &RestoreResponse{Source: PlaceLocal, RollbackResponse: l.RolledBack(ctx, c, files, req.MemoryOnly)}
	if l.On != l.Memex || len(paths) > 0 {
		return out, nil
	}
	return out, eachProject(ctx, l.On, func(project *fovea.Memory) error {
		c, files, err := project.History().RestoreFiles(ctx, nil, "", opts)
		out.RestoredFiles, out.Left = append(out.RestoredFiles, files...), append(out.Left, c.Left...)
		return err
	})
}

// eachProject calls do for each project of a memex.
func eachProject(ctx context.Context, m *fovea.Memory, do func(*fovea.Memory) error) error {
	for _, name := range m.Status().Scopes {
		if !strings.HasPrefix(name, "project/") {
			continue
		}
		if project, err := m.Scope(ctx, name); err != nil {
			return err
		} else if err = do(project); err != nil {
			return err
		}
	}
	return nil
}

// RolledBack returns where the memory is after a commit, which is zero if nothing had to change, and what was done to the files.
func (l *Local) RolledBack(ctx context.Context, c fovea.Commit, files []string, memoryOnly bool) RollbackResponse {
	written, removed := parted(ctx, l, c, files)
	at := c
	if c.Seq == 0 {
		at = l.On.View().Head()
	}
	out := RollbackResponse{Root: at.Root.String(), Seq: at.Seq, RestoredFiles: written, RemovedFiles: removed, Drift: []string{},
		Left: c.Left, Would: l.Would(ctx, c)}
	if memoryOnly {
		out.RestoredFiles, out.RemovedFiles, out.Drift = []string{}, []string{}, list(files)
	}
	return out
}

// parted splits files into those that memory has at a commit or would have after a dry run, which were
// written, and the others, which were removed.
func parted(ctx context.Context, l *Local, c fovea.Commit, files []string) (written, removed []string) {
	v := l.On.View()
	if c.Seq != 0 && c.Seq != v.Head().Seq { // others committed since
		if then, err := heldAt(ctx, l, fmt.Sprintf("seq:%d", c.Seq)); err == nil {
			v = then
		}
	}
	after := map[string]bool{} // a dry run: whether it would have a file
	if c.Would != nil {
		for was, is := range c.Would.All() {
			if was != nil && !after[was.Path] {
				after[was.Path] = false
			}
			if is != nil {
				after[is.Path] = true
			}
		}
	}
	written, removed = []string{}, []string{}
	for _, path := range files {
		has, dry := after[path]
		if !dry {
			_, has = v.Text(path)
		}
		if has {
			written = append(written, path)
		} else {
			removed = append(removed, path)
		}
	}
	return written, removed
}

func signHead(ctx context.Context, l *Local, _ None) (*Head, error) {
	return l.History().SignedHead(ctx)
}
