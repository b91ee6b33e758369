// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/api/ops"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/stores"
	"github.com/fovea-memory/fovea/internal/vfs"
)

func cloneCommand(s *session) *cobra.Command {
	var how cloning
	c := &cobra.Command{
		Use:   "clone SOURCE FOLDER",
		Short: "Make a memory from a bundle or a remote",
		Long: `Clone makes FOLDER, which must be empty or missing, with all notes and all
history of SOURCE: the file of a bundle, the address of a remote as in "fovea
remote add", or ipfs: and the CID of an archive. A remote is then kept under the
name origin. A clone that fails leaves nothing; to continue one that was killed,
run the same command again.

Clone asks once for the fingerprint of the key that the other machine signs
with; "fovea guard adopt-key" prints it there. Without it protected files, such
as skills, stay locked until "fovea guard adopt" decides about each.`,
		Example: `  fovea clone ~/backup/notes.fovea ~/notes
  fovea clone /media/stick/notes ~/notes --passphrase-file pass.txt
  fovea clone ~/backup/notes.fovea ~/notes --fingerprint SHA256:...`,
		Args: cli.Args(2, 2, "a source and a folder"),
		RunE: func(c *cobra.Command, a []string) error {
			how.source, how.in = a[0], c.InOrStdin()
			return how.run(c.Context(), s, a[1])
		},
	}
	cli.AddFlags(c.Flags(), &how)
	return c
}

// cloning is one clone.
type cloning struct {
	source      string
	File        string    `flag:"--passphrase-file <FILE> with the passphrase of a sealed remote on its first line"`
	Fingerprint string    `flag:"--fingerprint trust the key of the other machine, which has this <FINGERPRINT>"`
	in          io.Reader // where a person answers
	made        leavings
	filled      bool // the state folder has the history
	underWay
}

func (how *cloning) run(ctx context.Context, s *session, folder string) error {
	dir, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	s.flags.Memex = dir
	svc, err := how.make(ctx, s, dir)
	if err != nil {
		if how.undo(s, dir) {
			err = fmt.Errorf("%w; the history is here, but not all files: fovea --memex %s restore --missing brings them back", err, dir)
		}
		return err
	}
	if how.Others > 0 {
		if err := pullOthers(ctx, svc); err != nil {
			s.Report("%v", err)
		}
	}
	if err = ctx.Err(); err == nil {
		err = cloneEnded(s.config.StateDir)
	}
	if err != nil {
		return fmt.Errorf("clone: %w; run the same command again to continue", err)
	}
	st, err := api.OpStatus.Call(ctx, svc, api.StatusRequest{})
	if err != nil {
		return err
	}
	return s.Answer(st, func() {
		s.Out.Printf("%s: %s, %s\n", dir, scope.Count(st.Documents, "file"), scope.Count(int(st.Seq), "commit"))
	})
}

// about returns why the source could not be read, as an error about the source, not about the new folder.
func (how *cloning) about(s *session, err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.What != s.config.StateDir {
		return err
	}
	named := *e
	switch named.What = how.source; {
	case errors.Is(err, place.ErrBehind):
		named.Kind, named.Err = fault.Invalid, errors.New("it has only the commits after another one, as --since wrote it; clone a whole bundle, then read this one")
	case errors.Is(err, stores.ErrBegun):
		named.Err = fmt.Errorf("%w, in %s; clone to another folder, or remove it with fovea store remove %s",
			e.Err, s.config.StateDir, filepath.Base(s.config.StateDir))
	}
	return &named
}

// make makes the memory and its files.
func (how *cloning) make(ctx context.Context, s *session, dir string) (svc api.Service, err error) {
	empty, err := how.made.newFolder(dir)
	if err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	sync := api.SyncNone // the folder is still empty
	if how.filled = how.resumes(s.config.StateDir); how.filled {
		sync = api.SyncScan
	} else if err := how.anew(ctx, s, dir, empty); err != nil {
		return nil, err
	}
	if err := how.trust(s); err != nil {
		return nil, err
	}
	if svc, err = s.service(ctx); err != nil {
		return nil, err
	}
	restore := api.Call{Op: api.OpRestore.Operation, Request: api.RestoreRequest{Missing: true, Cloned: true}, Sync: sync}
	answer, err := svc(ctx, restore)
	if done, _ := answer.(*api.RestoreResponse); done != nil && len(done.Left) > 0 {
		s.Report("kept in memory, but not written: %s", scope.Abbreviate(done.Left, ""))
	}
	return svc, err
}

