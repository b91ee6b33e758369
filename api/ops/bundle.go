// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ops

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// The operations on bundles.
var (
	OpBundleWrite = api.Define(api.Operation{Name: "bundle-write", Group: "history", Effect: api.Mends, Scan: true,
		Summary: "Write the memory with all its history into one file"}, writeBundle)
	OpBundleRead = api.Define(api.Operation{Name: "bundle-read", Effect: api.Mends,
		Summary: "Merge a bundle, as a commit that can be undone"}, readBundle)
)

// BundleRequest says where to write a bundle, and for whom.
type BundleRequest struct {
	File  string   `json:"file" jsonschema:"an absolute path; an existing bundle is replaced" arg:"FILE" path:"absolute"`
	Since []string `json:"since,omitempty" jsonschema:"commits that the receiver has" flag:"only what is newer than this <COMMIT>, one for each scope"`
	Plain bool     `json:"plain,omitempty" jsonschema:"do not seal it" flag:"do not seal it: anyone with the file can read it"`
	For   []string `json:"for,omitempty" jsonschema:"more age recipients to seal it for" flag:"seal it for this age <RECIPIENT>, too"`
}

// BundleScope is the history of a scope in a bundle.
type BundleScope = place.Scope

// Bundle is a bundle that was written.
type Bundle struct {
	File   string        `json:"file" jsonschema:"where it is"`
	Bytes  int64         `json:"bytes" jsonschema:"its size before it is sealed"`
	Blocks int           `json:"blocks" jsonschema:"how many"`
	Sealed bool          `json:"sealed" jsonschema:"whether it is sealed"`
	Scopes []BundleScope `json:"scopes" jsonschema:"what it holds"`
}

