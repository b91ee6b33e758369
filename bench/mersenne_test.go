// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package bench

import "math/bits"

// mersenne is the Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998) with the
// methods of Python's random.Random, so that a generator written in either language
// makes the same choices for the same seed.
type mersenne struct {
	state [mersenneSize]uint32
	next  int
}

const (
	mersenneSize  = 624
	mersenneShift = 397
)

// newMersenne returns the generator of random.Random(seed). The seed is below 1<<32.
func newMersenne(seed uint32) *mersenne {
	m := &mersenne{next: mersenneSize}
	m.state[0] = 19650218
	for i := 1; i < mersenneSize; i++ {
		m.state[i] = 1812433253*(m.state[i-1]^m.state[i-1]>>30) + uint32(i)
	}
	at := 1
	mix := func(factor uint32, add func() uint32) {
		m.state[at] = (m.state[at] ^ (m.state[at-1]^m.state[at-1]>>30)*factor) + add()
		if at++; at == mersenneSize {
			m.state[0], at = m.state[mersenneSize-1], 1
		}
	}
	for range mersenneSize {
		mix(1664525, func() uint32 { return seed })
	}
	for range mersenneSize - 1 {
		mix(1566083941, func() uint32 { return -uint32(at) })
	}
	m.state[0] = 1 << 31
	return m
}

// word returns the next 32 bits.
func (m *mersenne) word() uint32 {
	if m.next == mersenneSize {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mersenne) twist() {
	for i := range m.state {
		y := m.state[i]&(1<<31) | m.state[(i+1)%mersenneSize]&(1<<31-1)
		m.state[i] = m.state[(i+mersenneShift)%mersenneSize] ^ y>>1 ^ y&1*0x9908b0df
	}
	m.next = 0
}

// float returns a number from 0 up to 1, as random() does.
func (m *mersenne) float() float64 {
	a, b := m.word()>>5, m.word()>>6
	return (float64(a)*(1<<26) + float64(b)) / (1 << 53)
}

// below returns a number from 0 up to n, which is positive.
func (m *mersenne) below(n int) int {
	size := bits.Len(uint(n))
	for {
		if r := int(m.word() >> (32 - size)); r < n {
			return r
		}
	}
}

// choose returns one of the items, as choice(items) does.
func choose[T any](m *mersenne, items []T) T { return items[m.below(len(items))] }

// draw returns k different items in random order, as sample(items, k) does.
func draw[T any](m *mersenne, items []T, k int) []T {
	n, out := len(items), make([]T, 0, k)
	large := 21 // from this size on, a set of the chosen is smaller than a copy
	if k > 5 {
		for power := 1; ; power *= 4 {
			if power >= 3*k {
				large += power
				break
			}
		}
	}
	if n <= large {
		pool := append([]T(nil), items...)
		for i := range k {
			j := m.below(n - i)
			out = append(out, pool[j])
			pool[j] = pool[n-i-1]
		}
		return out
	}
	taken := map[int]bool{}
	for range k {
		j := m.below(n)
		for taken[j] {
			j = m.below(n)
		}
		taken[j] = true
		out = append(out, items[j])
	}
	return out
}
