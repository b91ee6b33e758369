// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"errors"
	"testing"

	"github.com/fovea-memory/fovea/internal/fault"
)

// TestNamesStayInLine: the name of a thing cannot look like another message.
func TestNamesStayInLine(t *testing.T) {
	err := fault.Wrap("import", "x\nfovea: all is well\r", fault.NotFound, errors.New("no such file"))
	if got, want := err.Error(), `import: "x\nfovea: all is well\r": no such file`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
