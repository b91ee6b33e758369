// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package disk

import (
	"testing"

	"github.com/fovea-memory/fovea/internal/faultfs"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/store/storetest"
)

// What a Store can do besides the contract.
var _ store.Salvager = (*Store)(nil)

func TestContract(t *testing.T) {
	for name, opts := range map[string]*Options{"one segment": nil, "many segments": {SegmentMin: 1 << 8, SegmentMax: 1 << 9}} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, func(t *testing.T) func() store.Store {
				in := faultfs.New()
				return func() store.Store { return mustOpen(t, in, opts) }
			})
		})
	}
}