// BundleReadRequest names a bundle to merge.
type BundleReadRequest struct {
	File       string `json:"file" jsonschema:"an absolute path on the machine that has the memory" arg:"FILE" path:"absolute"`
	Replace    bool   `json:"replace,omitempty" jsonschema:"it may be of another memory" flag:"make its state the present one instead of merging"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory afterwards" flag:""`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

func writeBundle(ctx context.Context, a *api.Local, req BundleRequest) (*Bundle, error) {
	const op = "bundle write"
	if !filepath.IsAbs(req.File) {
		return nil, fault.Errorf(op, req.File, fault.Invalid, "file must be an absolute path")
	}
	to, err := recipients(a, op, req)
	if err != nil {
		return nil, err
	}
	sources, release, err := a.Memex.Histories().Take(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for _, since := range req.Since {
		if err := goOn(ctx, sources, since); err != nil {
			return nil, err
		}
	}
	in, err := vfs.Dir(filepath.Dir(req.File))
	if err != nil {
		return nil, fault.Wrap(op, req.File, fault.NotFound, err)
	}
	defer in.Close()
	var done place.Summary
	if err := replaceable(in, filepath.Base(req.File)); err != nil {
		return nil, fault.Wrap(op, req.File, fault.Conflict, err)
	}
	if err := vfs.WriteAtomicFunc(in, filepath.Base(req.File), 0o600, func(w io.Writer) error {
		return place.Sealed(w, to, func(w io.Writer) (err error) {
			done, err = place.WriteBundle(ctx, w, sources)
			return err
		})
	}); err != nil {
		return nil, fault.Wrap(op, req.File, kindOf(err), err)
	}
	return &Bundle{File: req.File, Bytes: done.Bytes, Blocks: done.Blocks, Sealed: len(to) > 0, Scopes: done.Scopes}, nil
}

// replaceable refuses to replace a file that is not a bundle.
func replaceable(in vfs.FS, name string) error {
	f, err := in.OpenFile(name, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	first := make([]byte, len(place.SealPrefix))
	n, err := f.ReadAt(first, 0)
	if err != nil && err != io.EOF {
		return err
	}
	if string(first[:n]) == place.SealPrefix {
		return nil
	}
	if _, err := place.PeekBundle(io.NewSectionReader(f, 0, place.MaxHeader+place.MaxBlock)); err != nil {
		return errors.New("the file exists and is not a bundle; name another one")
	}
	return nil
}

// recipients returns the recipients that a bundle is sealed for, none for a plain one.
func recipients(a *api.Local, op string, req BundleRequest) ([]place.Recipient, error) {
	if req.Plain {
		if len(req.For) > 0 {
			return nil, fault.Errorf(op, req.File, fault.Invalid, "a plain bundle has no recipients; leave out plain or for")
		}
		return nil, nil
	}
	var to []place.Recipient
	if a.Options.Seals != nil {
		seals, err := a.Options.Seals()
		if err != nil {
			return nil, fault.Wrap(op, req.File, fault.Other, err)
		}
		to = append(to, seals.For...)
	}
	for _, text := range req.For {
		r, err := place.ParseRecipient(text)
		if err != nil {
			return nil, fault.Errorf(op, req.File, fault.Invalid, "for: %w", err)
		}
		to = append(to, r)
	}
	if len(to) == 0 {
		return nil, fault.Errorf(op, req.File, fault.Invalid, "it has no recipients; name one with for, or say plain")
	}
	return to, nil
}

// goOn limits the source that has a commit to what is newer. Errors: Invalid, NotFound.
func goOn(ctx context.Context, sources []place.Source, since string) error {
	d, err := merkle.Parse(since)
	if err != nil {
		return fault.Errorf("bundle write", "since", fault.Invalid, `%s: not the digest of a commit, as "fovea bundle verify" prints it`, since)
	}
	for i := range sources {
		if err = sources[i].GoOn(ctx, d); err == nil {
			return nil
		}
	}
	if len(sources) > 0 && errors.Is(err, store.ErrNotFound) {
		const what = `no history here has the commit %s; "fovea bundle verify" prints the commits that a bundle ends with, and without since it has all`
		err = fmt.Errorf(what, d)
	}
	return fault.Wrap("bundle write", "since", fault.NotFound, err)
}

// Unsealed returns the stream of a bundle, opened with a key if it is sealed.
func Unsealed(r io.Reader, keys func() (api.Seals, error)) (io.Reader, error) {
	in := bufio.NewReader(r)
	first, err := in.Peek(len(place.SealPrefix))
	if err != nil && err != io.EOF || string(first) != place.SealPrefix {
		return in, nil // the reader refuses a short file
	}
	if keys == nil {
		return nil, place.ErrNoKey
	}
	seals, err := keys()
	if err != nil {
		return nil, err
	}
	opened, err := place.Unseal(in, seals.Own)
	if errors.Is(err, place.ErrNoKey) {
		err = fmt.Errorf("%w; copy seal.key of the machine that wrote it beside the configuration here, or name this machine in seal_for there", err)
	}
	return opened, err
}

func readBundle(ctx context.Context, a *api.Local, req BundleReadRequest) (all []Brought, err error) {
	const op = "bundle read"
	if !filepath.IsAbs(req.File) {
		return nil, fault.Errorf(op, req.File, fault.Invalid, "file must be an absolute path")
	}
	if _, err := a.View(ctx); err != nil { // the folder is read first
		return nil, err
	}
	err = receive(ctx, a, func(in vfs.FS) error {
		h, err := unpack(ctx, a, req, in)
		if err != nil {
			return fault.Wrap(op, req.File, kindOf(err), err)
		}
		var scopes []string
		for _, s := range h.Scopes {
			scopes = append(scopes, s.Name)
		}
		return bringAll(ctx, a, in, scopes, filepath.Base(req.File), bringing{replace: req.Replace, memoryOnly: req.MemoryOnly},
			func(b Brought, _ fovea.Commit) error {
				all = append(all, b)
				return nil
			})
	})
	return all, fault.Wrap(op, req.File, fault.Other, err)
}

// unpack reads the bundle into a folder, after the histories that it continues.
func unpack(ctx context.Context, a *api.Local, req BundleReadRequest, to vfs.FS) (h place.Header, err error) {
	f, err := vfs.OpenPlain(req.File, os.O_RDONLY, 0)
	if err != nil {
		return h, err
	}
	defer f.Close()
	in, err := Unsealed(f, a.Options.Seals)
	if err == nil {
		h, err = place.PeekBundle(in)
	}
	if err == nil {
		err = prepare(ctx, a, req, to, h)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		in, err = Unsealed(f, a.Options.Seals)
	}
	if err != nil {
		return h, err
	}
	return place.ReadInto(ctx, to, in, "")
}

// prepare refuses a bundle of another memory, and copies the histories that a bundle of changes continues.
func prepare(ctx context.Context, a *api.Local, req BundleReadRequest, in vfs.FS, h place.Header) error {
	sources, release, err := a.Memex.Histories().Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	var before []place.Source
	for _, s := range h.Scopes {
		for _, ours := range sources {
			if ours.Name != s.Name {
				continue
			}
			if ours.First != s.First && !req.Replace {
				return fault.Errorf("bundle read", req.File, fault.Invalid,
					"it is of another memory; fovea clone makes a memory of it, --replace puts its state in place of this one")
			}
			if s.SinceSeq > 0 {
				if err := ours.UpTo(ctx, s.Since); err != nil {
					return err
				}
				before = append(before, ours)
			}
		}
	}
	if len(before) == 0 {
		return nil
	}
	from, to := io.Pipe()
	go func() {
		_, err := place.WriteBundle(ctx, to, before)
		_ = to.CloseWithError(err) // it returns nil
	}()
	_, err = place.ReadInto(ctx, in, from, "")
	return errors.Join(err, from.Close())
}

// kindOf returns the kind of an error about a bundle or a place.
func kindOf(err error) fault.Kind {
	damaged, isDamaged := errors.AsType[*place.Error](err)
	switch kind := fault.KindOf(err); {
	case kind != fault.Other:
		return kind
	case isAny(err, place.ErrNothing, place.ErrBundle, place.ErrNoKey, place.ErrPassphrase,
		place.ErrURL, place.ErrLocked, place.ErrOther, place.ErrLies),
		isDamaged && damaged.Block <= 1 && errors.Is(err, place.ErrStream):
		return fault.Invalid
	case errors.Is(err, place.ErrNoAnswer):
		return fault.Unreachable
	case isAny(err, place.ErrRight, place.ErrMember):
		return fault.Denied
	case isAny(err, place.ErrBehind, fs.ErrNotExist, place.ErrNone, place.ErrAway, place.ErrFolder, place.ErrPart):
		return fault.NotFound
	case isAny(err, place.ErrChanged, place.ErrReplaced):
		return fault.Conflict
	case isDamaged, isAny(err, place.ErrSeal, place.ErrFork, place.ErrDamaged, place.ErrFormat, place.ErrBack):
		return fault.Corrupt
	}
	return fault.Other
}

// isAny reports whether an error is any of some.
func isAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}
