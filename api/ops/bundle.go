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
		Summary: "Bring in what a bundle has, as a commit that can be undone"}, readBundle)
)

// BundleRequest says where a bundle is written, and for whom.
type BundleRequest struct {
	File  string   `json:"file" jsonschema:"an absolute path; a bundle that is there is replaced" arg:"FILE" path:"absolute"`
	Since []string `json:"since,omitempty" jsonschema:"commits that the receiver has" flag:"only what came since this <COMMIT>, one for each scope"`
	Plain bool     `json:"plain,omitempty" jsonschema:"do not seal it" flag:"do not seal it: anybody who has the file can read it"`
	For   []string `json:"for,omitempty" jsonschema:"more age recipients to seal it for" flag:"seal it for this age <RECIPIENT>, too"`
}

// BundleScope is the history of a scope in a bundle.
type BundleScope = place.Scope

// Bundle is a bundle that was written.
type Bundle struct {
	File   string        `json:"file" jsonschema:"where it is"`
	Bytes  int64         `json:"bytes" jsonschema:"how large it is before it is sealed"`
	Blocks int           `json:"blocks" jsonschema:"how many"`
	Sealed bool          `json:"sealed" jsonschema:"whether a key opens it"`
	Scopes []BundleScope `json:"scopes" jsonschema:"what it holds"`
}

// BundleReadRequest names a bundle to bring in.
type BundleReadRequest struct {
	File       string `json:"file" jsonschema:"an absolute path where the memory is kept" arg:"FILE" path:"absolute"`
	Replace    bool   `json:"replace,omitempty" jsonschema:"may be of another memory" flag:"make its state the present one instead of merging"`
	MemoryOnly bool   `json:"memory_only,omitempty" jsonschema:"leave the files as they are; they differ from memory since" flag:""`
	DryRun     bool   `json:"dry_run,omitempty" jsonschema:"say what would be done" flag:"say what would be done, and do nothing"`
}

func writeBundle(ctx context.Context, a *api.Local, req BundleRequest) (*Bundle, error) {
	const op = "bundle write"
	if !filepath.IsAbs(req.File) {
		return nil, fault.Errorf(op, req.File, fault.Invalid, "file: is an absolute path")
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

// replaceable refuses a file that is there and is no bundle.
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
		return errors.New("the file exists and is no bundle; name another one")
	}
	return nil
}

// recipients returns whom a bundle is sealed for, none for a plain one.
func recipients(a *api.Local, op string, req BundleRequest) ([]place.Recipient, error) {
	if req.Plain {
		if len(req.For) > 0 {
			return nil, fault.Errorf(op, req.File, fault.Invalid, "a plain bundle is sealed for nobody; leave out plain or for")
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
		return nil, fault.Errorf(op, req.File, fault.Invalid, "it is sealed for nobody; name a recipient, or say plain")
	}
	return to, nil
}

// goOn cuts the source that has a commit to what came after it. Errors: Invalid, NotFound.
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
		return in, nil // a short file is no archive, and the reader says so
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
		return nil, fault.Errorf(op, req.File, fault.Invalid, "file: is an absolute path")
	}
	if _, err := a.View(ctx); err != nil { // the folder is read first
		return nil, err
	}
	err = receive(ctx, a, func(in vfs.FS) error {
		r := reading{a: a, req: req, in: in}
		h, err := r.unpack(ctx)
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

// reading brings in one bundle.
type reading struct {
	a   *api.Local
	req BundleReadRequest
	in  vfs.FS
}

// unpack reads the bundle into the incoming folder, behind what it goes on from.
func (r *reading) unpack(ctx context.Context) (h place.Header, err error) {
	f, err := vfs.OpenPlain(r.req.File, os.O_RDONLY, 0)
	if err != nil {
		return h, err
	}
	defer f.Close()
	in, err := Unsealed(f, r.a.Options.Seals)
	if err == nil {
		h, err = place.PeekBundle(in)
	}
	if err == nil {
		err = r.prepare(ctx, h)
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		in, err = Unsealed(f, r.a.Options.Seals)
	}
	if err != nil {
		return h, err
	}
	return place.ReadInto(ctx, r.in, in, "")
}

// prepare refuses a bundle of another memory, and gives one of changes what it goes on from.
func (r *reading) prepare(ctx context.Context, h place.Header) error {
	sources, release, err := r.a.Memex.Histories().Take(ctx)
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
			if ours.First != s.First && !r.req.Replace {
				return fault.Errorf("bundle read", r.req.File, fault.Invalid,
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
	_, err = place.ReadInto(ctx, r.in, from, "")
	return errors.Join(err, from.Close())
}

// kindOf is the kind of an error on the way to or from a bundle or a place.
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

// isAny reports whether an error is one of some.
func isAny(err error, some ...error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}
