// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fovea-memory/fovea/internal/ipfs"
)

// TestIPFS is the address of contract P18: what is configured, else what the daemon has
// written, else the standard one; another machine only where it is configured.
func TestIPFS(t *testing.T) {
	for _, tc := range []struct {
		raw    any
		inFile bool
		want   string
		ok     bool
	}{
		{map[string]any{}, true, "", true},
		{map[string]any{"api": "/ip4/10.0.0.7/tcp/5001"}, true, "http://10.0.0.7:5001", true},
		{map[string]any{"api": 5}, true, "", false},
		{map[string]any{"api": "nowhere/x"}, true, "", false},
		{map[string]any{"port": "5001"}, true, "", false},
		{"127.0.0.1:5001", true, "", false},
		{"127.0.0.1:5001", false, "http://127.0.0.1:5001", true},
	} {
		got, err := decoded[IPFS](tc.raw, tc.inFile)
		if got.API != tc.want || (err == nil) != tc.ok {
			t.Errorf("%v: %+v, %v", tc.raw, got, err)
		}
	}
	home := t.TempDir()
	repo := filepath.Join(home, ".ipfs")
	if err := os.Mkdir(repo, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(repo, "api"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := func(c IPFS, vars map[string]string) string {
		t.Helper()
		environment(t, vars)
		at, err := c.Address()
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	if got := of(IPFS{}, nil); got != "http://127.0.0.1:5001" {
		t.Errorf("the standard one: %s", got)
	}
	if got := of(IPFS{}, map[string]string{"HOME": home}); got != "http://127.0.0.1:5001" {
		t.Errorf("no daemon has run: %s", got)
	}
	write("/ip4/127.0.0.1/tcp/4040")
	for _, vars := range []map[string]string{{"HOME": home}, {"IPFS_PATH": repo}} {
		if got := of(IPFS{}, vars); got != "http://127.0.0.1:4040" {
			t.Errorf("%v: %s", vars, got)
		}
	}
	if got := of(IPFS{API: "http://10.0.0.7:1"}, map[string]string{"HOME": home}); got != "http://10.0.0.7:1" {
		t.Errorf("the configured one: %s", got)
	}
	write("/ip4/10.0.0.7/tcp/4040")
	environment(t, map[string]string{"HOME": home})
	if _, err := (IPFS{}).Address(); !errors.Is(err, ipfs.ErrFar) {
		t.Errorf("another machine: %v", err)
	}
	write("/ip4/127.0.0.1/tcp/4040" + strings.Repeat("\n", maxAddress))
	if _, err := (IPFS{}).Address(); err == nil || !strings.Contains(err.Error(), "more than 4096 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
}
