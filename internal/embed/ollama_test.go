// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package embed

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// ollama is a real server with its own folder of models.
type ollama struct {
	tb      testing.TB
	program string
	folder  string
	url     string
	process *exec.Cmd
}

// startOllama runs the server at a free port until the test ends.
func startOllama(tb testing.TB) *ollama {
	program := foveatest.Part(tb, "ollama")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	o := &ollama{tb: tb, program: program, folder: tb.TempDir(), url: "http://" + listener.Addr().String()}
	if err := listener.Close(); err != nil {
		tb.Fatal(err)
	}
	o.start()
	tb.Cleanup(o.stop)
	return o
}

func (o *ollama) command(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), o.program, arguments...)
	c.Env = append(os.Environ(), "HOME="+o.folder, "OLLAMA_MODELS="+filepath.Join(o.folder, "models"), "OLLAMA_HOST="+strings.TrimPrefix(o.url, "http://"))
	c.Dir = o.folder
	return c
}

func (o *ollama) start() {
	o.tb.Helper()
	o.process = o.command("serve")
	if err := o.process.Start(); err != nil {
		o.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+"/api/version", nil)
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

// stop kills the server, as a crash does.
func (o *ollama) stop() {
	if o.process == nil {
		return
	}
	if err := o.process.Process.Kill(); err != nil {
		o.tb.Error(err)
	}
	_ = o.process.Wait() // says that it was killed
	o.process = nil
}

// create installs a tiny BERT under the name tiny, instead of the one before.
func (o *ollama) create(seed uint64) {
	o.tb.Helper()
	const modelfile = "FROM ./tiny.gguf\nPARAMETER num_thread 1\n" // more threads spin on a busy machine
	for name, content := range map[string][]byte{"tiny.gguf": tinyBERT(seed), "Modelfile": []byte(modelfile)} {
		if err := os.WriteFile(filepath.Join(o.folder, name), content, 0o600); err != nil {
			o.tb.Fatal(err)
		}
	}
	if out, err := o.command("create", "tiny", "-f", "Modelfile").CombinedOutput(); err != nil {
		o.tb.Fatalf("ollama create: %v: %s", err, out)
	}
}

// TestOllama runs the suite against a real server, by both of its interfaces.
func TestOllama(t *testing.T) {
	o := startOllama(t)
	o.create(1)
	c := &clock{time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)}
	config := Config{Kind: KindAuto, URL: o.url, Now: c.now}
	own, err := Open(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	if m := own.Model(); m.Name != "tiny:latest" || m.Dim != tinyDim || own.(*server).config.Kind != KindOllama || own.(*server).limit != tinyContext*3/4 {
		t.Errorf("%+v, limit %d", m, own.(*server).limit)
	}
	t.Run("suite", func(t *testing.T) { conform(t, own) })
	openAI, err := Open(context.Background(), Config{Kind: KindOpenAI, URL: o.url + "/v1", Model: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	if !openAI.(*server).shape.(*openAIShape).base64 || !openAI.(*server).counts {
		t.Error("base64 or the count of tokens was not found")
	}
	t.Run("suite by OpenAI's interface", func(t *testing.T) { conform(t, openAI) })
	if a, b := vectorOf(t, own, Query, "the red dog"), vectorOf(t, openAI, Query, "the red dog"); !alike(a, b) {
		t.Error("the two interfaces have different vectors")
	}
	_, err = Open(context.Background(), Config{Kind: KindOllama, URL: o.url, Model: "nope"})
	if !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "tiny:latest") {
		t.Errorf("unknown model: %v", err)
	}
	t.Run("refused", func(t *testing.T) { ollamaRefuses(t, own.(*server)) })
	t.Run("killed", func(t *testing.T) { ollamaKilled(t, o, own, c) })
	t.Run("replaced", func(t *testing.T) {
		o.create(2)
		c.Time = c.Add(time.Hour)
		if _, err := own.Embed(context.Background(), Document, []string{"a"}); !errors.Is(err, ErrModelChanged) {
			t.Errorf("got %v", err)
		}
		again, err := Open(context.Background(), config)
		if err != nil || again.Model().Fingerprint == own.Model().Fingerprint {
			t.Errorf("opened again: %v", err)
		}
	})
}

// ollamaRefuses: a text over the limit of the model is refused, and embedded in parts
// where the estimate was wrong.
func ollamaRefuses(t *testing.T, s *server) {
	long := strings.TrimSpace(strings.Repeat("the red dog and the blue cat ", 150)) // 1,050 tokens
	_, err := s.ask(context.Background(), Document, []string{long})
	if refused, ok := errors.AsType[*refusal](err); !ok || !strings.Contains(refused.message, "context length") {
		t.Errorf("got %v", err)
	}
	p := []*part{{text: "a cat"}, {text: long}, {text: "a dog"}}
	if err := (&batcher{server: s}).send(context.Background(), p, 0); err != nil {
		t.Fatal(err)
	}
	for i, p := range p {
		if p.err != nil || p.truncated || len(p.vector) != tinyDim {
			t.Errorf("part %d: %v, truncated %v", i, p.err, p.truncated)
		}
	}
}

// ollamaKilled: a killed server fails calls and nothing else, and is used again when it runs.
func ollamaKilled(t *testing.T, o *ollama, e Embedder, c *clock) {
	before := vectorOf(t, e, Query, "a cat")
	o.stop()
	for range 2 {
		if _, err := e.Embed(context.Background(), Query, []string{"a cat"}); !errors.Is(err, ErrUnavailable) {
			t.Errorf("got %v", err)
		}
	}
	o.start()
	c.Time = c.Add(time.Minute)
	if after := vectorOf(t, e, Query, "a cat"); !slices.Equal(before, after) {
		t.Error("the vector changed with the process")
	}
}
