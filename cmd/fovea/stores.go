// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/stores"
)

// storesDir returns the folder of this user's stores, "" if there is none.
func storesDir() string {
	base, err := config.StoresDir()
	if err != nil {
		return "" // not needed with MEMORY_SNAPSHOT_PATH
	}
	return base
}

// listStores prints this user's stores.
func listStores(s *session) error {
	base, err := config.StoresDir()
	if err != nil {
		return cli.Misuse{Err: err}
	}
	list, err := stores.List(base)
	if err != nil {
		return err
	}
	return s.Answer(append([]stores.Store{}, list...), func() {
		if len(list) == 0 {
			s.Report("no stores in %s yet", base)
			return
		}
		printStores(s.Out, list)
	})
}

// printStores prints two lines per store; in a pipe, one row with raw numbers between tabs.
func printStores(out *face.Stream, list []stores.Store) {
	if !out.IsTerminal() {
		for _, l := range list {
			out.Row(face.Text(l.Memex), face.Text(memexState(l)), face.Text(strconv.FormatUint(l.Commits, 10)),
				face.Text(strconv.FormatInt(l.Size, 10)), face.Text(l.Used.Format(time.RFC3339)), face.Text(l.Dir))
		}
		return
	}
	for _, l := range list {
		out.Printf("%s\n", face.OneLine(l.Memex))
		commits := "? commits" // a store that was never closed
		if l.Commits > 0 {
			commits = scope.Count(int(l.Commits), "commit")
		}
		fmt.Fprintln(out, out.Fold(fmt.Sprintf("    %s, %s, %s, used %s, store %s", face.OneLine(memexState(l)), commits, sizeOf(l.Size),
			l.Used.Local().Format(time.DateOnly), face.OneLine(filepath.Base(l.Dir))), 4))
	}
}

// memexState describes what is at the path of a store's memex, or why it is unknown.
func memexState(st stores.Store) string {
	if st.Problem != "" {
		return "cannot be read: " + st.Problem
	}
	return string(st.State)
}

// sizeOf formats a number of bytes.
func sizeOf(n int64) string {
	const kilo, mega = 1_000, 1_000_000
	switch {
	case n >= mega:
		return fmt.Sprintf("%.1f MB", float64(n)/mega)
	case n >= kilo:
		return fmt.Sprintf("%d kB", n/kilo)
	}
	return fmt.Sprintf("%d B", n)
}

func storeCommand(s *session) *cobra.Command {
	return cli.Group(&cobra.Command{
		Use:   "store",
		Short: "Remove histories that are no longer wanted",
		Long: `Each memex has a store: a folder outside the notes that keeps its history.
"fovea status --all" lists those of this user. A store outlives its memex.`,
	}, removeStoreCommand(s))
}

