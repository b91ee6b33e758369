// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/cli"
	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/daemon"
)

const (
	alertsFile    = "alerts.json"   // in the state folder: unsent messages
	alertsTimeout = 3 * time.Second // how long a verb waits for its alerts to be sent
)

// alerts sends messages to the owner. The zero value has no destination.
type alerts struct {
	console *cli.Console
	queue   *daemon.Queue // nil without destinations
}

// sinks returns the configured destinations of alerts about changed protected files.
func sinks(c *config.Config) ([]daemon.Sink, error) {
	var out []daemon.Sink
	for i, text := range c.Alerts {
		sink, err := daemon.ParseSink(text)
		if err != nil {
			return nil, fmt.Errorf("%s: alerts: entry %d: %w", c.File, i+1, err)
		}
		if !slices.ContainsFunc(out, func(other daemon.Sink) bool { return other.ID == sink.ID }) {
			out = append(out, sink)
		}
	}
	return out, nil
}

// start starts the queue, which also sends the unsent messages of earlier processes, in the process that has the memory open.
func (a *alerts) start(c *config.Config, log *slog.Logger) {
	destinations, err := sinks(c)
	if err == nil && len(destinations) > 0 {
		a.queue, err = daemon.NewQueue(filepath.Join(c.StateDir, alertsFile), destinations, func(sink string, err error) {
			if err != nil {
				log.Warn("an alert is not sent yet", "to", sink, "why", err)
			} else {
				log.Info("alerts are sent again", "to", sink)
			}
		})
	}
	if err != nil {
		a.console.Report("%v; no alerts about protected files are sent", err)
	}
}

// report prints an alert about a protected file and queues it.
func (a *alerts) report(_, message string) error {
	a.console.Report("%s", strings.TrimSpace(strings.TrimPrefix(message, "Fovea: ")))
	return a.send(message)
}

// send queues a message, unless it is "".
func (a *alerts) send(text string) error {
	if a.queue == nil || text == "" {
		return nil
	}
	return a.queue.Send(text)
}

// damage describes the damage that opening found in a store, or "".
func damage(st fovea.Status) string {
	switch {
	case st.ReadOnly != "":
		return fmt.Sprintf("Fovea: the memory of %s is read-only: %s\nSee: fovea verify\nThen: fovea repair\n", st.Memex, st.ReadOnly)
	case strings.Contains(st.Recovered, "failed verification"):
		return fmt.Sprintf("Fovea: the memory of %s was opened, but: %s\nSee: fovea verify\n", st.Memex, st.Recovered)
	}
	return ""
}

// stop waits up to alertsTimeout for queued alerts. The next process sends the rest.
func (a *alerts) stop() {
	if a.queue == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), alertsTimeout)
	defer stop()
	a.queue.Drain(ctx)
	a.queue.Close()
	a.queue = nil
}
