// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import "testing"

// TestAcceptText: a client that asks for text gets what a pipe prints, also for a repeated request;
// any other one gets JSON, and errors stay problems.
func TestAcceptText(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* TODO Calibrate the gauge :work:\n"})
	const line = "TODO\tCalibrate the gauge\t:work:\ta.org:1\n"
	for _, accept := range []string{"text/plain", "text/plain; charset=utf-8, */*;q=0.1"} {
		r := s.ask("GET", "/v1/query?query=todo:TODO", "", "Accept", accept)
		if kind := r.header.Get("Content-Type"); string(r.body) != line || kind != "text/plain; charset=utf-8" {
			t.Errorf("%s: %s: %q", accept, kind, r.body)
		}
	}
	for _, accept := range []string{"", "*/*", "application/json", "application/json, text/plain", "text/plain/x", "text/plain;q=0, application/json"} {
		r := s.ask("GET", "/v1/query?query=todo:TODO", "", "Accept", accept)
		if kind := r.header.Get("Content-Type"); kind != "application/json" || r.header.Get("Vary") != "Accept" {
			t.Errorf("%s: %s: %q", accept, kind, r.body)
		}
	}
	s.ask("GET", "/v1/query?query=nosuch:x", "", "Accept", "text/plain").problem(t)
	first := s.ask("POST", "/v1/remember", `{"title":"Rivets"}`, "Accept", "text/plain", "Idempotency-Key", "once")
	again := s.ask("POST", "/v1/remember", `{"title":"Rivets"}`, "Accept", "text/plain", "Idempotency-Key", "once")
	if len(first.body) == 0 || string(first.body) != string(again.body) {
		t.Errorf("first %q, then %q", first.body, again.body)
	}
}

// TestHead: a request for the header alone takes the parameters that GET takes.
func TestHead(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* TODO A\n"})
	got, head := s.ask("GET", "/v1/query?query=todo:TODO", ""), s.ask("HEAD", "/v1/query?query=todo:TODO", "")
	if head.status != 200 || len(head.body) > 0 || head.header.Get("Content-Type") != got.header.Get("Content-Type") {
		t.Errorf("%d %q %q", head.status, head.header.Get("Content-Type"), head.body)
	}
}
