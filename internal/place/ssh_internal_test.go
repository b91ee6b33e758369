// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestBecause: only where ssh itself failed nobody answers; what the program there says stays as it is.
func TestBecause(t *testing.T) {
	for _, tc := range []struct {
		said     string
		code     int
		want     string
		isSilent bool
	}{
		{"ssh: connect to host box port 22: Connection refused", 255, "no answer: ssh: connect", true},
		{"fovea: remote: it is a folder of the notes themselves", 2, "fovea: remote: it is a folder", false},
		{"zsh:1: command not found: fovea", 127, "no fovea there", false},
		{"env: 'fovea': No such file or directory", 127, "~/go/bin", false},
		{"Host key verification failed.", 255, "connect once with ssh", false},
		{"", 255, io.ErrUnexpectedEOF.Error(), false},
	} {
		said := &tail{text: []byte(tc.said)}
		err := said.because(io.ErrUnexpectedEOF, tc.code)
		if !strings.Contains(err.Error(), tc.want) || errors.Is(err, ErrNoAnswer) != tc.isSilent {
			t.Errorf("%q, code %d: %v", tc.said, tc.code, err)
		}
	}
}
