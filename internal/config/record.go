// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"maps"
	"slices"
)

// Record says what is not kept of agents; the zero value keeps all.
type Record struct {
	OmitWindows bool // the manifest of each window that an agent is given
	OmitActions bool // a block of each thing that an agent does
}

// record parses the table of what is recorded.
func (v value) record() (Record, error) {
	var r Record
	table, ok := v.raw.(map[string]any)
	if !ok {
		return r, fmt.Errorf("%v is not a table with windows and actions", v)
	}
	fields := map[string]*bool{"windows": &r.OmitWindows, "actions": &r.OmitActions}
	for _, key := range slices.Sorted(maps.Keys(table)) {
		field := fields[key]
		if field == nil {
			return Record{}, fmt.Errorf("unknown key %q; there are windows and actions", key)
		}
		kept, err := v.of(table[key]).truth()
		if err != nil {
			return Record{}, fmt.Errorf("%s: %w", key, err)
		}
		*field = !kept
	}
	return r, nil
}
