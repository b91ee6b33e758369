// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api_test

import (
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/merkle"
)

// TestBaseOfNothing: a base that names no text is refused, not taken for none.
func TestBaseOfNothing(t *testing.T) {
	svc, _ := serve(t, map[string]string{"a.org": "* One\n"})
	title := "New title"
	for _, base := range []string{"zzz", merkle.Digest{}.String()} {
		_, err := api.OpEdit.Call(t.Context(), svc, api.EditRequest{ID: "One", Title: &title, Base: base})
		if fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%s: %v", base, err)
		}
	}
}
