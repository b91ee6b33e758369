// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/ipfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/internal/view"
)

// The operations that keep a history sound.
var (
	OpVerify = Define(Operation{Name: "verify", Group: "care",
		Summary: "Verify the whole memory from its bytes"}, verify)
	OpRepair = Define(Operation{Name: "repair", Group: "care", Effect: Mends, History: true,
		Summary: "Repair a damaged memory, and report what is lost"}, repair)
	OpRetain = Define(Operation{Name: "retain", Group: "care", Effect: Mends, History: true,
		Summary: "Thin the history: drop old versions by their age"}, thinHistory)
	OpPurge = Define(Operation{Name: "purge", Scan: true, Group: "care", Effect: Mends, History: true,
		Summary: "Remove every version of nodes, or of a text, from history for good"}, purgeHistory)
)

// VerifyRequest is what the history must agree with.
type VerifyRequest struct {
	Anchors []string `json:"anchors,omitempty" jsonschema:"texts of signed heads, as head gives them"`
	Files   bool     `json:"files,omitempty" jsonschema:"also compare each file with the memory" flag:"compare each file with the memory too"`
}

// VerifyResponse is what verification found. Problems of the kinds purged, thinned and lost are not damage:
// a commit records that the content was removed.
type VerifyResponse struct {
	OK       bool      `json:"ok" jsonschema:"nothing is damaged"`
	Checked  int       `json:"checked" jsonschema:"commits, blocks and nodes recomputed"`
	Problems []Problem `json:"problems" jsonschema:"what was found"`
}

// RepairRequest repairs a damaged memory.
type RepairRequest struct {
	DryRun bool `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:""`
}

// RepairResponse is what a repair does, or would do.
type RepairResponse struct {
	Done bool      `json:"done" jsonschema:"false for a dry run, and where there was nothing to do"`
	Plan []Problem `json:"plan" jsonschema:"kinds damaged, aside, lost"`
	Seq  uint64    `json:"seq" jsonschema:"of the newest commit"`
	Root string    `json:"root" jsonschema:"the digest of the whole state"`
}

// RetainRequest thins the history. An age is a number with the unit h, d, w or y, or has the form of time.ParseDuration.
type RetainRequest struct {
	KeepAll string `json:"keep_all,omitempty" jsonschema:"all younger moments stay" flag:"keep every moment younger than this <AGE>"`
	Hourly  string `json:"hourly,omitempty" jsonschema:"of younger ones the last of each hour" flag:"keep the last of each hour younger than this <AGE>"`
	Daily   string `json:"daily,omitempty" jsonschema:"of younger ones the last of each day" flag:"keep the last of each day younger than this <AGE>"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"count what would be dropped"`
}

// RetainResponse is what thinning did, or would do.
type RetainResponse struct {
	Moments int    `json:"moments" jsonschema:"commits whose states are no longer kept"`
	Blocks  int    `json:"blocks" jsonschema:"dropped"`
	Seq     uint64 `json:"seq" jsonschema:"of the commit that records it, 0 for none"`
}

// PurgeRequest removes content from history for good.
type PurgeRequest struct {
	IDs    []string `json:"ids,omitempty" jsonschema:"every version of these nodes" arg:"ID..."`
	Text   string   `json:"text,omitempty" jsonschema:"every version that holds this" flag:"@every version with this <TEXT>; - leaves no trace in a shell"`
	DryRun bool     `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"count what would be purged"`
}

// PurgeResponse is what a purge did, or would do.
type PurgeResponse struct {
	Versions int    `json:"versions" jsonschema:"how many were removed"`
	Seq      uint64 `json:"seq" jsonschema:"of the commit that records it, 0 for a dry run"`
	// Copies elsewhere that this machine knows of; it does not know of bundles that were given away.
	Remotes []string `json:"remotes,omitempty" jsonschema:"remotes that may hold it until the next push rewrites this machine's part"`
	IPFS    []string `json:"ipfs,omitempty" jsonschema:"CIDs of what was put on IPFS or read there, newest first: out of reach, each may hold it"`
}

func repair(ctx context.Context, l *Local, req RepairRequest) (*RepairResponse, error) {
	plan, err := l.On.Mending().Repair(ctx, l.Write())
	if err != nil {
		return nil, err
	}
	l.warnOthers()
	head := l.On.View().Head()
	return &RepairResponse{Done: !req.DryRun && len(plan) > 0, Plan: list(plan), Seq: head.Seq, Root: head.Root.String()}, nil
}

