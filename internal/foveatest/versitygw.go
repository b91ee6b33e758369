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
	"time"
)

// Gateways are versitygw processes on one folder, which holds a bucket.
type Gateways struct {
	// URLs are where they listen.
	URLs []string
	// Bucket is the name of the bucket, KeyID and Secret open it. Guest and its secret are those of
	// a user without rights.
	Bucket, KeyID, Secret, Guest, GuestSecret string
	// Folder has the objects of the bucket.
	Folder string
}

// StartGateways runs some gateways on one folder until the test ends. more are arguments of
// versitygw posix.
func StartGateways(tb testing.TB, n int, more ...string) *Gateways {
	tb.Helper()
	program := Part(tb, "versitygw")
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
		c := exec.CommandContext(context.Background(), program, arguments...)
		c.Env = append(os.Environ(), "ROOT_ACCESS_KEY_ID="+g.KeyID, "ROOT_SECRET_ACCESS_KEY="+g.Secret)
		c.Dir = aside
		if err := c.Start(); err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() {
			_ = c.Process.Kill() // it may have ended
			_ = c.Wait()         // says that it was killed
		})
		g.URLs = append(g.URLs, "http://"+address)
		answers(tb, "http://"+address)
	}
	return g
}

// answers waits until somebody answers at an address.
func answers(tb testing.TB, url string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			tb.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close() // nothing is read from it
			return
		}
	}
	tb.Fatalf("nobody answers at %s", url)
}
