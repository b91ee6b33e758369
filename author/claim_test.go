// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package author_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/author"
)

func TestParseClaim(t *testing.T) {
	for text, want := range map[string]author.Claim{
		"": {}, "hull:7": {Task: "hull", Number: 7}, "a:b:18446744073709551615": {Task: "a:b", Number: 1<<64 - 1},
	} {
		if got, err := author.ParseClaim(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %+v, printed %q, %v", text, got, got, err)
		}
	}
	for _, text := range []string{"hull", ":7", "hull:", "hull:0", "hull:-1", "hull: 7", "hull:x", "hull:18446744073709551616"} {
		if got, err := author.ParseClaim(text); !errors.Is(err, author.ErrClaim) {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := author.Claim{Task: rapid.StringN(1, 20, -1).Draw(t, "task"), Number: rapid.Uint64Min(1).Draw(t, "number")}
		if got, err := author.ParseClaim(c.String()); err != nil || got != c {
			t.Fatalf("%+v: %+v, %v", c, got, err)
		}
	})
}
