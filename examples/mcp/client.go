// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build ignore

// A session with the memory through the official Go SDK:
//
//	go run examples/mcp/client.go fovea mcp --memex /tmp/river --agent guide
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	server := exec.Command(os.Args[1], os.Args[2:]...)
	server.Stderr = os.Stderr
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: server}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range []mcp.CallToolParams{
		{Name: "remember", Arguments: map[string]any{
			"title": "The river gauge drifts", "body": "Two millimetres a month; calibrate before the flood.",
			"tags": []string{"river"},
		}},
		{Name: "recall", Arguments: map[string]any{"query": "gauge calibrate"}},
		{Name: "edit", Arguments: map[string]any{"id": "The river gauge drifts", "todo": "TODO", "deadline": "2027-03-01"}},
		{Name: "read", Arguments: map[string]any{"id": "The river gauge drifts"}},
		{Name: "context", Arguments: map[string]any{"focus": "The river gauge drifts", "budget": 200}},
		{Name: "history", Arguments: map[string]any{"action": "log", "id": "The river gauge drifts"}},
		{Name: "forget", Arguments: map[string]any{"id": "The river gauge drifts"}},
		{Name: "read", Arguments: map[string]any{"id": "The river gauge drifts"}},
	} {
		args, err := json.Marshal(step.Arguments)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("> %s %s\n", step.Name, args)
		result, err := session.CallTool(ctx, &step)
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range result.Content {
			fmt.Println(c.(*mcp.TextContent).Text)
		}
	}
	if err := session.Close(); err != nil {
		log.Fatal(err)
	}
}
