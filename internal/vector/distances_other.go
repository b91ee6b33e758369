// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build !amd64

package vector

// distances writes the near distances from words of the up to 64 rows whose words are in near.
var distances = plainDistances
