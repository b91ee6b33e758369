// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package gitref

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/place"
)

// repository is a place in the refs of a repository.
type repository struct {
	url  string // that git pushes to
	refs string // what the names of the refs begin with
	home string // a bare repository of this process, with the objects on their way
}

// Open opens the place that an address names: git+https://HOST/PATH, git+ssh://[USER@]HOST/PATH or
// git+file:///PATH, with ?name=NAME and branches=true. It asks the repository for its refs. Errors:
// place.ErrURL, place.ErrNoAnswer, place.ErrRight, place.ErrAway.
func Open(ctx context.Context, address string, _ bool) (place.Place, error) {
	url, refs, err := parse(address)
	if err != nil {
		return nil, err
	}
	home, err := os.MkdirTemp("", "fovea-git-")
	if err != nil {
		return nil, err
	}
	r := &repository{url: url, refs: refs, home: home}
	if _, err = r.git(ctx, nil, "init", "--quiet", "--bare", "--template="); err == nil {
		_, err = r.List(ctx, "")
	}
	if err != nil {
		_ = r.Close()
		return nil, err
	}
	return r, nil
}

// encoding writes a name as the end of a ref: dots would be taken for more than that.
var encoding, decoding = strings.NewReplacer(".", "="), strings.NewReplacer("=", ".")

func (r *repository) ref(name string) string { return r.refs + encoding.Replace(name) }

// Get returns an object, see place.Place.
func (r *repository) Get(ctx context.Context, name string) ([]byte, string, error) {
	if err := place.CheckObject(name); err != nil {
		return nil, "", err
	}
	here := "refs/got/" + rand.Text()
	if _, err := r.git(ctx, nil, "fetch", "--quiet", "--no-tags", "--depth=1", "--no-write-fetch-head", "--", r.url, "+"+r.ref(name)+":"+here); err != nil {
		return nil, "", fault(name, err)
	}
	commit, err := r.git(ctx, nil, "rev-parse", "--verify", here+"^{commit}")
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, place.ErrDamaged)
	}
	blob := here + ":object"
	text, err := r.git(ctx, nil, "cat-file", "-s", blob)
	if size, wrong := strconv.ParseInt(line(text), 10, 64); err != nil || wrong != nil || size > place.MaxObject {
		return nil, "", fmt.Errorf("%s has %q bytes, more than %d: %w", name, line(text), place.MaxObject, place.ErrDamaged)
	}
	data, err := r.git(ctx, nil, "cat-file", "blob", blob)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w: %w", name, place.ErrDamaged, err)
	}
	_, err = r.git(ctx, nil, "update-ref", "-d", here)
	return data, line(commit), err
}

// Put writes an object, see place.Place.
func (r *repository) Put(ctx context.Context, name, tag string, data []byte) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	if len(data) > place.MaxObject {
		return fmt.Errorf("%s has %d bytes, more than %d: %w", name, len(data), place.MaxObject, place.ErrDamaged)
	}
	blob, err := r.git(ctx, data, "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	tree, err := r.git(ctx, []byte("100644 blob "+line(blob)+"\tobject\n"), "mktree")
	if err != nil {
		return err
	}
	commit, err := r.git(ctx, []byte(rand.Text()), "commit-tree", line(tree))
	if err != nil {
		return err
	}
	return r.push(ctx, name, tag, line(commit))
}

// push makes the ref of an object be a commit, "" for none, if it is the one that the tag names.
func (r *repository) push(ctx context.Context, name, tag, commit string) error {
	_, err := r.git(ctx, nil, "push", "--quiet", "--no-verify", "--force-with-lease="+r.ref(name)+":"+tag, "--", r.url, commit+":"+r.ref(name))
	return fault(name, err)
}

// List returns the names that begin with a prefix, see place.Place.
func (r *repository) List(ctx context.Context, prefix string) ([]string, error) {
	text, err := r.git(ctx, nil, "ls-remote", "--quiet", "--refs", "--", r.url, r.refs+"*")
	if err != nil {
		return nil, fault(prefix, err)
	}
	var names []string
	for row := range strings.Lines(string(text)) {
		_, ref, _ := strings.Cut(strings.TrimSuffix(row, "\n"), "\t")
		rest, ours := strings.CutPrefix(ref, r.refs)
		if name := decoding.Replace(rest); ours && strings.HasPrefix(name, prefix) && place.CheckObject(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Remove removes an object, see place.Place.
func (r *repository) Remove(ctx context.Context, name string) error {
	if err := place.CheckObject(name); err != nil {
		return err
	}
	names, err := r.List(ctx, name)
	if err != nil || !slices.Contains(names, name) {
		return err
	}
	_, err = r.git(ctx, nil, "push", "--quiet", "--no-verify", "--", r.url, ":"+r.ref(name))
	return fault(name, err)
}

// Close removes what is on its way.
func (r *repository) Close() error { return os.RemoveAll(r.home) }

// line is what git printed, without the end of the line.
func line(text []byte) string { return string(bytes.TrimSpace(text)) }
