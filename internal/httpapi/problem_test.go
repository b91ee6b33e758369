// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/internal/httpapi"
)

// TestStatusesAreDocumented: each kind of error has the status of doc/http.md.
func TestStatusesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../doc/http.md")
	if err != nil {
		t.Fatal(err)
	}
	for k := fovea.Other; !strings.HasPrefix(k.String(), "kind "); k++ {
		status := httpapi.Status(&fovea.Error{Op: "x", Kind: k, Err: errors.New("y")})
		row := regexp.MustCompile(fmt.Sprintf(`(?m)^\| %d \|[^|]*\b%s\b`, status, regexp.QuoteMeta(k.String())))
		if !row.Match(text) {
			t.Errorf("doc/http.md: no row %d for %q", status, k)
		}
	}
}
