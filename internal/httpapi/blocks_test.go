// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWorkingMemory sends the requests of working/README.md: the example of the seed
// hive-mind-memory-model.md over HTTP.
func TestWorkingMemory(t *testing.T) {
	page, err := os.ReadFile("../../working/README.md")
	if err != nil {
		t.Fatal(err)
	}
	request := regexp.MustCompile(`(?s)http://fovea(/v1/[a-z-]+) -H 'Content-Type: application/json' -H 'Fovea-Agent: agent_001' -d '(.*?)'\n`)
	requests := request.FindAllStringSubmatch(string(page), -1)
	if len(requests) != 2 {
		t.Fatalf("the page has %d requests", len(requests))
	}
	s := open(t, map[string]string{"agents/agent_001/ROM.md": "You are agent_001.\n", "a.org": "* Sessions\n"})
	s.must("ingest", "{}")
	var last reply
	for _, r := range requests {
		last = s.must(strings.TrimPrefix(r[1], "/v1/"), r[2], "Authorization", "Bearer agent")
	}
	var window struct{ Text string }
	if err := json.Unmarshal(last.body, &window); err != nil {
		t.Fatal(err)
	}
	var array []struct{ ID, Content, Priority string }
	if err := json.Unmarshal([]byte(window.Text), &array); err != nil {
		t.Fatal(err)
	}
	if len(array) < 2 || array[0].Content != "You are agent_001." || array[0].Priority != "critical" || array[1].Content != "Implement authentication module" {
		t.Errorf("got %+v", array)
	}
}
