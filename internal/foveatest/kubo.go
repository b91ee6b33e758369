// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Kubo is a real daemon of IPFS on loopback, with its own repository. It knows no other node.
type Kubo struct {
	Address string // of its RPC: host and port
	Folder  string // IPFS_PATH

	tb      testing.TB
	program string
	online  bool
	process *exec.Cmd
}

// StartKubo runs the daemon at a free port until the test ends. online has it listen for other
// nodes, on loopback too.
func StartKubo(tb testing.TB, online bool) *Kubo {
	tb.Helper()
	k := &Kubo{tb: tb, program: Part(tb, "ipfs"), Folder: filepath.Join(tb.TempDir(), "repo"), Address: freePort(tb), online: online}
	k.Run("init", "--empty-repo", "--profile=test")
	swarm := "[]"
	if online {
		swarm = fmt.Sprintf("[%q]", multiaddr(freePort(tb)))
	}
	k.Run("config", "Addresses.API", multiaddr(k.Address))
	k.Run("config", "--json", "Addresses.Gateway", "[]")
	k.Run("config", "--json", "Addresses.Swarm", swarm)
	k.Run("config", "--json", "AutoConf.Enabled", "false")
	k.Run("bootstrap", "rm", "--all")
	k.Start()
	tb.Cleanup(k.Kill)
	return k
}

func freePort(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		tb.Fatal(err)
	}
	return listener.Addr().String()
}

func multiaddr(address string) string {
	host, port, _ := net.SplitHostPort(address)
	return "/ip4/" + host + "/tcp/" + port
}

func (k *Kubo) command(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), k.program, arguments...)
	c.Env = append(os.Environ(), "HOME="+k.tb.TempDir(), "IPFS_PATH="+k.Folder, "IPFS_TELEMETRY=off", "GOLOG_LOG_LEVEL=error")
	return c
}

// Run runs a command of the program on the repository, through the daemon while it runs, and
// returns what it prints.
func (k *Kubo) Run(arguments ...string) string {
	k.tb.Helper()
	c := k.command(arguments...)
	var failure strings.Builder
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		k.tb.Fatalf("ipfs %s: %v: %s", strings.Join(arguments, " "), err, failure.String())
	}
	return string(out)
}

// Start runs the daemon again, and waits until it answers.
func (k *Kubo) Start() {
	k.tb.Helper()
	arguments := []string{"daemon", "--migrate=false"}
	if !k.online {
		arguments = append(arguments, "--offline")
	}
	k.process = k.command(arguments...)
	if err := k.process.Start(); err != nil {
		k.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+k.Address+"/api/v0/version", nil)
		if err != nil {
			k.tb.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			if err := response.Body.Close(); err != nil {
				k.tb.Fatal(err)
			}
			return
		}
	}
	k.tb.Fatal("the IPFS daemon does not answer")
}

// Kill kills the daemon, as a crash does.
func (k *Kubo) Kill() {
	if k.process == nil {
		return
	}
	if err := k.process.Process.Kill(); err != nil {
		k.tb.Error(err)
	}
	_ = k.process.Wait() // says that it was killed
	k.process = nil
}

// Signal sends the daemon a signal, such as to stop and to go on.
func (k *Kubo) Signal(s os.Signal) {
	k.tb.Helper()
	if err := k.process.Process.Signal(s); err != nil {
		k.tb.Fatal(err)
	}
}
