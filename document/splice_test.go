// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document_test

import (
	"errors"
	"testing"

	"github.com/fovea-memory/fovea/document"
)

func TestApplySplices(t *testing.T) {
	replace := func(start, end int, text string) document.Splice {
		return document.Splice{Start: start, End: end, New: text}
	}
	tests := []struct {
		name    string
		splices []document.Splice
		want    string
	}{
		{"none", nil, "abc"},
		{"insert, replace, remove", []document.Splice{replace(0, 0, "x"), replace(0, 1, "y"), replace(2, 3, "")}, "xyb"},
		{"overlap", []document.Splice{replace(0, 2, ""), replace(1, 3, "")}, ""},
		{"backwards", []document.Splice{replace(2, 1, "")}, ""},
		{"outside", []document.Splice{replace(3, 4, "")}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := document.Apply("abc", test.splices)
			if got != test.want || (test.want == "") != errors.Is(err, document.ErrSplice) {
				t.Errorf("got %q and error %v, want %q", got, err, test.want)
			}
		})
	}
}