func thinHistory(ctx context.Context, l *Local, req RetainRequest) (*RetainResponse, error) {
	var ages [3]time.Duration
	for i, text := range []string{req.KeepAll, req.Hourly, req.Daily} {
		var err error
		if ages[i], err = age(text); err != nil {
			return nil, fault.Wrap("retain", text, fault.Invalid, err)
		}
	}
	if err := l.Sync(ctx); err != nil {
		return nil, err
	}
	c, moments, blocks, err := l.On.Mending().Retain(ctx, ages[0], ages[1], ages[2], l.Write())
	if err != nil {
		return nil, err
	}
	l.warnOthers()
	return &RetainResponse{Moments: moments, Blocks: blocks, Seq: c.Seq}, nil
}

func purgeHistory(ctx context.Context, l *Local, req PurgeRequest) (*PurgeResponse, error) {
	ids := make([]string, len(req.IDs))
	for i, name := range req.IDs {
		var err error
		if ids[i], err = view.Of(l.On.View()).FormerID(name); err != nil {
			return nil, Named(err, "purge")
		}
	}
	c, versions, err := l.On.Mending().Purge(ctx, ids, req.Text, l.Write())
	if err != nil {
		return nil, err
	}
	if name := l.On.Status().Scope; req.Text != "" && !strings.HasPrefix(name, author.SessionPrefix) {
		l.warnOthers(author.SessionPrefix) // which a purge of a text reaches
	} else {
		l.warnOthers()
	}
	r := &PurgeResponse{Versions: versions, Seq: c.Seq}
	return r, elsewhere(l.Memex.Histories().State, r)
}

// elsewhere fills in the places from which a purge removes nothing.
func elsewhere(state vfs.FS, r *PurgeResponse) (err error) {
	if r.Remotes, err = place.Names(state); err != nil {
		return fault.Wrap("purge", "the purge is done, but its remotes are not known", fault.Other, err)
	}
	placed, err := ipfs.Placed(state)
	if err != nil {
		return fault.Wrap("purge", "the purge is done, but what is on IPFS is not known", fault.Other, err)
	}
	for _, d := range placed {
		r.IPFS = append(r.IPFS, d.String())
	}
	return nil
}

const day = 24 * time.Hour

// age parses an age as a person writes it; "" is 0.
func age(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	for unit, length := range map[string]time.Duration{"d": day, "w": 7 * day, "y": 365 * day} {
		number, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.ParseUint(number, 10, 16); ok && err == nil && n <= uint64(maxAge/length) {
			return time.Duration(n) * length, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 0 {
		return 0, errors.New("not an age; write one as 12h, 7d, 4w or 1y")
	}
	return d, nil
}

const maxAge = 200 * 365 * day

// verified returns the answer for problems that were found.
func verified(checked int, found []Problem) *VerifyResponse {
	damaged := func(p Problem) bool { return !slices.Contains([]string{"purged", "thinned", "lost"}, p.Kind) }
	return &VerifyResponse{OK: !slices.ContainsFunc(found, damaged), Checked: checked, Problems: list(found)}
}

func verify(ctx context.Context, l *Local, req VerifyRequest) (*VerifyResponse, error) {
	checked, found, err := l.On.Mending().Verify(ctx, req.Anchors...)
	if err == nil && checked+len(found) == 0 && l.On.View().Head().Seq == 0 {
		return nil, fault.Errorf("verify", l.On.Dir(), fault.NotFound, "there is no memory of it yet, and nothing to prove; "+
			"fovea ingest begins one. If there was one, its state folder is gone: see fovea status")
	}
	found = withoutScopes(author.GrantOf(ctx), found)
	if err != nil || !req.Files {
		return verified(checked, found), err
	}
	if err := l.Sync(ctx); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	files, differ, err := l.On.Mending().VerifyFiles(ctx)
	return verified(checked+files, append(found, differ...)), err
}

// withoutScopes removes the details from problems of scopes that a grant is not for.
func withoutScopes(g Grant, found []Problem) []Problem {
	for i := range found {
		scope, _, _ := strings.Cut(found[i].Path, ":")
		if !g.Reaches(scope) {
			found[i] = Problem{Path: "another scope", Kind: found[i].Kind, Message: "its owner can look"}
		}
	}
	return found
}