func removeStoreCommand(s *session) *cobra.Command {
	force := false
	c := &cobra.Command{
		Use:   "remove STORE...",
		Short: "Remove stores, with all history in them, for good",
		Long: `Remove deletes stores, each named by its path or by its name in the list of
"fovea status --all", with all commits, snapshots, and notes that are in no
file. Notes in files stay as they are. A store in use is refused, and one whose
memex exists is only removed with --force.`,
		Example: `  fovea store remove notes-31c5adea60cd`,
		Args:    cli.Args(1, -1, "the stores"),
		RunE: func(_ *cobra.Command, a []string) error {
			base, err := config.StoresDir()
			if err != nil {
				return cli.Misuse{Err: err}
			}
			for _, name := range a {
				if err := removeStore(s, base, name, force); err != nil {
					return err
				}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&force, "force", false, "remove it even if the memex exists: its history is lost")
	return c
}

// removeStore removes one store. Naming its memex is refused, since that may be in use.
func removeStore(s *session, base, name string, force bool) error {
	st, err := stores.Named(base, name)
	if err != nil {
		return fault.Wrap("store", name, fault.NotFound, err)
	}
	if abs, _ := filepath.Abs(name); abs != st.Dir && filepath.Base(st.Dir) != name {
		return cli.Misusef("%s is a memex; name its store: fovea store remove %s", name, st.Dir)
	}
	err = stores.Remove(st, force)
	if errors.Is(err, stores.ErrMemexThere) {
		return cli.Misusef("%s exists, and its %d commits would be lost; if that is meant, add --force", st.Memex, st.Commits)
	}
	if err != nil {
		return fault.Wrap("store", name, fault.Conflict, err)
	}
	if err := forgetSigned(s, st); err != nil {
		return err
	}
	return s.Answer(st, func() {
		s.Out.Printf("removed  %s\nlost     %d commits of %s, %s\n", st.Dir, st.Commits, st.Memex, sizeOf(st.Size))
	})
}

func adoptCommand(s *session) *cobra.Command {
	anew := false
	c := &cobra.Command{
		Use:   "adopt [STORE | OLD-MEMEX]",
		Short: "Continue the history of a memex that was moved or copied",
		Long: `A memex that was moved, renamed or brought from another machine has its history
under the path where it was. Adopt continues that history here: it moves the
store if the memex was moved, and copies it if the old memex still exists.
Without a name it takes the one store that has these notes.`,
		Example: `  fovea adopt --memex ~/notes2
  fovea adopt ~/notes --memex ~/notes2
  fovea adopt --new --memex ~/notes2`,
		Args: cli.Args(0, 1, "at most one store or memex"),
		RunE: func(c *cobra.Command, a []string) error {
			switch {
			case anew && len(a) > 0:
				return cli.Misusef("--new begins a new history; leave out the store")
			case anew:
				s.opening.anew = true
			default:
				if err := s.load(); err != nil {
					return err
				}
				if err := takeStore(s, strings.Join(a, "")); err != nil {
					return err
				}
			}
			s.opening.Alone = true
			return printHistory(c.Context(), s)
		},
	}
	c.Flags().BoolVar(&anew, "new", false, "begin a new history")
	return c
}

// takeStore gives this memex the history of another store.
func takeStore(s *session, name string) error {
	memex, own := s.config.Memex, s.config.StateDir
	from, copied, err := storeToTake(s, name)
	if err != nil {
		return err
	}
	if from.Dir == own { // MEMORY_SNAPSHOT_PATH, or an adoption that crashed halfway
		s.opening.Adopt = true
		return nil
	}
	if stores.Begun(own) {
		aside, err := stores.Aside(own, time.Now())
		if err != nil {
			return fault.Wrap("adopt", own, fault.Held, err)
		}
		s.Report("the history that began here is kept in %s", aside)
	}
	if err := stores.Take(from.Dir, own, memex, copied); err != nil {
		return fault.Wrap("adopt", from.Dir, fault.Held, err)
	}
	if copied {
		return nil
	}
	return forgetSigned(s, from)
}

// forgetSigned removes the witness record of a store that its owner moved or removed: its absence is no alarm.
func forgetSigned(s *session, st stores.Store) error {
	if w := s.config.Witness(); w != nil {
		return w.Remember(st.Dir, st.Memex, "")
	}
	return nil
}

// storeToTake finds the named store, "" for the one that has these notes, and says whether to copy it.
func storeToTake(s *session, name string) (stores.Store, bool, error) {
	fails := func(kind fovea.Kind, format string, a ...any) (stores.Store, bool, error) {
		return stores.Store{}, false, fault.Wrap("adopt", cmp.Or(name, s.config.Memex), kind, fmt.Errorf(format, a...))
	}
	found, err := stores.Find(storesDir(), s.config.Memex, s.config.StateDir)
	if err != nil {
		return fails(fovea.NotFound, "%w", err)
	}
	if name != "" {
		st, err := stores.Named(storesDir(), name)
		if err != nil {
			return fails(fovea.NotFound, "%w", err)
		}
		for _, k := range found {
			if k.Dir == st.Dir {
				return st, !k.Moved, nil
			}
		}
		elsewhere := filepath.Dir(st.Dir) != storesDir() // for example a backup, which is only copied
		return st, elsewhere || st.State == stores.There && st.Memex != s.config.Memex, nil
	}
	if own, err := stores.Read(s.config.StateDir); err == nil && own.Memex != s.config.Memex {
		return own, false, nil
	}
	switch {
	case len(found) == 0:
		return fails(fovea.NotFound, "no store has these notes; fovea status --all lists the stores, and fovea adopt STORE takes one")
	case len(found) > 1 && found[0].Moved == found[1].Moved:
		return fails(fovea.Ambiguous, "%d stores have these notes; name one, such as fovea adopt %q (%s, %d commits)", len(found), found[0].Dir, found[0].Memex,
			found[0].Commits)
	}
	return found[0].Store, !found[0].Moved, nil
}

// printHistory opens the memory and prints the state of its history.
func printHistory(ctx context.Context, s *session) error {
	if _, err := s.service(ctx); err != nil {
		return err
	}
	st := s.memory.Status()
	own := stores.Store{Dir: st.StateDir, Memex: st.Memex, State: stores.There, Commits: st.Seq, Size: st.History, Used: s.memory.View().Head().Time}
	return s.Answer(own, func() {
		s.Out.Printf("memex    %s\nhistory  %d commits, in %s\n", own.Memex, own.Commits, own.Dir)
	})
}
