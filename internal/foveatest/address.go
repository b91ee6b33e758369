// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// Address reads the daemon.Address in a state folder: the URL of its daemon, and a secret.
func Address[A any](stateDir string) (at A, err error) {
	text, err := os.ReadFile(filepath.Join(stateDir, "http.json"))
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	return at, err
}
