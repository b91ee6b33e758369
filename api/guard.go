// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/linediff"
)

// Protection are the protected files. Policy is a line for each pattern, in the order
// in which they are asked: the number of its group, the mode, the pattern.
type Protection struct {
	Policy []string        `json:"policy" jsonschema:"a line for each pattern, in the order in which they are asked: number of its group, mode, pattern"`
	Files  []ProtectedFile `json:"files" jsonschema:"how each stands"`
}

// ProtectedFile is how a protected file stands.
type ProtectedFile struct {
	Path    string `json:"path" jsonschema:"the file, below the memex"`
	Mode    string `json:"mode" jsonschema:"ask or lockdown"`
	State   string `json:"state" jsonschema:"as trusted, changed, gone, new, unread, unrest or behind"`
	SHA256  string `json:"sha256" jsonschema:"of the file, empty where there is none"`
	Trusted string `json:"trusted" jsonschema:"the SHA-256 that is trusted, empty for none"`
	Parts   int    `json:"parts" jsonschema:"headlines and blocks with a trusted digest of their own"`
	Reason  string `json:"reason,omitempty" jsonschema:"why it cannot be read"`
}

// GuardDiffRequest asks what became of a protected file.
type GuardDiffRequest struct {
	Path string `json:"path" jsonschema:"the file, below the memex" arg:"PATH"`
	Text bool   `json:"text,omitempty" jsonschema:"with text diffs"`
}

// GuardDiff is what became of a protected file.
type GuardDiff struct {
	ProtectedFile
	Changes []guard.Change `json:"changes" jsonschema:"what became of headlines and blocks"`
}

// GuardRequest decides about a protected file. SHA256, unless it is "", is what the
// file held when it was looked at: a file that holds something else is a Conflict.
type GuardRequest struct {
	Path   string `json:"path" jsonschema:"the file, below the memex" arg:"PATH"`
	SHA256 string `json:"sha256,omitempty" jsonschema:"what the file held when it was looked at; another one is a conflict" flag:"DIGEST"`
}

// GuardDecision is what was decided. Seq is the number of the commit that says so,
// 0 where the file was as trusted.
type GuardDecision struct {
	ProtectedFile
	Seq uint64 `json:"seq" jsonschema:"of the commit that says so, 0 where the file was as trusted"`
}

func listProtected(ctx context.Context, l *Local, _ None) (*Protection, error) {
	if _, err := l.reading(ctx); err != nil { // its owner is told of what it finds
		return nil, err
	}
	out := &Protection{Policy: []string{}, Files: []ProtectedFile{}}
	for line := range strings.Lines(l.m.Guard().Policy()) {
		out.Policy = append(out.Policy, strings.TrimSuffix(line, "\n"))
	}
	for _, s := range l.m.Guard().Files() {
		out.Files = append(out.Files, protectedFile(&s))
	}
	return out, nil
}

func diffProtected(ctx context.Context, l *Local, req GuardDiffRequest) (*GuardDiff, error) {
	s, changes, err := l.m.Guard().Diff(ctx, l.below(req.Path))
	if err != nil {
		return nil, err
	}
	for i := range changes {
		if c := &changes[i]; req.Text {
			c.Text = linediff.Unified(linediff.Side{Name: "trusted", Line: 1}, linediff.Side{Name: "now", Line: 1}, c.Was, c.Now)
		}
	}
	return &GuardDiff{protectedFile(&s), list(changes)}, nil
}

func adoptProtected(ctx context.Context, l *Local, req GuardRequest) (*GuardDecision, error) {
	return decideProtected(ctx, l, req, l.m.Guard().Adopt)
}

func rejectProtected(ctx context.Context, l *Local, req GuardRequest) (*GuardDecision, error) {
	return decideProtected(ctx, l, req, l.m.Guard().Reject)
}

func decideProtected(ctx context.Context, l *Local, req GuardRequest,
	how func(context.Context, string, *fovea.WriteOptions) (fovea.Commit, error),
) (*GuardDecision, error) {
	opts := l.write()
	if req.SHA256 != "" {
		b, err := hex.DecodeString(req.SHA256)
		if copy(opts.Base[:], b); err != nil || len(b) != len(opts.Base) || opts.Base.IsZero() {
			return nil, invalid("guard", fmt.Errorf("%q is no SHA-256; give the 64 digits that guard diff prints", req.SHA256))
		}
	}
	if req.Path == "" {
		return nil, invalid("guard", errors.New("name the file"))
	}
	path := l.below(req.Path)
	c, err := how(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	out := &GuardDecision{Seq: c.Seq}
	for _, s := range l.m.Guard().Files() {
		if s.Path == path {
			out.ProtectedFile = protectedFile(&s)
		}
	}
	return out, nil
}

func protectedFile(s *guard.FileStatus) ProtectedFile {
	out := ProtectedFile{Path: s.Path, Mode: s.Mode.String(), State: string(s.State), Reason: s.Why}
	if s.File != guard.Absent && s.Why == "" {
		out.SHA256 = hex.EncodeToString(s.File[:])
	}
	if b := s.Baseline; b != nil && b.File != guard.Absent {
		out.Trusted, out.Parts = hex.EncodeToString(b.File[:]), len(b.Parts)
	}
	return out
}

// reading returns what readers may have now. A view that others have written after
// is taken anew: what they wrote is not what the view holds, and is no change from
// outside.
func (l *Local) reading(ctx context.Context) (*fovea.View, error) {
	v, err := l.view(ctx)
	if err != nil {
		return nil, err
	}
	g, err := l.memex.Guard().View(ctx, v)
	for range 3 {
		if err != nil || len(g.Lockdown()) == 0 {
			break
		}
		again, err := l.memex.Over(ctx, l.over...)
		if err != nil {
			return nil, err
		}
		if again == v {
			break
		}
		v = again
		if g, err = l.memex.Guard().View(ctx, v); err != nil {
			return nil, err
		}
	}
	if err == nil {
		warnGuard(l, g)
	}
	return g, err
}

// seen returns what a caller may see of the present: the owner all of it, since the
// memory itself says what may be done with what is locked down.
func (l *Local) seen(ctx context.Context) (*fovea.View, error) {
	if l.m.Guard().ByOwner(ctx) {
		return l.view(ctx)
	}
	return l.reading(ctx)
}

// warnGuard names what is left out, and what nobody has looked at.
func warnGuard(l *Local, g *fovea.View) {
	for _, w := range []struct {
		paths []string
		said  string
	}{
		{g.Lockdown(), "locked down and left out, changed outside Fovea: %s; see fovea guard diff"},
		{g.Unreviewed(), "changed outside Fovea and not reviewed yet: %s; see fovea guard diff"},
	} {
		if len(w.paths) > 0 {
			l.warn(fmt.Errorf(w.said, few(w.paths)))
		}
	}
}

// few names some of many.
func few(paths []string) string {
	const some = 5
	if len(paths) <= some {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:some], ", "), len(paths)-some)
}

// unreviewed reports whether a node stands in a file that nobody looked at since
// somebody else changed it.
func unreviewed(v *fovea.View, path string) bool { return slices.Contains(v.Unreviewed(), path) }

// trusted tells which files were trusted as they were found.
func (l *Local) trusted() func([]string) {
	return func(paths []string) {
		noun := "files are"
		if len(paths) == 1 {
			noun = "file is"
		}
		l.warn(fmt.Errorf("%d protected %s trusted as found; see fovea guard list", len(paths), noun))
	}
}
