// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Ollama is a real server with its own folder of models.
type Ollama struct {
	URL string

	tb      testing.TB
	program string
	folder  string
	process *exec.Cmd
}

// StartOllama runs the server at a free port until the test ends.
func StartOllama(tb testing.TB) *Ollama {
	tb.Helper()
	program := Part(tb, "ollama")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	o := &Ollama{tb: tb, program: program, folder: tb.TempDir(), URL: "http://" + listener.Addr().String()}
	if err := listener.Close(); err != nil {
		tb.Fatal(err)
	}
	o.Start()
	tb.Cleanup(o.Kill)
	return o
}

func (o *Ollama) command(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), o.program, arguments...)
	c.Env = append(os.Environ(), "HOME="+o.folder, "OLLAMA_MODELS="+filepath.Join(o.folder, "models"), "OLLAMA_HOST="+strings.TrimPrefix(o.URL, "http://"))
	c.Dir = o.folder
	return c
}

// Start runs the server again, and waits until it answers.
func (o *Ollama) Start() {
	o.tb.Helper()
	o.process = o.command("serve")
	if err := o.process.Start(); err != nil {
		o.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.URL+"/api/version", nil)
		if err != nil {
			o.tb.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			if err := response.Body.Close(); err != nil {
				o.tb.Fatal(err)
			}
			return
		}
	}
	o.tb.Fatal("ollama does not answer")
}

// Kill kills the server, as a crash does.
func (o *Ollama) Kill() {
	if o.process == nil {
		return
	}
	if err := o.process.Process.Kill(); err != nil {
		o.tb.Error(err)
	}
	_ = o.process.Wait() // says that it was killed
	o.process = nil
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

// Signal sends the server a signal, such as to stop and to go on.
func (o *Ollama) Signal(s os.Signal) {
	o.tb.Helper()
	if err := o.process.Process.Signal(s); err != nil {
		o.tb.Fatal(err)
	}
}
