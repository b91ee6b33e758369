// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestReaderRefusesOtherKinds(t *testing.T) {
	reads := map[Kind]func(*Reader){
		KindInt:   func(r *Reader) { r.Int() },
		KindBytes: func(r *Reader) { r.Bytes() },
		KindText:  func(r *Reader) { r.Text() },
		KindList:  func(r *Reader) { r.List() },
		KindMap:   func(r *Reader) { r.Map() },
		KindLink:  func(r *Reader) { r.Link() },
		KindBool:  func(r *Reader) { r.Bool() },
		KindNull:  func(r *Reader) { r.Null() },
	}
	blocks := map[Kind][]byte{
		KindInt: AppendInt(nil, -300), KindBytes: AppendBytes(nil, "b"), KindText: AppendText(nil, "t"),
		KindList: AppendList(nil, 0), KindMap: AppendMap(nil, 0), KindLink: AppendLink(nil, Sum(nil)),
		KindBool: AppendBool(nil, true), KindNull: AppendNull(nil),
	}
	for asked, read := range reads {
		for kind, block := range blocks {
			t.Run("read "+asked.String()+" from "+kind.String(), func(t *testing.T) {
				r := NewReader(block)
				if got := r.Peek(); got != kind {
					t.Errorf("Peek() = %s, want %s", got, kind)
				}
				read(r)
				if asked == kind && r.Done() != nil {
					t.Errorf("error %v", r.Err())
				}
				if asked != kind && !errors.Is(r.Done(), ErrKind) {
					t.Errorf("error %v, want ErrKind", r.Err())
				}
			})
		}
	}
}

func TestReaderErrors(t *testing.T) {
	pair := AppendUint(AppendText(AppendMap(nil, 1), "f"), 0)
	for _, c := range []struct {
		name  string
		block []byte
		read  func(r *Reader)
		want  string
	}{
		{"another key", pair, func(r *Reader) { r.FixedMap(1); r.Key("g") }, `byte 1: want key "g", not "f"`},
		{"more pairs than asked", pair, func(r *Reader) { r.FixedMap(0) }, "byte 0: want map of 0, not of 1"},
		{"fewer values than asked", AppendList(nil, 0), func(r *Reader) { r.FixedList(2) }, "want list of 2, not of 0"},
		{"values left", pair, func(r *Reader) { r.FixedMap(1) }, "byte 1: want end, not text"},
		{"past the end", AppendNull(nil), func(r *Reader) { r.Null(); r.Text() }, "byte 1: want text, not nothing"},
		{"raw past the end", AppendNull(nil), func(r *Reader) { r.Null(); r.Raw() }, "byte 1: want a value"},
		{"an Uint below 0", AppendInt(nil, -1), func(r *Reader) { r.Uint() }, "want int from 0"},
		{"an Int above 2^63-1", AppendUint(nil, 1<<63), func(r *Reader) { r.Int() }, "byte 0: want int of 64 bits"},
		{"an Int below -2^63", unhex("3b8000000000000000"), func(r *Reader) { r.Int() }, "byte 0: want int of 64 bits"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(c.block)
			c.read(r)
			err := r.Done()
			if !errors.Is(err, ErrKind) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want ErrKind that says %q", err, c.want)
			}
		})
	}
}

// TestReaderErrorStays checks that the first error is reported and that later
// reads return zero values.
func TestReaderErrorStays(t *testing.T) {
	r := NewReader(AppendText(nil, "text"))
	r.Int()
	first := r.Err()
	if r.Text() != "" || r.Bytes() != nil || r.Int() != 0 || r.Uint() != 0 || r.Bool() || r.List() != 0 || r.Map() != 0 ||
		r.Raw() != nil || !r.Link().IsZero() || r.Peek() != KindNone {
		t.Error("a read after an error returned a value")
	}
	r.Key("k")
	r.FixedMap(1)
	if r.Done() != first || !errors.Is(first, ErrKind) {
		t.Errorf("error %v, first was %v", r.Done(), first)
	}
}

func TestReaderIntegers(t *testing.T) {
	for _, v := range []int64{0, 23, 24, 255, 256, 65535, 65536, 1<<32 - 1, 1 << 32, math.MaxInt64, -1, -24, -25, -256, -257, math.MinInt64} {
		r := NewReader(AppendInt(nil, v))
		if got := r.Int(); got != v || r.Done() != nil {
			t.Errorf("Int() = %d, %v, want %d", got, r.Done(), v)
		}
	}
	r := NewReader(AppendUint(nil, math.MaxUint64))
	if got := r.Uint(); got != math.MaxUint64 || r.Done() != nil {
		t.Errorf("Uint() = %d, %v", got, r.Done())
	}
}

// TestReaderBytesAreCapped checks that appending to a slice returned by a
// Reader does not overwrite the block.
func TestReaderBytesAreCapped(t *testing.T) {
	block := AppendText(AppendBytes(AppendList(nil, 2), "ab"), "cd")
	r := NewReader(block)
	r.List()
	_ = append(r.Bytes(), 'X')
	if got := r.Text(); got != "cd" || r.Done() != nil {
		t.Errorf("Text() = %q, %v, want cd", got, r.Done())
	}
}
