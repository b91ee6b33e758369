// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"errors"
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
)

// TestReplayOfALostEnd: a replay and a check tell that what was acknowledged was made zeros
// under the open store, or cut off.
func TestReplayOfALostEnd(t *testing.T) {
	for name, harm := range map[string]func(f vfs.File, end int64) error{
		"zeros": func(f vfs.File, end int64) error {
			_, err := f.WriteAt(make([]byte, end-headerSize), headerSize)
			return err
		},
		"cut": func(f vfs.File, _ int64) error { return f.Truncate(headerSize) },
	} {
		in := faultfs.New()
		s := mustOpen(t, in, nil)
		fillStore(t, s, 0, 8)
		end := s.End()
		patch(t, in, segmentName(end.Segment), func(f vfs.File) error { return harm(f, end.Offset) })
		if err := s.Replay(store.Pos{}, func(store.Record) error { return nil }); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: replay: got %v, want ErrCorrupt", name, err)
		}
		found := 0
		if _, err := s.Check(t.Context(), func(store.Corruption) { found++ }); err != nil || found != 1 {
			t.Errorf("%s: check: %d found, %v", name, found, err)
		}
		mustClose(t, s)
	}
}
