// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package org_test

import (
	"fmt"
	"time"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/org"
)

func ExampleDocument_Edit() {
	const src = "* Call Amara\nSCHEDULED: <2026-03-02 Mon>\n"
	d := org.Parse(src, nil)
	now := time.Date(2026, 3, 3, 10, 0, 0, 0, time.UTC)
	splices, err := d.Edit(0, now, document.SetTodo{Keyword: "TODO"}, document.Schedule{When: "2026-03-09 10:00"})
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := document.Apply(src, splices)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	// Output:
	// * TODO Call Amara
	// SCHEDULED: <2026-03-09 Mon 10:00>
}
