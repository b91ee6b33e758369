// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"time"

	"github.com/fovea-memory/fovea/internal/place"
)

// SetMaxLease sets the longest lease of which a place knows.
func SetMaxLease(p place.Place, d time.Duration) { p.(*cluster).maxLease = d }
