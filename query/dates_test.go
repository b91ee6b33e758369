// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package query_test

import (
	"testing"
	"time"

	"github.com/fovea-memory/fovea/query"
)

// TestParseDay: a day is read as a person types it, on the calendar of now's location; anything else
// is no day.
func TestParseDay(t *testing.T) {
	east := time.FixedZone("east", 10*60*60)
	now := time.Date(2026, 11, 27, 0, 30, 0, 0, east) // a Friday, and Thursday in UTC
	for _, tc := range []struct{ text, want, past string }{
		{"2026-01-31", "2026-01-31", "2026-01-31"}, {"today", "2026-11-27", "2026-11-27"}, {"Today", "2026-11-27", "2026-11-27"},
		{"TOMORROW", "2026-11-28", "2026-11-28"}, {"tomorrow", "2026-11-28", "2026-11-28"},
		{"yesterday", "2026-11-26", "2026-11-26"}, {"fri", "2026-11-27", "2026-11-27"}, {"Friday", "2026-11-27", "2026-11-27"},
		{"sat", "2026-11-28", "2026-11-21"}, {"THU", "2026-12-03", "2026-11-26"}, {"wednes", "2026-12-02", "2026-11-25"},
		{"+3d", "2026-11-30", "2026-11-30"}, {"-3d", "2026-11-24", "2026-11-24"}, {"+2w", "2026-12-11", "2026-12-11"}, {"+1m", "2026-12-27", "2026-12-27"},
		{"-1y", "2025-11-27", "2025-11-27"}, {"+0d", "2026-11-27", "2026-11-27"},
		{"", "", ""}, {"fr", "", ""}, {"fridays", "", ""}, {"3d", "", ""}, {"+3", "", ""}, {"+3h", "", ""}, {"+d", "", ""}, {"++3d", "", ""}, {"+999999d", "", ""},
		{"+99999y", "", ""}, {"-9999y", "", ""}, {"2026-02-30", "", ""}, {"today ", "", ""}, {"\xff\xff\xff", "", ""},
	} {
		for want, past := range map[string]bool{"next " + tc.want: false, "last " + tc.past: true} {
			got := map[bool]string{false: "next ", true: "last "}[past]
			if day, ok := query.ParseDay(tc.text, now, past); ok {
				got += day.Format(time.DateOnly)
			}
			if got != want {
				t.Errorf("%q is %q, want %q", tc.text, got, want)
			}
		}
	}
}
