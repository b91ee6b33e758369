// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package merkle

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFormatPages compares the tables of constants in doc/format with the code.
func TestFormatPages(t *testing.T) {
	decimal := func(v int) string { return fmt.Sprint(v) }
	oneByte := func(v byte) string { return fmt.Sprintf("0x%02x", v) }
	for page, want := range map[string]map[string]string{
		"codec.md": {
			"majorUint": oneByte(majorUint), "majorInt": oneByte(majorInt), "majorBytes": oneByte(majorBytes),
			"majorText": oneByte(majorText), "majorList": oneByte(majorList), "majorMap": oneByte(majorMap), "majorTag": oneByte(majorTag),
			"itemFalse": oneByte(itemFalse), "itemTrue": oneByte(itemTrue), "itemNull": oneByte(itemNull),
			"linkHeader": fmt.Sprintf("%x", linkHeader), "linkSize": decimal(linkSize),
			"MaxDepth": decimal(MaxDepth), "MaxBlock": decimal(MaxBlock), "ChunkSize": decimal(ChunkSize),
			"ListSize": decimal(ListSize), "MaxContent": decimal(MaxContent), "MaxKids": decimal(MaxKids),
		},
		"digest.md": {
			"DigestSize": decimal(DigestSize), "cidHeader": fmt.Sprintf("%x", cidHeader), "cidTextLen": decimal(cidTextLen),
		},
		"map.md": {
			"mapFormat": decimal(mapFormat), "slotBits": decimal(slotBits), "slotCount": decimal(slotCount), "groupSize": decimal(groupSize),
			"maxLevels": decimal(maxLevels), "MaxLeaf": decimal(MaxLeaf), "emptyRoot": emptyRoot.String(),
		},
	} {
		t.Run(page, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("..", "doc", "format", page))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(constants(string(text)), want); diff != "" {
				t.Errorf("constants (-page +code):\n%s", diff)
			}
		})
	}
}

var constantRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `(\\w+)` \\|")

// constants returns the rows of a page that contain a name and a value as code.
func constants(page string) map[string]string {
	found := map[string]string{}
	for _, m := range constantRow.FindAllStringSubmatch(page, -1) {
		found[m[1]] = m[2]
	}
	return found
}