// anew makes the state folder of a folder that has no content yet.
func (how *cloning) anew(ctx context.Context, s *session, dir string, empty bool) error {
	if !empty {
		return cli.Misusef("clone: %s is not empty; name a new folder", dir)
	}
	how.made.missing(filepath.Dir(s.config.StateDir))
	done := s.Working()
	err := how.fill(ctx, s, dir)
	done()
	how.filled = err == nil
	return how.about(s, err)
}

// pullOthers pulls what the other machines have on the remote.
func pullOthers(ctx context.Context, svc api.Service) error {
	done, err := ops.OpPull.Call(ctx, svc, ops.SyncRequest{Name: ops.Origin})
	if err != nil {
		return fmt.Errorf("the memory is here, without what other machines wrote, which fovea sync brings in: %w", err)
	}
	for _, m := range done.Machines {
		if m.Problem != "" {
			err = errors.Join(err, fmt.Errorf("of %s: %s", face.OneLine(m.Name), m.Problem))
		}
	}
	return err
}

// fill makes the state folder, which contains cloneFile until the clone has ended.
func (how *cloning) fill(ctx context.Context, s *session, dir string) error {
	local := localOf(&s.config)
	from := ops.Source{Name: how.absolute(), Memex: dir, Seals: local.Seals, Places: local.Places, IPFS: s.config.Ipfs.Address,
		Passphrase: func() (string, error) { return cli.Passphrase(ctx, how.File) }}
	return place.Unpack(s.config.StateDir, func(in vfs.FS) error {
		done, err := from.Clone(ctx, in)
		if err != nil {
			return err
		}
		how.underWay = underWay{how.absolute(), done}
		if done.Unkept != nil {
			how.Others = 0 // they come with the remote
			s.Report("the memory is cloned without its remote; fovea remote add %s %s adds it later: %v", ops.Origin, how.source, done.Unkept)
		}
		return vfs.WriteJSON(in, cloneFile, how.underWay)
	})
}

// trust trusts the other machine's key if its fingerprint is given, by the flag or by the person at the terminal.
func (how *cloning) trust(s *session) error {
	key, err := config.ParsePublicKey(how.Signer)
	if err != nil {
		if how.Fingerprint != "" {
			return errors.New("clone: the source names no key; leave out --fingerprint, and fovea guard adopt-key trusts a key later")
		}
		return nil
	}
	if own, err := config.MachineKey(); err == nil && own.Line == key.Line || slices.Contains(s.config.TrustedKeys, key.Line) {
		return nil
	}
	given := how.Fingerprint
	if in, ok := how.in.(*os.File); given == "" && ok && cli.Width(in) > 0 && s.Err.IsTerminal() {
		const ask = "The memory was signed by %s. \"fovea guard adopt-key\" prints a fingerprint\nthere. Enter it, or nothing to leave protected files locked: "
		s.Err.Printf(ask, face.OneLine(key.Name))
		line, err := bufio.NewReader(io.LimitReader(in, 256)).ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		given = strings.TrimSpace(line)
	}
	switch given {
	case key.Fingerprint:
		file, err := s.config.TrustKey(key)
		if err == nil {
			s.Report("the key of %s is trusted in %s", face.OneLine(key.Name), file)
		}
		return err
	case "":
		s.Report("protected files stay locked, since the key of %s is not trusted here; fovea guard adopt decides about each", face.OneLine(key.Name))
	default:
		s.Report("protected files stay locked: the key of the source has another fingerprint, %s; fovea guard adopt decides about each", key.Fingerprint)
	}
	return nil
}
