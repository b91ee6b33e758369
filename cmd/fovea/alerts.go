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
	"github.com/fovea-memory/fovea/internal/alert"
	"github.com/fovea-memory/fovea/internal/guard"
)

const (
	alertsFolder = "alerts"        // in the state folder: unsent messages
	alertsEnd    = 3 * time.Second // how long a verb waits for its alerts to be sent
)

// sinks returns the configured destinations of alerts about changed protected files.
func (s *session) sinks() ([]alert.Sink, error) {
	var out []alert.Sink
	for i, text := range s.config.Alerts {
		sink, err := alert.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: alerts: entry %d: %w", s.config.File, i+1, err)
		}
		if !slices.ContainsFunc(out, func(other alert.Sink) bool { return other.ID == sink.ID }) {
			out = append(out, sink)
		}
	}
	return out, nil
}

// startAlerts starts the alert queue, which also sends what earlier processes could not.
// Only the process that has the memory open may call it.
func (s *session) startAlerts(log *slog.Logger) {
	sinks, err := s.sinks()
	if err == nil && len(sinks) > 0 {
		s.alerts, err = alert.NewQueue(filepath.Join(s.config.StateDir, alertsFolder), sinks, func(sink string, err error) {
			if err != nil {
				log.Warn("an alert is not sent yet", "to", sink, "why", err)
			} else {
				log.Info("alerts are sent again", "to", sink)
			}
		})
	}
	if err != nil {
		s.say("%v; nobody else is told of protected files that changed", err)
	}
}

// alert prints an alert and queues it for the sinks.
func (s *session) alert(a guard.Alert) error {
	s.say("%s", strings.TrimSpace(strings.TrimPrefix(a.Message(), "Fovea: ")))
	if s.alerts == nil {
		return nil
	}
	return s.alerts.Send(a.Message())
}

// alertDamage queues an alert if the store is damaged or read-only.
func (s *session) alertDamage() error {
	text := damage(s.memory.Status())
	if text == "" || s.alerts == nil {
		return nil
	}
	return s.alerts.Send(text)
}

// damage describes what opening found wrong with a store, "" if nothing.
func damage(st fovea.Status) string {
	switch {
	case st.ReadOnly != "":
		return fmt.Sprintf("Fovea: the memory of %s is read-only: %s\nSee: fovea verify\nThen: fovea repair\n", st.Memex, st.ReadOnly)
	case strings.Contains(st.Recovered, "does not verify"):
		return fmt.Sprintf("Fovea: the memory of %s was opened, but: %s\nSee: fovea verify\n", st.Memex, st.Recovered)
	}
	return ""
}

// endAlerts waits up to alertsEnd for queued alerts. The next process sends the rest.
func (s *session) endAlerts() {
	if s.alerts == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), alertsEnd)
	defer stop()
	s.alerts.Drain(ctx)
	s.alerts.Close()
}
