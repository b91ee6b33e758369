// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import "strconv"

// maxColumns is the largest width that COLUMNS may have.
const maxColumns = 10_000

// Columns returns the terminal's width in cells from COLUMNS, 0 if not set or invalid. env
// is os.Getenv if nil, as in Load.
func Columns(env func(string) string) int {
	wide, err := strconv.Atoi(environmentOr(env)("COLUMNS"))
	if err != nil || wide < 1 || wide > maxColumns {
		return 0
	}
	return wide
}
