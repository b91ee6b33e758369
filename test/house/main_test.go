// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package house

import (
	"log"
	"os"
	"testing"
)

// TestMain runs the tests in the root of the repository, so that paths are as a reader of
// the repository writes them.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}
