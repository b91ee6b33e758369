// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/internal/foveatest"
)

// TestDescription: the OpenAPI document has every operation, every reference in it
// leads somewhere. That answers are as described is tested in test/faces.
func TestDescription(t *testing.T) {
	s := open(t, map[string]string{"a.org": "* TODO A :x:\nText.\n"})
	var doc struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
		Parts   struct {
			Schemas map[string]*jsonschema.Schema `json:"schemas"`
		} `json:"components"`
	}
	text := s.ask("GET", "/v1/openapi.json", "").body
	var lines bytes.Buffer
	if err := json.Indent(&lines, text, "", ""); err != nil {
		t.Fatal(err)
	}
	foveatest.Golden(t, "openapi.json", lines.Bytes())
	if err := json.Unmarshal(text, &doc); err != nil || doc.OpenAPI != "3.1.0" {
		t.Fatalf("%s: %v", doc.OpenAPI, err)
	}
	for _, part := range strings.Split(string(text), `"$ref":"#/components/schemas/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if doc.Parts.Schemas[name] == nil {
			t.Errorf("nothing is called %s", name)
		}
	}
	for _, o := range api.Operations {
		if _, get := doc.Paths["/v1/"+o.Name]["get"]; doc.Paths["/v1/"+o.Name]["post"] == nil || get != (o.Effect == api.Reads && o.Name != "forgotten") {
			t.Errorf("%s is not described", o.Name)
		}
	}
}

// TestDescriptionSaysWhatFieldsMean: each field of a request and of an answer, and each
// parameter, is described.
func TestDescriptionSaysWhatFieldsMean(t *testing.T) {
	s := open(t, nil)
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct{ Name, Description string }
		}
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	if err := json.Unmarshal(s.ask("GET", "/v1/openapi.json", "").body, &doc); err != nil {
		t.Fatal(err)
	}
	fields := 0
	var walk func(where string, s *jsonschema.Schema)
	walk = func(where string, s *jsonschema.Schema) {
		if s == nil {
			return
		}
		for name, p := range s.Properties {
			fields++
			if at := where + "." + name; p.Description == "" {
				t.Errorf("%s has no description", at)
			} else {
				walk(at, p)
			}
		}
		walk(where+"[]", s.Items)
	}
	for name, schema := range doc.Components.Schemas {
		walk(name, schema)
	}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for _, p := range op.Parameters {
				fields++
				if p.Description == "" {
					t.Errorf("%s %s: the parameter %s has no description", method, path, p.Name)
				}
			}
		}
	}
	if fields < 300 {
		t.Errorf("only %d fields were found", fields)
	}
}
