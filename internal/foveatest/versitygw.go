// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Gateways are versitygw processes that serve one folder with a bucket.
type Gateways struct {
	// URLs are their addresses.
	URLs []string
	// KeyID and Secret open the bucket Bucket. Guest and GuestSecret are those of a user without rights.
	Bucket, KeyID, Secret, Guest, GuestSecret string
	// Folder contains the bucket.
	Folder string
}

// StartGateways runs n gateways on one folder until the test ends. more are arguments of versitygw
// posix.
func StartGateways(tb testing.TB, n int, more ...string) *Gateways {
	tb.Helper()
	path := Part(tb, "versitygw")
	g := &Gateways{Bucket: "notes", KeyID: "owner", Secret: "of-the-gateway", Guest: "guest", GuestSecret: "of-a-guest", Folder: tb.TempDir()}
	aside := tb.TempDir()
	for _, dir := range []string{filepath.Join(g.Folder, g.Bucket), filepath.Join(aside, "iam"), filepath.Join(aside, "meta"), filepath.Join(aside, "versions")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			tb.Fatal(err)
		}
	}
	users := fmt.Sprintf(`{"accessAccounts":{%[1]q:{"access":%[1]q,"secret":%[2]q,"role":"user"}}}`, g.Guest, g.GuestSecret)
	if err := os.WriteFile(filepath.Join(aside, "iam", "users.json"), []byte(users), 0o600); err != nil {
		tb.Fatal(err)
	}
	for range n {
		address := freeAddress(tb)
		arguments := append([]string{"--port", address, "--quiet", "--keep-alive", "--iam-dir", filepath.Join(aside, "iam"),
			"posix", "--sidecar", filepath.Join(aside, "meta"), "--versioning-dir", filepath.Join(aside, "versions")}, append(more, g.Folder)...)
		c := exec.CommandContext(context.Background(), path, arguments...)
		c.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+g.KeyID, "ROOT_SECRET_ACCESS_KEY="+g.Secret)
		c.Dir = aside
		p := program{tb: tb, path: path}
		tb.Cleanup(p.Kill)
		p.run(c, http.MethodGet, "http://"+address)
		g.URLs = append(g.URLs, "http://"+address)
	}
	return g
}
