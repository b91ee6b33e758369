// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package working

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/fovea-memory/fovea/internal/fault"
)

// Given are blocks as programs write them.
type Given []Block

// UnmarshalJSON reads a list of blocks. A time without a zone is in this machine's zone. An unknown key is
// an error, and so is an invalid time.
func (g *Given) UnmarshalJSON(text []byte) error {
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	*g = make(Given, len(all))
	for i := range all {
		if err := (*g)[i].read(all[i]); err != nil {
			if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
				wrong.Field = strings.TrimSuffix(strconv.Itoa(i)+"."+strings.TrimPrefix(wrong.Field, "plain."), ".")
			}
			return err
		}
	}
	return nil
}

func (b *Block) read(text []byte) error {
	type plain Block
	in := struct {
		*plain
		Timestamp moment `json:"timestamp"`
		Expiry    moment `json:"expiry"`
	}{plain: (*plain)(b)}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(&in)
	b.Timestamp, b.Expiry = time.Time(in.Timestamp), time.Time(in.Expiry)
	return err
}

// moment is a time in JSON, with a zone or without.
type moment time.Time

// momentForms are the forms of a time without a zone, and of a day, which means its beginning.
var momentForms = [...]string{"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly}

func (m *moment) UnmarshalJSON(text []byte) error {
	var given *string
	if err := json.Unmarshal(text, &given); err != nil || given == nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			wrong.Type = reflect.TypeFor[time.Time]()
		}
		return err
	}
	at, err := time.Parse(time.RFC3339, strings.Replace(*given, " ", "T", 1))
	for _, form := range momentForms {
		if err != nil {
			at, err = time.ParseInLocation(form, *given, time.Local)
		}
	}
	*m = moment(at)
	if year := at.UTC().Year(); err != nil || year < 1 || year > 9999 { // other years cannot be encoded
		return &json.UnmarshalTypeError{Value: "string " + clip(string(text), maxDetail), Type: reflect.TypeFor[time.Time]()}
	}
	return nil
}

// UnmarshalJSON reads the name of a priority, or its number, see Block.Complete.
func (p *Priority) UnmarshalJSON(text []byte) error {
	if text[0] >= '0' && text[0] <= '9' {
		*p = Priority(text)
		return nil
	}
	return json.Unmarshal(text, (*string)(p))
}

// inWords normalizes a priority given in any case, or as a number from 1, critical, to 4, low. An unknown
// one is returned unchanged.
func (p Priority) inWords() Priority {
	for i, known := range Priorities {
		if strings.EqualFold(string(p), string(known)) || len(p) == 1 && int(p[0]-'1') == i {
			return known
		}
	}
	return p
}

// Decode reads one block, or a list of them, from JSON, see Given.
func Decode(text []byte) ([]Block, error) {
	if text = bytes.TrimSpace(text); !bytes.HasPrefix(text, []byte("[")) {
		text = append(append([]byte("["), text...), ']')
	}
	var all Given
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fault.OfJSON("what was given", err)
	}
	return all, nil
}

// About returns the block with its subject, as a person types it after the type: for a file, PATH,
// PATH:FIRST-LAST or PATH:FIRST- to the end; for ROM and knowledge, a path; for a task, its id and a
// description; for a status, its kind and a value; for history, an action and details; for a context, a
// summary. Further words are ignored.
func (b Block) About(words ...string) Block {
	first, rest := "", ""
	if len(words) > 0 {
		first, rest = words[0], strings.Join(words[1:], " ")
	}
	switch b.Type {
	case File:
		b.Location, b.StartLine, b.EndLine = splitLines(first)
	case ROM, Knowledge:
		b.Location = first
	case Task:
		b.TaskID, b.Description = first, rest
	case Status:
		if b.StatusType = first; rest != "" {
			b.Value = rest
		}
	case History:
		b.ActionType, b.ActionDetail = first, rest
	case Context:
		b.Summary = strings.TrimSpace(first + " " + rest)
	}
	return b
}

// splitLines splits PATH:FIRST-LAST, PATH:FIRST- or PATH:LINE; any other name is a path. The last line of a
// range without an end is 0. A range that begins with line 0 is kept, for Complete to reject.
func splitLines(name string) (path string, first, last int) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 {
		return name, 0, 0
	}
	from, to, isRange := strings.Cut(name[i+1:], "-")
	if !isRange {
		to = from
	} else if to == "" {
		to = "0"
	}
	first, err := strconv.Atoi(from)
	last, lastErr := strconv.Atoi(to)
	if err != nil || lastErr != nil {
		return name, 0, 0
	}
	if first == 0 {
		last = max(last, 1)
	}
	return name[:i], first, last
}
