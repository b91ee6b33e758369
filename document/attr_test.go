// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package document

import (
	"math"
	"strings"
	"testing"
)

// TestSizeOfValue: the size is the length of the encoding, of null 0, and copies no value.
func TestSizeOfValue(t *testing.T) {
	decimal, _ := NumberValue("1.50")
	values := []Value{BoolValue(true), IntValue(0), IntValue(-300), IntValue(math.MinInt64), decimal, ListValue(), ListValue(TextValue("a"), decimal)}
	for _, n := range []int{0, 23, 24, 255, 256, 1 << 16} {
		values = append(values, TextValue(strings.Repeat("x", n)))
	}
	for _, v := range values {
		if got, want := v.size(), len(v.Encoded()); got != want {
			t.Errorf("%.20s: %d, want %d", v, got, want)
		}
	}
	attrs := []Attr{{strings.Repeat("K", MaxAttr), Value{}}, {"L", TextValue(strings.Repeat("x", MaxAttr-6))}}
	if n := testing.AllocsPerRun(5, func() {
		if _, key, err := CheckAttrs(attrs); err != nil {
			t.Error(key[:1], err)
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
