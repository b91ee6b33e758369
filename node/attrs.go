// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"fmt"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// appendAttrs appends the attributes of an own block: a list of pairs, or, if that exceeds
// a chunk, its encoding as content.
func appendAttrs(b []byte, attrs []document.Attr, emit Emit) ([]byte, error) {
	begin := len(b)
	b = merkle.AppendList(b, len(attrs))
	for _, a := range attrs {
		b = merkle.AppendList(b, 2)
		b = a.Value.Append(merkle.AppendText(b, a.Key))
	}
	if len(b)-begin <= merkle.ChunkSize {
		return b, nil
	}
	list := string(b[begin:])
	return merkle.AppendContent(b[:begin], list, emit)
}

// readAttrs decodes the output of appendAttrs and rejects any other input.
func readAttrs(raw []byte, get func(merkle.Digest) ([]byte, error)) ([]document.Attr, error) {
	list := merkle.NewReader(raw)
	n := list.List()
	if chunked := n > 0 && list.Peek() == merkle.KindInt; chunked {
		text, err := merkle.ReadContent(merkle.NewReader(raw), get)
		if err != nil {
			return nil, err
		}
		list = merkle.NewReader([]byte(text))
		n = list.List()
	} else if len(raw) > merkle.ChunkSize {
		return nil, fmt.Errorf("attributes of %d bytes in one block: %w", len(raw), document.ErrTree)
	}
	var attrs []document.Attr
	for range n {
		list.FixedList(2)
		key := list.Text()
		v := string(list.Raw())
		if list.Err() != nil {
			break
		}
		value, err := document.ParseValue(v)
		if err != nil {
			return nil, fmt.Errorf("attribute %s: %w", document.Quote(key), err)
		}
		attrs = append(attrs, document.Attr{Key: key, Value: value})
	}
	if err := list.Done(); err != nil {
		return nil, err
	}
	if _, key, err := document.CheckAttrs(attrs); err != nil {
		return nil, fmt.Errorf("attribute %s: %w", document.Quote(key), err)
	}
	return attrs, nil
}
