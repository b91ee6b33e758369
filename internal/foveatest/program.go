// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"
)

// program is a real server in a process of its own.
type program struct {
	tb      testing.TB
	path    string
	process *exec.Cmd // nil while it does not run
}

// run starts the server, and waits until it answers a request.
func (p *program) run(c *exec.Cmd, method, url string) {
	p.tb.Helper()
	p.process = c
	group(c)
	if err := c.Start(); err != nil {
		p.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, method, url, nil)
		if err != nil {
			p.tb.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			if err := response.Body.Close(); err != nil {
				p.tb.Fatal(err)
			}
			return
		}
	}
	p.tb.Fatalf("%s does not answer", p.path)
}

// Kill kills the server, as a crash does, with the processes that it started.
func (p *program) Kill() {
	if p.process == nil {
		return
	}
	if err := killGroup(p.process); err != nil {
		p.tb.Error(err)
	}
	_ = p.process.Wait() // it was killed
	p.process = nil
}

// Signal sends a signal to the server, for example to suspend it.
func (p *program) Signal(s os.Signal) {
	p.tb.Helper()
	if err := p.process.Process.Signal(s); err != nil {
		p.tb.Fatal(err)
	}
}
