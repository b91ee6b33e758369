// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// Folders of the copies, and the file in each that lists its content.
const (
	copiesFolder = "copies"
	freshSuffix  = ".new"
	copyFile     = "copy.json"
)

// machineName matches the names that NewMachine makes. Other files in the folder of heads, such as
// conflict copies of a sync program, are ignored.
var machineName = regexp.MustCompile(`^[A-Za-z0-9-]{1,40}\.[0-9a-f]{12}$`)

// copied describes the copy of a machine's history.
type copied struct {
	Head   Head   `json:"head"`
	Sum    string `json:"sum"`
	Merged string `json:"merged"` // the Sum of the version that was merged
	// Partly means that a part of Head has not arrived or was not read.
	Partly bool `json:"partly,omitempty"`
}

// Other is the history of another machine, as far as it was read.
type Other struct {
	Machine string
	Head    Head
	// In is the state folder of the copy.
	In vfs.FS
	// Scopes are the scopes of the copy, memex first.
	Scopes []string
	// New reports whether something arrived since the last merge, see Remote.Merged.
	New bool
	// Member is the member who signed it, the zero Member if there is no list.
	Member Member
	// Problem is the reason why a part of it is missing, nil if none is.
	Problem error
}

// Pull copies the logs of the named machines, or of all others, into the state folder. If a log
// cannot be read, or no member signed it, its Problem is set, and the others are read. Errors:
// ErrMember for the list itself, those of the place and of the state folder.
func (r *Remote) Pull(ctx context.Context, machines ...string) ([]Other, error) {
	err := r.same(ctx)
	if err == nil && len(machines) == 0 {
		machines, err = r.machines(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("pull: %w", err)
	}
	var known pushed
	if err := vfs.ReadJSON(r.State, pushedFile, &known); err != nil {
		return nil, fmt.Errorf("pull: %w", err)
	}
	var all []Other
	for _, machine := range machines {
		if machine == known.Machine || machine == r.Machine || !machineName.MatchString(machine) {
			continue
		}
		o, err := r.pull(ctx, machine)
		if err != nil {
			return nil, fmt.Errorf("pull: %s: %w", machine, err)
		}
		all = append(all, o)
	}
	return all, nil
}

// machines lists the machines that have a log.
func (r *Remote) machines(ctx context.Context) (all []string, err error) {
	names, err := r.Place.List(ctx, HeadFolder)
	for _, name := range names {
		if machine := strings.TrimPrefix(name, HeadFolder); machineName.MatchString(machine) {
			all = append(all, machine)
		}
	}
	return all, err
}

// pull reads the log of one machine. Its error is an error of this machine.
func (r *Remote) pull(ctx context.Context, machine string) (o Other, err error) {
	o.Machine = machine
	folder := copiesFolder + "/" + machine
	if o.In, err = vfs.Sub(r.State, folder); err != nil {
		return o, err
	}
	var have copied
	if err := vfs.ReadJSON(r.State, folder+"."+copyFile, &have); err != nil {
		have = copied{Partly: true} // start over
	}
	h, data, by, err := r.head(ctx, machine)
	if was, _ := r.list.signer(have.Head); was.Key != "" && was.Key != by.Key && err == nil {
		by, err = Member{}, fmt.Errorf("%s signed its log, which is that of %s: %w", by.Name, was.Name, ErrMember)
	}
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case err != nil:
		o.Problem = err
	case have.Sum == tagOf(data) && !have.Partly:
	case h.Count < have.Head.Count, h.Count == have.Head.Count && have.Sum != tagOf(data):
		o.Problem = ErrBack
	default:
		o.Problem = r.follow(ctx, folder, &have, h, tagOf(data))
		o.In, err = vfs.Sub(r.State, folder) // follow may have replaced it
		if err != nil {
			return o, err
		}
	}
	o.Head, o.New = have.Head, have.Merged != have.Sum || have.Partly
	o.Scopes, o.Member = ScopesOf(have.Head.Packs), by
	o.New = o.New && (r.list.Number == 0 || by.Key != "") // a log that no member signed is not merged
	return o, nil
}

