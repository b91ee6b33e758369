// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Ollama is a real server with its own folder of models.
type Ollama struct {
	URL string

	program
	folder string
}

// StartOllama runs the server at a free port until the test ends.
func StartOllama(tb testing.TB) *Ollama {
	tb.Helper()
	path := Part(tb, "ollama")
	o := &Ollama{program: program{tb: tb, path: path}, folder: tb.TempDir(), URL: "http://" + freeAddress(tb)}
	o.Start()
	tb.Cleanup(o.Kill)
	return o
}

func (o *Ollama) command(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), o.path, arguments...)
	c.Env = append(os.Environ(), "HOME="+o.folder, "OLLAMA_MODELS="+filepath.Join(o.folder, "models"), "OLLAMA_HOST="+strings.TrimPrefix(o.URL, "http://"))
	c.Dir = o.folder
	return c
}

// Start runs the server again, and waits until it answers.
func (o *Ollama) Start() {
	o.tb.Helper()
	o.run(o.command("serve"), http.MethodGet, o.URL+"/api/version")
}

// Create installs a tiny BERT under the name tiny, instead of the one before.
func (o *Ollama) Create(seed uint64) {
	o.tb.Helper()
	const modelfile = "FROM ./tiny.gguf\nPARAMETER num_thread 1\n" // more threads spin on a busy machine
	for name, content := range map[string][]byte{"tiny.gguf": TinyBERT(seed), "Modelfile": []byte(modelfile)} {
		if err := os.WriteFile(filepath.Join(o.folder, name), content, 0o600); err != nil {
			o.tb.Fatal(err)
		}
	}
	if out, err := o.command("create", "tiny", "-f", "Modelfile").CombinedOutput(); err != nil {
		o.tb.Fatalf("ollama create: %v: %s", err, out)
	}
}
