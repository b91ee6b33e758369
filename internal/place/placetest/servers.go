// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package placetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// Servers are the servers of a cluster of NATS, each its own process on loopback.
type Servers struct {
	tb      testing.TB
	program string
	nodes   []*node
	between map[[2]int]*Link // by the dialing and the dialed server, if they are linked
}

// node is one server.
type node struct {
	dir                     string
	client, routes, monitor int // ports
	running                 *exec.Cmd
}

// StartServers starts a cluster of n servers, with more in their configuration, and waits until
// it takes streams. It ends with the test. It needs the part nats-server.
func StartServers(tb testing.TB, n int, more string) *Servers {
	tb.Helper()
	return start(tb, n, more, nil)
}

// StartLinked starts a cluster of n servers that reach each other only over links.
func StartLinked(tb testing.TB, n int, links *Links) *Servers {
	tb.Helper()
	return start(tb, n, "", links)
}

func start(tb testing.TB, n int, more string, links *Links) *Servers {
	tb.Helper()
	s := &Servers{tb: tb, program: foveatest.Part(tb, "nats-server"), between: map[[2]int]*Link{}}
	for range n {
		ports := [3]int{foveatest.FreePort(tb), foveatest.FreePort(tb), foveatest.FreePort(tb)}
		s.nodes = append(s.nodes, &node{dir: tb.TempDir(), client: ports[0], routes: ports[1], monitor: ports[2]})
	}
	for i, one := range s.nodes {
		text := fmt.Sprintf("server_name: n%d\nlisten: 127.0.0.1:%d\nhttp: 127.0.0.1:%d\n"+
			"jetstream { store_dir: %q, sync_interval: always, max_memory_store: 64M, max_file_store: 2G }\n%s\n",
			i, one.client, one.monitor, filepath.Join(one.dir, "store"), more)
		if n > 1 {
			text += fmt.Sprintf("cluster { name: c, listen: 127.0.0.1:%d, routes: [%s]", one.routes, strings.Join(s.routesOf(i, links), ", "))
			if links != nil { // neither clients nor servers get another address
				text += ", no_advertise: true, advertise: \"127.0.0.1:1\""
			}
			text += " }\n"
		}
		if err := os.WriteFile(filepath.Join(one.dir, "conf"), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
		s.Start(i)
	}
	tb.Cleanup(func() {
		for i := range s.nodes {
			s.Kill(i)
		}
	})
	s.Wait()
	return s
}

// routesOf returns the addresses at which a server finds the others.
func (s *Servers) routesOf(i int, links *Links) (routes []string) {
	for j, other := range s.nodes {
		address := fmt.Sprintf("127.0.0.1:%d", other.routes)
		if links != nil && i != j {
			l := links.To(address)
			s.between[[2]int{i, j}], address = l, l.Address()
		}
		if links == nil || i != j {
			routes = append(routes, "nats://"+address)
		}
	}
	return routes
}

// LinksOf returns the links between a server and the others.
func (s *Servers) LinksOf(i int) (all []*Link) {
	for j := range s.nodes {
		if i != j {
			all = append(all, s.between[[2]int{i, j}], s.between[[2]int{j, i}])
		}
	}
	return all
}

// Ways makes links to all servers. It returns them and the address of a memory over them, see URL.
func (s *Servers) Ways(links *Links, name, parameters string) (all []*Link, url string) {
	var hosts []string
	for i := range s.nodes {
		l := links.To(s.Host(i))
		all, hosts = append(all, l), append(hosts, l.Address())
	}
	return all, s.URL(name, parameters, hosts...)
}

// URL returns the address of a memory in the cluster, with the parameters after ?. hosts may replace
// the addresses of the servers.
func (s *Servers) URL(name, parameters string, hosts ...string) string {
	for i := len(hosts); i < len(s.nodes); i++ {
		hosts = append(hosts, s.Host(i))
	}
	if len(s.nodes) < 3 {
		parameters = strings.Trim(parameters+"&replicas=1", "&")
	}
	return strings.TrimSuffix("nats://"+strings.Join(hosts, ",")+"/"+name+"?"+parameters, "?")
}

// Host is the address at which a server takes clients.
func (s *Servers) Host(i int) string { return fmt.Sprintf("127.0.0.1:%d", s.nodes[i].client) }

// Start starts a stopped server.
func (s *Servers) Start(i int) {
	s.tb.Helper()
	one := s.nodes[i]
	one.running = exec.Command(s.program, "-c", filepath.Join(one.dir, "conf"), "-l", filepath.Join(one.dir, "log"))
	if err := one.running.Start(); err != nil {
		s.tb.Fatal(err)
	}
}

// Kill kills a server, as a power cut would.
func (s *Servers) Kill(i int) {
	if one := s.nodes[i]; one.running != nil {
		_ = one.running.Process.Kill() // it may have ended
		_ = one.running.Wait()
		one.running = nil
	}
}

// PID is the process id of a running server.
func (s *Servers) PID(i int) int { return s.nodes[i].running.Process.Pid }

// Store is the folder in which a server keeps its streams.
func (s *Servers) Store(i int) string { return filepath.Join(s.nodes[i].dir, "store") }

// Wait waits until all running servers report that they are healthy.
func (s *Servers) Wait() {
	s.tb.Helper()
	ctx, stop := context.WithTimeout(s.tb.Context(), time.Minute)
	defer stop()
	for _, one := range s.nodes {
		for one.running != nil && s.ask(ctx, one, "/healthz", new(any)) != nil {
			select {
			case <-ctx.Done():
				log, _ := os.ReadFile(filepath.Join(one.dir, "log"))
				s.tb.Fatalf("a server is not ready:\n%s", log)
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
}

// Leader returns the leader of a stream, -1 for none.
func (s *Servers) Leader(stream string) int {
	var all struct {
		Accounts []struct {
			Streams []struct {
				Name    string `json:"name"`
				Cluster struct {
					Leader string `json:"leader"`
				} `json:"cluster"`
			} `json:"stream_detail"`
		} `json:"account_details"`
	}
	for _, one := range s.nodes {
		if one.running == nil || s.ask(s.tb.Context(), one, "/jsz?streams=true", &all) != nil {
			continue
		}
		for _, account := range all.Accounts {
			for _, detail := range account.Streams {
				var i int
				if _, err := fmt.Sscanf(detail.Cluster.Leader, "n%d", &i); err == nil && detail.Name == stream {
					return i
				}
			}
		}
	}
	return -1
}

// ask sends a request to the monitor of a server.
func (s *Servers) ask(ctx context.Context, one *node, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://127.0.0.1:%d%s", one.monitor, path), nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}
