// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package write

import (
	"errors"
	"testing"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/scope"
)

// TestAfterFilesNamesTheCause: the error of a commit after its files were written has the
// cause, whether it is wrapped or not.
func TestAfterFilesNamesTheCause(t *testing.T) {
	cause := errors.New("disk full")
	for name, tc := range map[string]struct {
		err  error
		kind fault.Kind
	}{
		"plain":   {cause, fault.Other},
		"joined":  {errors.Join(cause, errors.New("and more")), fault.Other},
		"wrapped": {fault.Wrap("commit", "store", fault.ReadOnly, cause), fault.ReadOnly},
	} {
		o := Operation{w: &Writer{scope: &scope.Scope{StateDir: "state"}}, name: "edit", writes: make([]FileWrite, 1)}
		err := o.afterFiles(t.Context(), tc.err)
		if !errors.Is(err, cause) || fault.KindOf(err) != tc.kind {
			t.Errorf("%s: %v of the kind %v", name, err, fault.KindOf(err))
		}
	}
}
