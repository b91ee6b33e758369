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
	alertsFolder = "alerts"        // of the state folder, with messages that wait
	alertsEnd    = 3 * time.Second // that a verb waits at its end for its own alerts to be sent
)

// sinks are where the owner is told of protected files that changed.
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

// startAlerts begins to send, with what earlier processes could not. It belongs to
// the process that has the memory open.
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

// alert tells of a change here, and has it told elsewhere.
func (s *session) alert(a guard.Alert) error {
	s.say("%s", strings.TrimSpace(strings.TrimPrefix(a.Message(), "Fovea: ")))
	if s.alerts == nil {
		return nil
	}
	return s.alerts.Send(a.Message())
}

// alertDamage has it told elsewhere that the store is damaged, or can only be read.
func (s *session) alertDamage() error {
	text := damage(s.memory.Status())
	if text == "" || s.alerts == nil {
		return nil
	}
	return s.alerts.Send(text)
}

// damage is the message about what opening found wrong with a store, "" for nothing.
func damage(st fovea.Status) string {
	switch {
	case st.ReadOnly != "":
		return fmt.Sprintf("Fovea: the memory of %s is read-only: %s\nSee: fovea verify\nThen: fovea repair\n", st.Memex, st.ReadOnly)
	case strings.Contains(st.Recovered, "does not verify"):
		return fmt.Sprintf("Fovea: the memory of %s was opened, but: %s\nSee: fovea verify\n", st.Memex, st.Recovered)
	}
	return ""
}

// endAlerts gives the sinks a moment. What they do not take then, the next process
// sends.
func (s *session) endAlerts() {
	if s.alerts == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), alertsEnd)
	defer stop()
	s.alerts.Drain(ctx)
	s.alerts.Close()
}