// ScopesOf lists the scopes of packs, the memex first: the names of projects are greater.
func ScopesOf(packs []Pack) []string {
	var names []string
	for _, p := range packs {
		for _, s := range p.Scopes {
			names = append(names, s.Scope)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// follow updates a copy to a head.
func (r *Remote) follow(ctx context.Context, folder string, have *copied, h Head, sum string) error {
	state := folder + "." + copyFile
	was := *have
	have.Partly = true
	if err := vfs.WriteJSON(r.State, state, have); err != nil {
		return err
	}
	err := r.update(ctx, folder, was.Head.Packs, h.Packs)
	if errors.Is(err, ErrFork) || errors.Is(err, ErrBehind) || was.Partly && err != nil && !errors.Is(err, ErrNone) {
		err = r.anew(ctx, folder, was.Head.Packs, h.Packs)
	}
	if errors.Is(err, ErrNone) {
		return fmt.Errorf("not all of it has arrived yet: %w", err)
	}
	if err != nil {
		return err
	}
	*have = copied{Head: h, Sum: sum, Merged: was.Merged}
	return vfs.WriteJSON(r.State, state, have)
}

// update updates a copy to the packs of a head.
func (r *Remote) update(ctx context.Context, folder string, had, packs []Pack) error {
	in, err := vfs.Sub(r.State, folder)
	if err == nil {
		_, err = r.apply(ctx, in, "", had, packs)
	}
	return err
}

// apply reads the packs with new commits into a state folder, see ReadInto. It returns the header of the
// last one.
func (r *Remote) apply(ctx context.Context, in vfs.FS, memex string, had, packs []Pack) (last Header, err error) {
	for i, p := range packs {
		// A log that was rewritten from its first pack on, as after a purge, lacks blocks that must be removed here too.
		isAnew := i == 0 && len(had) > 0 && !slices.Equal(p.Pieces, had[0].Pieces)
		if !brings(had, p) && !isAnew {
			continue
		}
		stream, err := r.stream(ctx, p)
		if err == nil {
			last, err = ReadInto(ctx, in, stream, memex)
		}
		if err != nil {
			return last, err
		}
	}
	return last, nil
}

// brings reports whether a pack has commits that earlier packs lack.
func brings(had []Pack, p Pack) bool {
	return slices.ContainsFunc(p.Scopes, func(s Span) bool {
		last, there := At(had, s.Scope)
		return !there || s.Seq > last.Seq || s.Seq == last.Seq && s.Head != last.Head
	})
}

// anew makes a new copy from the first pack on, which replaces the earlier one if it has all of its
// commits.
func (r *Remote) anew(ctx context.Context, folder string, had, packs []Pack) error {
	fresh := folder + freshSuffix
	if err := vfs.RemoveAll(r.State, fresh); err != nil {
		return err
	}
	if err := r.update(ctx, fresh, nil, packs); err != nil {
		return err
	}
	if err := r.contains(fresh, had); err != nil {
		return err
	}
	if err := vfs.RemoveAll(r.State, folder); err != nil {
		return err
	}
	return errors.Join(r.State.Rename(fresh, folder), r.State.SyncDir(copiesFolder))
}

// contains returns ErrBack for a copy that lacks the head of an earlier scope.
func (r *Remote) contains(folder string, had []Pack) (err error) {
	for _, name := range ScopesOf(had) {
		last, _ := At(had, name)
		dir := folder
		if name != scope.Memex {
			dir += "/" + scope.Folder + "/" + scope.FolderOf(name)
		}
		if _, err := r.State.Stat(dir); errors.Is(err, fs.ErrNotExist) {
			return ErrBack
		}
		in, err := vfs.Sub(r.State, dir)
		if err != nil {
			return err
		}
		s, err := scope.OpenCopy(in, "")
		if err != nil {
			return err
		}
		_, err = s.Block(last.Head)
		if cerr := s.Close(); err != nil || cerr != nil {
			return errors.Join(ErrBack, err, cerr)
		}
	}
	return nil
}

// Merged records that the result of Pull for a machine was merged.
func (r *Remote) Merged(machine string) error {
	name := copiesFolder + "/" + machine + "." + copyFile
	var have copied
	if err := vfs.ReadJSON(r.State, name, &have); err != nil {
		return err
	}
	if have.Merged = have.Sum; have.Partly {
		return nil
	}
	return vfs.WriteJSON(r.State, name, have)
}
