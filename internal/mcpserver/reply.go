// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fovea-memory/fovea/internal/text"
	"github.com/fovea-memory/fovea/window/render"
)

// reply is the answer of a tool: text for the model, and data for a program, which quotes no
// notes. Clients such as Claude Code and Codex show their model the data alone where there is
// any. So text says nothing but what the fields of data say, all else stands in remark, and a
// reply that quotes notes has no data.
type reply struct {
	text   string
	data   any
	remark string   // whole sentences, behind text and in data
	handed []string // ids of the messages in the text
}

// maxData is the maximum number of bytes of the JSON data in an answer. Larger data is left
// out, and the model reads the text.
const maxData = 64 << 10

// shown returns the text of a reply with its remark.
func (r reply) shown() string {
	if r.remark == "" {
		return r.text
	}
	return strings.TrimSpace(r.text + " " + r.remark)
}

// structured returns the data of a reply with its remark, nil for none.
func (r reply) structured() any {
	if r.data == nil {
		return nil
	}
	fields, err := json.Marshal(r.data) // an object
	if err != nil {
		return nil
	}
	if r.remark != "" {
		last, _ := json.Marshal(map[string]string{"remark": r.remark}) // a text is JSON
		fields = append(append(fields[:len(fields)-1], ','), last[1:]...)
	}
	if len(fields) > maxData {
		return nil
	}
	return json.RawMessage(fields)
}

// maxText is the maximum number of bytes of remembered text in an answer without a budget. A
// client cuts a longer one, and its model never learns that there was more.
const maxText = 128 << 10

// fenced puts remembered text between the shortest fence of backticks that does not occur in
// it, under a line that calls it data. It cuts a long text and says where. Empty text gives
// "".
func fenced(remembered string) string {
	remembered = legible(remembered)
	shown := text.Page(remembered, maxText)
	out := whole(shown)
	if len(shown) < len(remembered) {
		out += fmt.Sprintf("Cut after %d of %d bytes.\n", len(shown), len(remembered))
	}
	return out
}

// whole fences a text of any length.
func whole(remembered string) string {
	if remembered = strings.TrimRight(remembered, "\r\n"); remembered == "" {
		return ""
	}
	fence := text.Fence(remembered)
	return render.FenceNote + "\n" + fence + "\n" + remembered + "\n" + fence + "\n"
}

// legible replaces each run of bytes that are not UTF-8 with one replacement character; JSON
// would replace each byte.
func legible(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
