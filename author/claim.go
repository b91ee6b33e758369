// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Claim names the claim of a task under which an actor writes. The zero Claim is none.
type Claim struct {
	Task   string // the id of the task
	Number uint64 // as the claim was answered
}

// ErrClaim is returned for a text that names no claim.
var ErrClaim = errors.New("a claim is written TASK:NUMBER, with the id of the task and the number that claiming it answered")

// ParseClaim parses the printed form TASK:NUMBER; "" is no claim. Errors: ErrClaim.
func ParseClaim(text string) (Claim, error) {
	if text == "" {
		return Claim{}, nil
	}
	i := strings.LastIndexByte(text, ':')
	if i <= 0 {
		return Claim{}, fmt.Errorf("claim %q: %w", text, ErrClaim)
	}
	n, err := strconv.ParseUint(text[i+1:], 10, 64)
	if err != nil || n == 0 {
		return Claim{}, fmt.Errorf("claim %q: %w", text, ErrClaim)
	}
	return Claim{Task: text[:i], Number: n}, nil
}

// String returns the printed form, "" for the zero Claim.
func (c Claim) String() string {
	if c == (Claim{}) {
		return ""
	}
	return c.Task + ":" + strconv.FormatUint(c.Number, 10)
}
