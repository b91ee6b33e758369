// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/httpapi"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// serving holds the flags of serve.
type serving struct {
	HTTP   bool          `flag:"--http also listen on a port of this machine"`
	Idle   time.Duration `flag:"--idle stop after this time without a client (0: never)"`
	Detach bool          `flag:"--detach start a daemon in the background and wait until it answers"`
	Stop   bool          `flag:"--stop stop the running daemon, and wait until it has exited"`
	Unit   bool          `flag:"--print-unit print a unit for systemd --user"`
}

// Files in the state folder with the newest lines of the log, and with those about calls.
const (
	logName   = "serve.log"
	callsName = "calls.log"
)

func serveCommand(s *session) *cobra.Command {
	var how serving
	c := &cobra.Command{
		Use:   "serve",
		Short: "Keep the memory open for all clients, and watch the folder",
		Long: `Serve keeps the memory open and watches the folder: a save is a commit at once.
All verbs of the same user then use it, and so do the clients of fovea mcp. Each
memex has one daemon, at a socket that only this user can reach. With --http it
also opens a port of this machine; the file http.json in the state folder has
its address and a token. "fovea token" creates tokens for other programs.`,
		Example: `  fovea serve
  fovea serve --http --idle 1h
  fovea serve --print-unit >~/.config/systemd/user/fovea.service`,
		Args: func(c *cobra.Command, a []string) error {
			if len(a) > 0 && how.HTTP {
				return cli.Misusef("--http takes no address such as %q: the port is free to choose, and http.json in the state folder names it", a[0])
			}
			return cli.NoArguments(c, a)
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if how.Idle < 0 {
				return cli.Misusef("--idle must not be negative")
			}
			s.flags.Here = "" // a server needs an explicit memex
			if err := s.load(); err != nil {
				return err
			}
			switch {
			case how.Unit:
				command, err := os.Executable()
				if err == nil {
					_, err = io.WriteString(s.Out, daemon.Unit(command, s.config.Memex))
				}
				return err
			case how.Stop:
				ctx, stop := context.WithTimeout(c.Context(), time.Minute)
				defer stop()
				return daemon.Stop(ctx, &s.config)
			case how.Detach:
				return detach(c.Context(), s, how)
			}
			return runDaemon(c.Context(), s, how)
		},
	}
	cli.AddFlags(c.Flags(), &how)
	c.Flags().IntVar(&s.opening.starter, "starter", 0, "give up if process `PID` has exited before this one has the store")
	_ = c.Flags().MarkHidden("starter") // the flag exists
	return c
}

// detach starts a daemon that outlives this process.
func detach(ctx context.Context, s *session, how serving) error {
	more := []string{"--idle", how.Idle.String()}
	if how.HTTP {
		more = append(more, "--http")
	}
	c, err := s.startDaemon(ctx, more...)
	if err != nil {
		return err
	}
	defer c.Close()
	return reportServer(ctx, s, c, how, "")
}

// reportServer prints the process that serves the memex and its HTTP address. It returns an error
// if a port was requested but the process started without one.
func reportServer(ctx context.Context, s *session, c *httpapi.Client, how serving, already string) error {
	h, err := c.Hello(ctx)
	if err != nil {
		return err
	}
	at := ""
	if h.URL != "" {
		at = " at " + h.URL
	}
	if how.HTTP && at == "" {
		return fault.Errorf("serve", h.Memex, fault.Busy,
			"process %d serves it already, without a port; stop it with fovea serve --stop, then run this command again", h.PID)
	}
	s.Report("process %d serves %s%s%s", h.PID, h.Memex, at, already)
	if st, err := api.OpStatus.Call(ctx, api.WithSync(c.Service, api.SyncNone), api.StatusRequest{}); err == nil && st.ReadOnly != "" {
		s.Report("read-only: %s", st.ReadOnly)
	}
	return nil
}

// runDaemon runs the daemon, or finds the one that runs.
func runDaemon(ctx context.Context, s *session, how serving) error {
	feed := &api.Feed{}
	var ring, calls daemon.Ring
	log := slog.New(slog.NewTextHandler(&ring, nil))
	if _, err := sinks(&s.config); err != nil {
		return cli.Misuse{Err: err}
	}
	restoreHeap := growHeap()
	with := func(o *fovea.Options) {
		o.Command, o.Committed, o.Log, o.Buffers = daemon.Command, feed.Committed, log, &feed.Buffers
	}
	err := s.openOrConnect(ctx, with)
	if err != nil {
		return err
	}
	if s.daemon != nil {
		return reportServer(ctx, s, s.daemon, how, " already")
	}
	for name, r := range map[string]*daemon.Ring{logName: &ring, callsName: &calls} {
		if err := r.Open(filepath.Join(s.config.StateDir, name)); err != nil {
			return err
		}
		defer r.Close()
	}
	if err := s.alerts.send(damage(s.memory.Status())); err != nil {
		log.Warn("an alert is lost when this process ends", "why", err)
	}
	restoreHeap()
	local := func(c *config.Config) api.LocalOptions {
		o := localOf(c)
		o.Warn = func(err error) { log.Warn("not reported", "what", err) }
		return o
	}
	err = daemon.Serve(ctx, &daemon.Options{
		Memory: s.memory, Config: s.config, Feed: feed, Version: version(), Log: log, Lines: &ring, Calls: &calls, HTTP: how.HTTP, Idle: how.Idle,
		Alert: s.alerts.send,
		Local: local(&s.config), Again: again(s, with, local),
		MCP: func(svc api.Service, now func() *config.Config) http.Handler {
			return mcpHandler(ctx, agents{now}, svc, feed, log)
		},
		Listening: func(socket, url string) {
			if url == "" {
				s.Report("serving %s at %s", s.config.Memex, socket)
			} else {
				s.Report("serving %s at %s and %s", s.config.Memex, socket, url)
			}
		},
	})
	if errors.Is(err, vfs.ErrLocked) && s.connect(ctx) == nil && s.daemon != nil { // several processes can open a read-only store
		return reportServer(ctx, s, s.daemon, how, " already")
	}
	return err
}

// again returns how the daemon follows a changed configuration: it opens the memory again as at the start.
func again(s *session, with func(*fovea.Options), local func(*config.Config) api.LocalOptions) *daemon.Again {
	follower := s.config.Follow(s.flags)
	return &daemon.Again{
		Look: follower.Look, Refuse: follower.Refuse, Local: local, Report: func(text string) { s.Report("%s", text) },
		Open: func(ctx context.Context, c *config.Config) (*fovea.Memory, error) {
			if _, err := sinks(c); err != nil {
				return nil, err
			}
			s.alerts.stop()
			s.opening.Adopt, s.opening.anew = false, false
			err := s.open(ctx, c, math.MaxInt64, with) // waits until a verb releases the store, or ctx ends
			return s.memory, err
		},
	}
}

const (
	defaultGrowth = 100 // the runtime's default of GOGC
	shortGrowth   = 400 // of a short-lived process, which trades memory for fewer collections
)

// growHeap lets the heap grow further before each collection, unless GOGC is set. restore undoes it.
func growHeap() (restore func()) {
	was := debug.SetGCPercent(shortGrowth)
	if was != defaultGrowth {
		debug.SetGCPercent(was)
	}
	return func() { debug.SetGCPercent(was) }
}
