// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fovea-memory/fovea/internal/foveatest"
	"github.com/fovea-memory/fovea/internal/place/placetest"
)

// TestBucketRecipe: two machines are kept in step through a bucket by the verbs alone.
func TestBucketRecipe(t *testing.T) {
	g := foveatest.StartGateways(t, 1)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/bucket",
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"state", "config", "home"} {
				e.Setenv(map[string]string{"state": "XDG_STATE_HOME", "config": "XDG_CONFIG_HOME", "home": "HOME"}[name], filepath.Join(e.WorkDir, name))
			}
			e.Setenv("ENDPOINT", g.URLs[0])
			e.Setenv("LIES", placetest.Proxy(t, g.URLs, func(r *http.Request) {
				r.Header.Del("If-Match")
				r.Header.Del("If-None-Match")
			}, nil))
			e.Setenv("KEY", g.KeyID)
			e.Setenv("SECRET", g.Secret)
			e.Setenv(raceOptions, os.Getenv(raceOptions))
			return nil
		},
	})
}
