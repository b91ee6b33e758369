// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package config

import "strconv"

// maxColumns is the largest width that COLUMNS may have.
const maxColumns = 10_000

// Columns is the width of the terminal in cells that COLUMNS names, 0 for none. env is
// os.Getenv if nil, as in Load.
func Columns(env func(string) string) int {
	wide, err := strconv.Atoi(environmentOr(env)("COLUMNS"))
	if err != nil || wide < 1 || wide > maxColumns {
		return 0
	}
	return wide
}
