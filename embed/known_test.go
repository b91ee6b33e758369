// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestKnownServers: a server whose model is known of an earlier run is not probed for a
// question, and is probed before the first document.
func TestKnownServers(t *testing.T) {
	for _, kind := range []string{KindOllama, KindOpenAI, KindTEI} {
		t.Run(kind, func(t *testing.T) {
			f := newFake(t, kind)
			c := Config{Kind: kind, URL: f.URL, Now: (&clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}).now}
			first, err := Open(t.Context(), c)
			if err != nil || len(f.requests) < 2 {
				t.Fatalf("%v after %d requests", err, len(f.requests))
			}
			others := []Model{{Fingerprint: "another", Dim: first.Model().Dim}, {Fingerprint: first.Model().Fingerprint, Dim: 7}}
			open := func(known ...Model) (Embedder, int) {
				before := len(f.requests)
				of := c
				of.Known = known
				e, err := Open(t.Context(), of)
				if err != nil || e.Model() != first.Model() {
					t.Fatalf("%v, %+v", err, e)
				}
				return e, len(f.requests) - before
			}
			if _, probes := open(others...); probes < 2 {
				t.Errorf("%d probes of a model that is not known", probes)
			}
			again, probes := open(append(others, Model{Fingerprint: first.Model().Fingerprint, Dim: first.Model().Dim})...)
			if probes != 0 {
				t.Errorf("%d probes of a model that is known", probes)
			}
			before := len(f.requests)
			if !alike(vectorOf(t, again, Query, "the red dog"), vectorOf(t, first, Query, "the red dog")) || len(f.requests) != before+2 {
				t.Errorf("%d requests for two questions", len(f.requests)-before)
			}
			before = len(f.requests)
			if !alike(vectorOf(t, again, Document, "the red dog"), vectorOf(t, first, Document, "the red dog")) || len(f.requests) != before+4 {
				t.Errorf("%d requests for two documents and two probes", len(f.requests)-before)
			}
			liar, _ := open(Model{Fingerprint: first.Model().Fingerprint, Dim: first.Model().Dim})
			f.set(func() { f.twist = twistVectors(func(v []any) []any { return []any{v[0], v[0]}[:len(v)] }) })
			if _, err := liar.Embed(context.Background(), Document, []string{"a"}); !errors.Is(err, ErrProtocol) {
				t.Errorf("a server that gives all texts one vector: %v", err)
			}
		})
	}
}
