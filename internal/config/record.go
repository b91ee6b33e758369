// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

// Record says what is not kept of agents; the zero value keeps all.
type Record struct {
	OmitWindows bool `key:"windows" as:"denial"` // the manifest of each window that an agent is given
	OmitActions bool `key:"actions" as:"denial"` // a block of each thing that an agent does
}

// record parses the table of what is recorded.
func (v value) record() (Record, error) { return tableOf[Record](v) }
