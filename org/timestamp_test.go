// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fovea-memory/fovea/org"
)

func TestParseTimestamp(t *testing.T) {
	at := func(text string) time.Time {
		layout := "2006-01-02 15:04"[:len(text)]
		v, err := time.Parse(layout, text)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	day := func(active bool, text string) org.Timestamp {
		timed := len(text) > len("2006-01-02")
		return org.Timestamp{Active: active, Start: at(text), End: at(text), StartTime: timed, EndTime: timed}
	}
	with := func(s org.Timestamp, change func(*org.Timestamp)) org.Timestamp {
		change(&s)
		return s
	}
	cases := []struct {
		name, text string
		want       org.Timestamp
	}{
		{"date", "<2026-01-05>", day(true, "2026-01-05")},
		{"inactive", "[2026-01-05 Mon]", day(false, "2026-01-05")},
		{"brackets need not match", "<2026-01-05 Mon]", day(true, "2026-01-05")},
		{"any name of the day", "<2026-01-05 понедельник 9:30>", day(true, "2026-01-05 09:30")},
		{"time without the day", "<2026-01-05 09:30>", day(true, "2026-01-05 09:30")},
		{"time behind two words", "<2026-01-05 Mon early 09:30>", day(true, "2026-01-05")},
		{"blanks", "<2026-01-05   Mon   09:30  >", day(true, "2026-01-05 09:30")},
		{"blank alone", "<2026-01-05 >", day(true, "2026-01-05")},
		{"a date that is none", "<2026-02-31>", day(true, "2026-03-03")},
		{"a time that is none", "<2026-01-05 25:00>", day(true, "2026-01-06 01:00")},
		{"times", "<2026-01-05 Mon 10:00-11:30>", with(day(true, "2026-01-05 10:00"), func(s *org.Timestamp) {
			s.End, s.Range = at("2026-01-05 11:30"), true
		})},
		{"dates", "<2026-01-05 Mon>--<2026-01-07 Wed 8:00>", with(day(true, "2026-01-05"), func(s *org.Timestamp) {
			s.End, s.EndTime, s.Range = at("2026-01-07 08:00"), true, true
		})},
		{"repeater", "<2026-01-05 Mon 10:00 ++2w>", with(day(true, "2026-01-05 10:00"), func(s *org.Timestamp) {
			s.Repeater = org.Interval{Mark: "++", Count: 2, Unit: 'w'}
		})},
		{"habit and warning", "<2026-01-05 Mon .+2d/4d --1h>", with(day(true, "2026-01-05"), func(s *org.Timestamp) {
			s.Repeater = org.Interval{Mark: ".+", Count: 2, Unit: 'd', MaxCount: 4, MaxUnit: 'd'}
			s.Warning = org.Interval{Mark: "--", Count: 1, Unit: 'h'}
		})},
		{"warning first", "<2026-01-05 Mon -3d +1m>", with(day(true, "2026-01-05"), func(s *org.Timestamp) {
			s.Repeater = org.Interval{Mark: "+", Count: 1, Unit: 'm'}
			s.Warning = org.Interval{Mark: "-", Count: 3, Unit: 'd'}
		})},
		{"cookies that are none", "<2026-01-05 Mon +1 -d +x>", day(true, "2026-01-05")},
		{"a count beyond reason", "<2026-01-05 +99999999999999999999y>", with(day(true, "2026-01-05"), func(s *org.Timestamp) {
			s.Repeater = org.Interval{Mark: "+", Count: 1_000_000, Unit: 'y'}
		})},
		{"expression", "<%%(diary-float t 4 2) 10:00>", org.Timestamp{Diary: true}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, ok := org.ParseTimestamp(c.text)
			if !ok {
				t.Fatalf("%s is no timestamp", c.text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.text, diff)
			}
		})
	}
}

func TestParseTimestampRefuses(t *testing.T) {
	for _, text := range []string{
		"", "<", "2026-01-05", "<2026-01-05", "<2026-1-5>", "<2026-01-05Mon>", "<2026-01-05> ", " <2026-01-05>", "<%%()>",
		"<2026-01-05>-<2026-01-06>", "<2026-01-05>--", "<2026-01-05 Mon> x>",
	} {
		if got, ok := org.ParseTimestamp(text); ok {
			t.Errorf("%q is read as %+v", text, got)
		}
	}
}

func FuzzParseTimestamp(f *testing.F) {
	for _, seed := range []string{"<2026-01-05 Mon 10:00-11:00 +1w/2w --3d>", "[2026-01-05]--[2026-01-06 a 1:00]", "<%%(x) 1:00>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := org.ParseTimestamp(s)
		switch {
		case !ok:
			if got != (org.Timestamp{}) {
				t.Errorf("%q is refused, but has %+v", s, got)
			}
		case got.Diary != got.Start.IsZero() && got.Start.Year() != 1:
			t.Errorf("%q has %+v", s, got)
		case !got.Range && !got.Start.Equal(got.End):
			t.Errorf("%q is no range, but has %+v", s, got)
		case got.Repeater.Count > 1_000_000 || got.Warning.Count > 1_000_000:
			t.Errorf("%q has %+v", s, got)
		}
	})
}
