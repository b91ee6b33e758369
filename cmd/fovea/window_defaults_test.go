// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"testing"

	"github.com/fovea-memory/fovea/api"
)

// TestWithWindows: a request that names no budget or threshold has those of its caller, but a
// policy with a budget of its own keeps that.
func TestWithWindows(t *testing.T) {
	for _, tc := range []struct{ asked, want api.ContextRequest }{
		{api.ContextRequest{}, api.ContextRequest{Budget: 300, Threshold: 0.5}},
		{api.ContextRequest{Budget: 7, Threshold: 0.1}, api.ContextRequest{Budget: 7, Threshold: 0.1}},
		{api.ContextRequest{Policy: "shares"}, api.ContextRequest{Policy: "shares", Threshold: 0.5}},
	} {
		var got api.ContextRequest
		svc := withWindows(func(_ context.Context, c api.Call) (any, error) {
			got = c.Request.(api.ContextRequest)
			return nil, errors.New("asked")
		}, func() (int, float64) { return 300, 0.5 })
		_, _ = api.OpContext.Call(t.Context(), svc, tc.asked)
		if got.Budget != tc.want.Budget || got.Threshold != tc.want.Threshold {
			t.Errorf("%+v: budget %d, threshold %g", tc.asked, got.Budget, got.Threshold)
		}
	}
}
