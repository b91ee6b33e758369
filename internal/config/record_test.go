// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import "testing"

// TestRecord: all is recorded unless the table says otherwise, and what is wrong with it is
// named.
func TestRecord(t *testing.T) {
	for _, tc := range []struct {
		table   any
		want    Record
		problem string
	}{
		{map[string]any{}, Record{}, ""},
		{map[string]any{"windows": false}, Record{OmitWindows: true}, ""},
		{map[string]any{"actions": false}, Record{OmitActions: true}, ""},
		{map[string]any{"windows": true}, Record{}, ""},
		{map[string]any{"window": false}, Record{}, `unknown key "window"; there are actions, windows`},
		{map[string]any{"windows": "no"}, Record{}, "windows: no is neither true nor false"},
		{"off", Record{}, "off is not a table with actions, windows"},
	} {
		got, err := decoded[Record](tc.table, true)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if got != tc.want || said != tc.problem {
			t.Errorf("%v: %+v, %q", tc.table, got, said)
		}
	}
}
