// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package outline

import (
	"os"
	"testing"
)

func TestTry(t *testing.T) {
	for _, f := range []string{"scanner.go", "/usr/lib/python3.9/dataclasses.py", "/usr/lib/python3/dist-packages/apt/cache.py", "/usr/lib/python3.11/dataclasses.py"} {
		src, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		t.Log(Language(f, src), "\n", Text(Language(f, src), src))
	}
}
