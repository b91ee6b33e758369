// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package foveatest

import "strings"

// vocabulary holds the 4,096 words of the generator, indexed by 12 bits.
var vocabulary = func() (v [4096]string) {
	onset := strings.Fields("b d f g k l m n p r s t v w st tr")
	middle := strings.Fields("a e i o u ai ea io ou an en in on ar er or")
	end := [16]string{"", "n", "r", "s", "t", "l", "ra", "do", "ne", "ti", "ka", "lo", "mi", "su", "ver", "tal"}
	for b := range v {
		v[b] = onset[b&15] + middle[b>>4&15] + end[b>>8&15]
	}
	return v
}()

// mix is splitmix64, which programs in other languages can implement to generate the
// same files.
func mix(x uint64) uint64 {
	z := x + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// writeWords writes words separated by single spaces until it has written at least limit
// bytes. Each mixed number yields five words.
func writeWords(b *strings.Builder, i, salt uint64, limit int) {
	n := 0
	for k := uint64(0); ; k++ {
		x := mix(i*1000003 + salt + k)
		for range 5 {
			if n > 0 {
				b.WriteByte(' ')
				n++
			}
			w := vocabulary[x&4095]
			x >>= 12
			b.WriteString(w)
			if n += len(w); n >= limit {
				return
			}
		}
	}
}
