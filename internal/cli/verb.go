// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/internal/face"
	"github.com/fovea-memory/fovea/query"
)

// Commands returns the verbs in the order of the help page. The GroupID of a verb is the group of
// its operation; an operation with a group and without a row prints its answer as JSON.
func Commands(s *Session) []*cobra.Command {
	var top []*cobra.Command
	made, faced := map[string]*cobra.Command{}, map[*api.Operation]bool{}
	for _, row := range face.Rows() {
		words, _ := row.Words()
		if faced[row.Operation] = true; words == "-" {
			continue
		}
		c := command(s, row)
		made[words] = c
		group, _, isBelow := strings.Cut(words, " ")
		if !isBelow {
			top, group = append(top, c), words
		} else {
			made[group].AddCommand(c)
		}
		if row.Operation != nil {
			made[group].GroupID = cmp.Or(made[group].GroupID, row.Group)
		}
	}
	for _, op := range api.Operations {
		if op.Group != "" && !faced[op] {
			c := command(s, face.Of(op))
			c.GroupID = op.Group
			top = append(top, c)
		}
	}
	return top
}

// command makes the verb of a row: flags and arguments are in the tags of the request, the rest in the verb's hook.
func command(s *Session, row *face.Row) *cobra.Command {
	words, arguments := row.Words()
	name := words[strings.LastIndex(words, " ")+1:]
	c := &cobra.Command{Use: strings.TrimSpace(name + " " + arguments), Short: row.Short, Long: row.Long, Example: row.Example}
	if row.Operation == nil {
		return Group(c)
	}
	c.Short = cmp.Or(c.Short, row.Summary)
	c.Args = wanted(arguments, row.Wants)
	request := reflect.New(row.Request)
	AddFlags(c.Flags(), request.Interface())
	prepare := func([]string) error { return nil }
	c.RunE = func(c *cobra.Command, a []string) error {
		fields := request.Elem()
		takeDays(fields, time.Now())
		err := cmp.Or(takeArguments(fields, a), takeTexts(s, c, fields))
		if err == nil {
			err = prepare(a)
		}
		if err != nil {
			return err
		}
		answer, err := callAny(s, c, row.Operation, fields.Interface())
		if err != nil {
			return err
		}
		return s.show(row, fields.Interface(), answer)
	}
	if i := slices.IndexFunc(hooks, func(h hook) bool { return h.request == row.Request }); i >= 0 {
		if finish := hooks[i].add(s, c, request.Interface()); finish != nil {
			prepare = finish
		}
	}
	if hasNames.MatchString(c.Use) {
		c.ValidArgsFunction = s.complete
	}
	return c
}

// wanted checks the number of arguments against those of a usage, such as NODE [MOMENT...].
func wanted(usage, words string) cobra.PositionalArgs {
	needed, _, _ := strings.Cut(usage, "[")
	most := len(strings.Fields(usage))
	if strings.Contains(usage, "...") {
		most = -1
	}
	return Args(len(strings.Fields(needed)), most, cmp.Or(words, usage, "no arguments"))
}

// show prints an answer, and returns the failure that it reports, if any.
func (s *Session) show(row *face.Row, req, answer any) error {
	return s.answer(row, req, answer, answer)
}

// answer is show for an answer of which --json prints only a part.
func (s *Session) answer(row *face.Row, req, answer, asJSON any) error {
	color, pager := s.Look()
	if s.Shown.Dress(s.Console, color); row.IsLong() {
		s.Shown.Page(s.Console, pager)
	}
	page := &face.Page{Stream: s.Out, Beside: s.Err, Note: s.Report, Grep: s.jump}
	if err := s.Answer(asJSON, func() { row.Show(page, req, answer) }); err != nil {
		return err
	}
	return row.Failed(answer)
}

// AddFlags adds a flag for each field with a flag tag, see flagOf. The values in the struct are the defaults.
func AddFlags(f *pflag.FlagSet, into any) {
	fields := reflect.ValueOf(into).Elem()
	for _, field := range reflect.VisibleFields(fields.Type()) {
		name, usage, _ := flagOf(field)
		if name == "" {
			continue
		}
		switch v := fields.FieldByIndex(field.Index).Addr().Interface().(type) {
		case *string:
			f.StringVar(v, name, *v, usage)
		case *bool:
			f.BoolVar(v, name, *v, usage)
		case *int:
			f.IntVar(v, name, *v, usage)
		case *float64:
			f.Float64Var(v, name, *v, usage)
		case *time.Duration:
			f.DurationVar(v, name, *v, usage)
		case *[]string:
			f.StringArrayVar(v, name, *v, usage)
		case *[]int:
			f.IntSliceVar(v, name, *v, usage)
		case **string:
			f.Var(optional[string]{v, "string", func(text string) (string, error) { return text, nil }}, name, usage)
		case **int:
			f.Var(optional[int]{v, "int", strconv.Atoi}, name, usage)
		case **float64:
			f.Var(optional[float64]{v, "float64", func(text string) (float64, error) { return strconv.ParseFloat(text, 64) }}, name, usage)
		default:
			panic(fmt.Sprintf("--%s: no flag holds a %s", name, field.Type)) // programming error
		}
	}
}

