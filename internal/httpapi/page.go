// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/api"
)

// page is the part of a list that a GET asks for: limit entries from offset on,
// of the list as it was at a moment. A limit of 0 is all.
type page struct {
	offset, limit int
	moment        string // "" for the first page
}

// first reports whether pages may follow that are to be of the same list.
func (p *page) first() bool { return p.limit > 0 && p.moment == "" }

// moment names what the memory held when it said so. A root can come back; with the
// number of the commit it does not.
func moment(h api.Hello) string { return h.Root + " " + strconv.FormatUint(h.Seq, 10) }

// maxListed bounds a page and what goes before it.
const maxListed = 1 << 30

// page takes the cursor and the limit of a list, and widens the request so that
// the answer holds the page and tells whether another follows.
func (s *shape) page(method, cursor string, request map[string]any) (*page, error) {
	p := &page{}
	if !s.paged() || method != http.MethodGet {
		if cursor != "" {
			return nil, errors.New("cursor: only a list that takes a limit and is asked for with GET has pages")
		}
		return p, nil
	}
	limit, ok := request["limit"].(int64)
	if !ok || limit == 0 {
		if cursor != "" {
			return nil, errors.New("cursor: wants a limit")
		}
		return p, nil
	}
	if limit < 0 || limit > maxListed {
		return nil, fmt.Errorf("limit: is between 1 and %d", maxListed)
	}
	p.limit = int(limit)
	if cursor != "" {
		var err error
		if p.offset, p.moment, err = parseCursor(cursor); err != nil {
			return nil, err
		}
	}
	request["limit"] = p.offset + p.limit + 1
	return p, nil
}

// cut takes the page out of a list that was made between two moments, and links to the
// next one. A list that may be another than the one that the first page was of is a
// conflict; so is every page behind a first one that fell between two.
func (p *page) cut(w http.ResponseWriter, r *http.Request, list any, before, after api.Hello) (any, bool) {
	if p.limit == 0 {
		return list, true
	}
	if p.moment != "" && (p.moment != moment(before) || p.moment != moment(after)) {
		problem(w, http.StatusConflict, "conflict", "cursor: the memory changed since the first page; begin again without one")
		return nil, false
	}
	v := reflect.ValueOf(list)
	end := p.offset + p.limit
	if v.Len() > end {
		q := r.URL.Query()
		q.Set("cursor", base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", end, moment(before))))
		w.Header().Set("Link", "<"+r.URL.Path+"?"+q.Encode()+`>; rel="next"`)
	}
	return v.Slice(min(p.offset, v.Len()), min(end, v.Len())).Interface(), true
}

func parseCursor(cursor string) (offset int, moment string, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	number, moment, ok := strings.Cut(string(text), " ")
	n, nerr := strconv.ParseInt(number, 10, 63)
	if err != nil || nerr != nil || !ok || n < 0 || n > maxListed {
		return 0, "", errors.New("cursor: is not one of ours; take it from the Link header")
	}
	return int(n), moment, nil
}
