// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// stateWith is a state folder with a remote.
func stateWith(t *testing.T, url string) vfs.FS {
	t.Helper()
	state := faultfs.New()
	in, err := vfs.Sub(state, place.Folder+"/team")
	if err == nil {
		err = vfs.WriteJSON(in, place.RemoteFile, map[string]string{"url": url})
	}
	if err != nil {
		t.Fatal(err)
	}
	return state
}

// TestSilentReferee: a referee to which no connection comes about is not waited for longer than four seconds,
// or the lease; a memory whose remote is none has none.
func TestSilentReferee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		defer close(over)
		places := place.Openers{"nats": func(context.Context, string, bool) (place.Place, error) {
			<-over
			return nil, place.ErrNoAnswer
		}}
		r := place.RefereeOf(stateWith(t, "nats://a/team"), places)
		for _, lease := range []time.Duration{time.Second, 4 * time.Second, time.Hour} {
			begun := time.Now()
			_, err := r.Grant(t.Context(), "paint", lease, 1, false)
			if took := time.Since(begun); !errors.Is(err, place.ErrNoAnswer) || took != min(lease, 4*time.Second) {
				t.Errorf("a lease of %v: %v after %v", lease, err, took)
			}
		}
		if err := r.Release(t.Context(), "paint", 1); !errors.Is(err, place.ErrNoAnswer) {
			t.Errorf("release: %v", err)
		}
		for _, state := range []vfs.FS{faultfs.New(), stateWith(t, "s3://bucket/x")} {
			if r := place.RefereeOf(state, places); r != nil {
				t.Errorf("a referee without servers: %v", r)
			}
		}
	})
}
