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
)

// Kubo is a real IPFS daemon on loopback, with its own repository and no other node.
type Kubo struct {
	Address string // of its RPC: host and port
	Folder  string // IPFS_PATH

	program
	online bool
}

// StartKubo runs the daemon at a free port until the test ends. online makes it listen for other
// nodes, also on loopback.
func StartKubo(tb testing.TB, online bool) *Kubo {
	tb.Helper()
	k := &Kubo{program: program{tb: tb, path: Part(tb, "ipfs")}, Folder: filepath.Join(tb.TempDir(), "repo"), Address: freeAddress(tb), online: online}
	k.Run("init", "--empty-repo", "--profile=test")
	swarm := "[]"
	if online {
		swarm = fmt.Sprintf("[%q]", multiaddr(freeAddress(tb)))
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

func multiaddr(address string) string {
	host, port, _ := net.SplitHostPort(address)
	return "/ip4/" + host + "/tcp/" + port
}

func (k *Kubo) command(arguments ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), k.path, arguments...)
	c.Env = append(os.Environ(), "HOME="+k.tb.TempDir(), "IPFS_PATH="+k.Folder, "IPFS_TELEMETRY=off", "GOLOG_LOG_LEVEL=error")
	return c
}

// Run runs a command on the repository, through the daemon while that runs, and returns its output.
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
	k.run(k.command(arguments...), http.MethodPost, "http://"+k.Address+"/api/v0/version")
}
