// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Address reads the file in a state folder that says at which port a daemon listens, and with which
// secret: a daemon.Address.
func Address[A any](stateDir string) (at A, err error) {
	text, err := os.ReadFile(filepath.Join(stateDir, "http.json"))
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	return at, err
}