// flagOf returns the name and the usage of a field's flag, "" for none, and whether its value is a text, see givenText.
// The usage is the tag, with the value's placeholder in angle brackets, or else the field's description. A leading
// --NAME replaces the field's JSON name, and a leading @ makes it a text.
func flagOf(field reflect.StructField) (name, usage string, isText bool) {
	tag, ok := field.Tag.Lookup("flag")
	if !ok {
		return "", "", false
	}
	name, _, _ = strings.Cut(field.Tag.Get("json"), ",")
	name = strings.ReplaceAll(name, "_", "-")
	if rest, named := strings.CutPrefix(tag, "--"); named {
		name, tag, _ = strings.Cut(rest, " ")
	}
	tag, isText = strings.CutPrefix(tag, "@")
	if usage = usageOf(tag, field.Tag.Get("jsonschema")); isText {
		usage += " " + textUsage
	}
	return name, usage, isText
}

// takeTexts replaces the values of flags by the texts that they mean.
func takeTexts(s *Session, c *cobra.Command, req reflect.Value) error {
	for _, field := range reflect.VisibleFields(req.Type()) {
		name, _, isText := flagOf(field)
		if !isText || !c.Flags().Changed(name) {
			continue
		}
		text, err := givenText(c.Context(), s, c.Flag(name).Value.String())
		if err != nil {
			return err
		}
		if v := req.FieldByIndex(field.Index); v.Kind() == reflect.Pointer {
			v.Set(reflect.ValueOf(&text))
		} else {
			v.SetString(text)
		}
	}
	return nil
}

// placeholder matches the word for the flag's value in a usage.
var placeholder = regexp.MustCompile(`<([A-Z=]+)>`)

// usageOf returns a flag's usage from its tag and the field's description.
func usageOf(tag, description string) string {
	switch {
	case tag == "":
		return description
	case strings.ToUpper(tag) == tag:
		return "`" + tag + "`: " + description
	}
	return placeholder.ReplaceAllString(tag, "`$1`")
}

// optional is a flag value that stays nil unless the flag is given.
type optional[T any] struct {
	to    **T
	kind  string // of the value, for the help
	parse func(text string) (T, error)
}

var _ pflag.Value = optional[string]{}

func (o optional[T]) Set(text string) error {
	value, err := o.parse(text)
	if err == nil {
		*o.to = &value
	}
	return err
}

func (o optional[T]) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return fmt.Sprint(**o.to)
}

func (o optional[T]) Type() string { return o.kind }

// takeDays replaces the day at the start of a DATE flag, such as tomorrow, fri or +3d, by its date. It
// runs at the time of the command, so that a proposed change keeps the intended day.
func takeDays(req reflect.Value, now time.Time) {
	for _, field := range reflect.VisibleFields(req.Type()) {
		v := reflect.Indirect(req.FieldByIndex(field.Index))
		if strings.Contains(field.Tag.Get("flag"), "<DATE>") && v.Kind() == reflect.String {
			word, _, _ := strings.Cut(v.String(), " ")
			if day, ok := query.ParseDay(word, now, false); ok {
				v.SetString(strings.Replace(v.String(), word, day.Format(time.DateOnly), 1))
			}
		}
	}
}

// takeArguments fills the fields with an arg tag, in order. A tag that ends in ... takes all remaining
// arguments; a string field joins them. A path is made absolute, see RemoteURL.
func takeArguments(req reflect.Value, a []string) (err error) {
	for _, field := range reflect.VisibleFields(req.Type()) {
		arg, ok := field.Tag.Lookup("arg")
		if !ok || len(a) == 0 {
			continue
		}
		v := req.FieldByIndex(field.Index)
		switch {
		case v.Kind() == reflect.Slice:
			v.Set(reflect.ValueOf(a))
			a = nil
		case strings.HasSuffix(arg, "..."):
			v.SetString(strings.Join(a, " "))
			a = nil
		default:
			v.SetString(a[0])
			a = a[1:]
		}
		if field.Tag.Get("path") != "" && err == nil {
			var path string
			path, err = filepath.Abs(v.String())
			v.SetString(path)
		}
	}
	return err
}

// Session holds what the verbs of operations need in one run: the console, and the memory.
type Session struct {
	*Console
	// Service opens the memory, or connects to its daemon; it is the same for all calls of a run.
	Service func(context.Context) (api.Service, error)
	Begun   func() bool                  // reports whether the memory exists; Service would create it
	Agent   func() string                // the agent that the owner acts for, or ""; call it after Service
	Memex   func() string                // the folder of the memory; call it after Service
	Look    func() (color, pager string) // the settings of the configuration; call it after Service
	Claim   author.Claim                 // the claim of all writes, the zero Claim for none

	jump func(path, text string) string // see Page.Grep
}

// Misuse is an error in the flags or arguments of a verb.
type Misuse struct{ Err error }

// Misusef returns a Misuse, formatted as by fmt.Errorf.
func Misusef(format string, a ...any) error { return Misuse{fmt.Errorf(format, a...)} }

// Error returns the text of the cause.
func (e Misuse) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e Misuse) Unwrap() error { return e.Err }

// Call opens the memory and calls an operation as the owner, in the name of --agent if it is given.
func Call[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], req Q) (A, error) {
	return op.Call(c.Context(), func(_ context.Context, call api.Call) (any, error) { return callAny(s, c, call.Op, call.Request) }, req)
}

// callAny is Call for types known only at run time.
func callAny(s *Session, c *cobra.Command, op *api.Operation, req any) (any, error) {
	defer s.Working()()
	svc, err := s.Service(c.Context())
	if err != nil {
		return nil, err
	}
	ctx := author.WithActor(c.Context(), author.Actor{Claim: s.Claim})
	return svc(author.WithGrant(ctx, api.Grant{Agent: s.Agent(), Role: api.Owner}), api.Call{Op: op, Request: req})
}
