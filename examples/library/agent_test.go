// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package library

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/window"
	"github.com/fovea-memory/fovea/working"
)

// only lets an agent write the files below a folder.
func only(folder string) func(path string) error {
	return func(path string) error {
		if !strings.HasPrefix(path, folder) {
			return fmt.Errorf("an agent writes below %s alone", folder)
		}
		return nil
	}
}

// work gives an agent a block of working memory in its session, and returns its window.
func work(ctx context.Context, m *fovea.Memory, agent, session string, b working.Block) (*window.Window, error) {
	ctx = fovea.WithActor(ctx, author.Actor{Author: author.Named(agent), Session: session, May: only("agents/" + agent + "/")})
	s, err := m.Scope(ctx, "session/"+session)
	if err != nil {
		return nil, err
	}
	_, _, err = s.Blocks().Add(ctx, m.View(), working.Request{Agent: agent, Blocks: []working.Block{b}, Now: b.Timestamp}, nil)
	if err != nil {
		return nil, err
	}
	v, err := m.Over(ctx, "session/"+session)
	if err != nil {
		return nil, err
	}
	return v.Window(ctx, window.Request{Budget: 400, Caller: window.Caller{Agent: agent, Now: b.Timestamp}})
}

func Example_agent() {
	defer begin()()
	ctx := context.Background()
	m, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	task := working.Block{Type: working.Task, TaskID: "T1", Description: "Order three D cells", Timestamp: m.View().Head().Time}
	w, err := work(ctx, m, "scout", "spring", task)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range w.Parts {
		fmt.Println(p.Level, p.Title)
	}
	// Output:
	// full Task T1 (pending)
	// full gauge
	// full Rain gauge
}
