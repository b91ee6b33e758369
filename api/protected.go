// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/guard"
	"github.com/fovea-memory/fovea/internal/ingest"
	"github.com/fovea-memory/fovea/internal/text"
)

// The operations on protected files.
var (
	OpGuard = Define(Operation{Name: "guard", Group: "agents",
		Summary: "List the protected files and their states"}, listProtected)
	OpGuardDiff = Define(Operation{Name: "guard-diff", Scan: true,
		Summary: "Show what changed in a protected file, part by part"}, diffProtected)
	OpGuardAdopt = Define(Operation{Name: "guard-adopt", Effect: Mends,
		Summary: "Trust a protected file as it is"}, decideProtected((*ingest.Guard).Adopt))
	OpGuardReject = Define(Operation{Name: "guard-reject", Effect: Mends,
		Summary: "Restore the trusted text of a protected file"}, decideProtected((*ingest.Guard).Reject))
)

// Protection lists the protected files and the policy.
type Protection struct {
	Policy []string        `json:"policy" jsonschema:"a line for each pattern, in the order in which they apply: number of its group, mode, pattern"`
	Files  []ProtectedFile `json:"files" jsonschema:"with the state of each"`
}

// ProtectedFile is the state of a protected file.
type ProtectedFile struct {
	Path    string `json:"path" jsonschema:"the file, below the memex"`
	Mode    string `json:"mode" jsonschema:"ask or lockdown"`
	State   string `json:"state" jsonschema:"as trusted, changed, gone, new, unread, unrest or behind"`
	SHA256  string `json:"sha256" jsonschema:"of the file, empty where there is none"`
	Trusted string `json:"trusted" jsonschema:"the SHA-256 that is trusted, empty for none"`
	Parts   int    `json:"parts" jsonschema:"headlines and blocks with a trusted digest of their own"`
	Reason  string `json:"reason,omitempty" jsonschema:"why it cannot be read"`
}

// GuardDiffRequest asks how a protected file changed.
type GuardDiffRequest struct {
	Path string `json:"path" jsonschema:"the file, below the memex" arg:"PATH"`
	Text bool   `json:"text,omitempty" jsonschema:"with text diffs"`
}

// GuardDiff is how a protected file changed.
type GuardDiff struct {
	ProtectedFile
	Changes []guard.Change `json:"changes" jsonschema:"the changed headlines and blocks"`
}

// GuardRequest decides about a protected file.
type GuardRequest struct {
	Path   string `json:"path" jsonschema:"the file, below the memex" arg:"PATH"`
	SHA256 string `json:"sha256,omitempty" jsonschema:"of the file as it was reviewed; if the file has another one now, that is a conflict" flag:"DIGEST"`
}

// GuardDecision is the result of a decision.
type GuardDecision struct {
	ProtectedFile
	Seq uint64 `json:"seq" jsonschema:"of the commit that records it, 0 if the file was as trusted"`
}

func listProtected(ctx context.Context, l *Local, _ None) (*Protection, error) {
	if _, err := l.Readable(ctx); err != nil { // warns of what it finds
		return nil, err
	}
	out := &Protection{Policy: []string{}, Files: []ProtectedFile{}}
	for line := range strings.Lines(l.On.Guard().Policy()) {
		out.Policy = append(out.Policy, strings.TrimSuffix(line, "\n"))
	}
	for _, s := range l.On.Guard().Files() {
		out.Files = append(out.Files, protectedFile(&s))
	}
	return out, nil
}

func diffProtected(ctx context.Context, l *Local, req GuardDiffRequest) (*GuardDiff, error) {
	s, changes, err := l.On.Guard().Diff(ctx, l.Below(req.Path))
	if err != nil {
		return nil, err
	}
	for i := range changes {
		if c := &changes[i]; req.Text {
			c.Text = text.Unified(text.Side{Name: "trusted", Line: 1}, text.Side{Name: "now", Line: 1}, c.Was, c.Now)
		}
	}
	return &GuardDiff{protectedFile(&s), list(changes)}, nil
}

// decideProtected returns the handler of a decision about a protected file.
func decideProtected(how func(*ingest.Guard, context.Context, string, *fovea.WriteOptions) (fovea.Commit, error),
) func(context.Context, *Local, GuardRequest) (*GuardDecision, error) {
	return func(ctx context.Context, l *Local, req GuardRequest) (*GuardDecision, error) {
		opts := l.Write()
		if req.SHA256 != "" {
			b, err := hex.DecodeString(req.SHA256)
			if copy(opts.Base[:], b); err != nil || len(b) != len(opts.Base) || opts.Base.IsZero() {
				return nil, fault.Invalidf("guard", "%q is no SHA-256; give the 64 digits that guard diff prints", req.SHA256)
			}
		}
		if req.Path == "" {
			return nil, fault.Invalidf("guard", "name the file")
		}
		path := l.Below(req.Path)
		c, err := how(l.On.Guard(), ctx, path, opts)
		if err != nil {
			return nil, err
		}
		out := &GuardDecision{Seq: c.Seq}
		for _, s := range l.On.Guard().Files() {
			if s.Path == path {
				out.ProtectedFile = protectedFile(&s)
			}
		}
		return out, nil
	}
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
