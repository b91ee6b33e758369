// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/remotes"
	"github.com/fovea-memory/fovea/internal/remote"
	"github.com/fovea-memory/fovea/internal/verb"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

func cloneCommand(s *session) *cobra.Command {
	var how cloning
	c := &cobra.Command{
		Use:   "clone SOURCE FOLDER",
		Short: "Make a memory of a bundle, or of what a remote has",
		Long: `Clone makes FOLDER, which must be empty or not there, with all notes and all
history of SOURCE: the file of a bundle, or the address of a remote as in "fovea
remote add". A remote is then kept under the name origin, so that "fovea sync"
brings both in step.

Protected files stay locked until you trust the key of the machine that signed
them: put the line of its key.pub into trusted_keys in the configuration.`,
		Example: `  fovea clone ~/backup/notes.fovea ~/notes
  fovea clone /media/stick/notes ~/notes --passphrase-file pass.txt`,
		Args: verb.Args(2, 2, "a source and a folder"),
		RunE: func(c *cobra.Command, a []string) error {
			how.source = a[0]
			return how.run(c.Context(), s, a[1])
		},
	}
	c.Flags().StringVar(&how.file, "passphrase-file", "", "`FILE` with the passphrase of a sealed remote on its first line")
	return c
}

// cloning is one clone.
type cloning struct {
	source string
	file   string // with the passphrase
}

func (how *cloning) run(ctx context.Context, s *session, folder string) error {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if err := emptyFolder(dir); err != nil {
		return err
	}
	s.flags.Memex = dir
	if err := s.load(); err != nil {
		return err
	}
	done := s.Working()
	fromRemote, err := how.fill(ctx, s, dir)
	done()
	if err != nil {
		return err
	}
	svc, err := s.service(ctx)
	if err != nil {
		return err
	}
	restore := api.Call{Op: api.OpRestore.Operation, Request: api.RestoreRequest{Missing: true}, Sync: api.SyncNone} // the folder is empty yet
	if _, err := svc(ctx, restore); err != nil {
		return fmt.Errorf("the history is here, but not all files: %w", err)
	}
	if fromRemote {
		pass, err := verb.Passphrase(ctx, how.file)
		if err != nil {
			return err
		}
		url, err := verb.RemoteURL(how.source)
		if err != nil {
			return err
		}
		if _, err := remotes.OpRemoteAdd.Call(ctx, svc, remotes.RemoteAddRequest{Name: "origin", URL: url, Passphrase: pass}); err != nil {
			return fmt.Errorf("the memory is here, but without its remote: %w", err)
		}
	}
	st, err := api.OpStatus.Call(ctx, svc, api.StatusRequest{})
	if err != nil {
		return err
	}
	return s.Answer(st, func() { s.Out.Printf("%s: %d files, %d commits\n", dir, st.Documents, st.Seq) })
}

// emptyFolder makes a folder, or refuses one with content.
func emptyFolder(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return os.MkdirAll(dir, 0o700)
	}
	if err == nil && len(entries) > 0 {
		err = verb.Misuse{Err: fmt.Errorf("clone: %s is not empty; name a new folder", dir)}
	}
	return err
}

// fill makes the state folder. It reports whether the source is a remote.
func (how *cloning) fill(ctx context.Context, s *session, dir string) (fromRemote bool, err error) {
	if info, err := os.Stat(how.source); err == nil && info.Mode().IsRegular() {
		return false, remote.Unpack(s.config.StateDir, func(in vfs.FS) error { return how.fromBundle(ctx, s, in, dir) })
	}
	url, err := verb.RemoteURL(how.source)
	if err != nil {
		return false, err
	}
	if _, err := os.Stat(url); filepath.IsAbs(url) && err != nil {
		return false, fmt.Errorf("clone: there is no bundle and no remote at %s", url)
	}
	p, err := remote.Open(ctx, url, buckets)
	if err != nil {
		return false, verb.Misuse{Err: err}
	}
	defer p.Close()
	return true, remote.Unpack(s.config.StateDir, func(in vfs.FS) error { return how.fromRemote(ctx, p, in, dir) })
}

func (how *cloning) fromBundle(ctx context.Context, s *session, in vfs.FS, dir string) error {
	f, err := vfs.OpenPlain(how.source, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := remotes.Unsealed(f, s.seals)
	if err != nil {
		return err
	}
	_, err = remote.ReadInto(ctx, in, r, dir)
	return err
}

func (how *cloning) fromRemote(ctx context.Context, p remote.Place, in vfs.FS, dir string) error {
	m, err := remote.ReadMarker(ctx, p)
	if errors.Is(err, remote.ErrNone) {
		return errors.New("there is no memory; fovea remote add and fovea push put one there")
	}
	if err != nil {
		return err
	}
	r := &remote.Remote{Place: p, Now: time.Now}
	if r.Memex, err = merkle.Parse(m.Memex); err != nil {
		return err
	}
	if m.Sealed {
		pass, err := verb.Passphrase(ctx, how.file)
		if err != nil {
			return err
		}
		if r.Key, err = remote.Unlock(ctx, p, pass); err != nil {
			return err
		}
	}
	_, err = r.Clone(ctx, in, dir)
	return err
}
