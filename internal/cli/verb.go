// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fovea-memory/fovea/api"
	"github.com/fovea-memory/fovea/author"
	"github.com/fovea-memory/fovea/query"
)

// verb completes the command of an operation, see describe. prepare, if not nil, finishes the
// request; show prints the answer unless JSON is wanted.
func verb[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], prepare func(req *Q, a []string) error, show func(answer A)) *cobra.Command {
	return verbFor(s, c, op, prepare, func(_ *Q, answer A) { show(answer) })
}

// verbFor is verb whose answer is shown by what was asked.
func verbFor[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], prepare func(req *Q, a []string) error, show func(req *Q, answer A)) *cobra.Command {
	req := new(Q)
	fields := reflect.ValueOf(req).Elem()
	describe(s, c, op.Operation, fields)
	c.RunE = func(c *cobra.Command, a []string) error {
		takeArguments(fields, a)
		takeDays(fields, time.Now())
		err := takeTexts(s, c, fields)
		if err == nil && prepare != nil {
			err = prepare(req, a)
		}
		if err != nil {
			return err
		}
		return Ask(s, c, op, *req, func(answer A) { show(req, answer) })
	}
	return c
}

// printer returns show with its output.
func printer[Out, A any](out Out, show func(Out, A)) func(A) {
	return func(answer A) { show(out, answer) }
}

// describe adds to a command what it does not say itself and its operation does: the summary,
// and by the tags of the request's fields the arguments and the flags.
func describe(s *Session, c *cobra.Command, op *api.Operation, req reflect.Value) {
	var use strings.Builder
	use.WriteString(op.Name)
	for _, f := range reflect.VisibleFields(op.Request) {
		arg := f.Tag.Get("arg")
		switch {
		case arg == "":
		case c.Args == nil, strings.HasSuffix(f.Tag.Get("json"), ",omitempty"):
			use.WriteString(" [" + arg + "]")
		default:
			use.WriteString(" " + arg)
		}
	}
	if c.Args == nil && use.String() == op.Name {
		c.Args = NoArguments
	}
	c.Use, c.Short = cmp.Or(c.Use, use.String()), cmp.Or(c.Short, op.Summary)
	AddFlags(c.Flags(), req.Addr().Interface())
	if hasNames.MatchString(c.Use) {
		c.ValidArgsFunction = s.complete
	}
}

// plainVerb is the command of an operation without its own verb here: it prints the answer
// as JSON.
func plainVerb(s *Session, op *api.Operation) *cobra.Command {
	req := reflect.New(op.Request).Elem()
	c := &cobra.Command{
		Example: "  fovea " + op.Name,
		RunE: func(c *cobra.Command, a []string) error {
			if rest := takeArguments(req, a); len(rest) > 0 {
				return Misusef("%s has no argument %q (see %s --help)", c.Name(), rest[0], c.CommandPath())
			}
			answer, err := callAny(s, c, op, req.Interface())
			if err != nil {
				return err
			}
			return s.Out.JSON(answer)
		},
	}
	describe(s, c, op, req)
	return c
}

// AddFlags adds a flag for each field of a struct that has a flag tag, see flagOf. What the struct
// holds is the default.
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

// flagOf returns the name and the usage of a field's flag, "" for none, and whether its value is a
// text, see givenText. The tag is the usage, with the value's placeholder in angle brackets; if it is
// empty or only a placeholder, the usage is the field's description. A leading --NAME replaces the
// field's JSON name, and a leading @ makes it a text.
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

// takeTexts puts the texts that the values of flags mean in place of these.
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

// placeholder matches the word in a usage that stands for the flag's value.
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

// takeDays replaces the day that a flag of a DATE begins with, such as tomorrow, fri or +3d, by its
// date. It is done where the person is: a change that is proposed keeps the day that was meant.
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

// takeArguments fills the fields with an arg tag, in order, and returns the arguments left
// over. A tag that ends in ... takes all remaining arguments; a string field joins them.
func takeArguments(req reflect.Value, a []string) (rest []string) {
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
	}
	return a
}

// Session is one run of the command line, as far as the verbs of operations go: what it
// prints, and the memory that it asks.
type Session struct {
	*Console
	// Service opens the memory, or connects to its daemon. It returns the same service for
	// all calls of a run.
	Service func(context.Context) (api.Service, error)
	Begun   func() bool   // whether there is a memory already, which Service would make
	Agent   func() string // in whose name the owner acts, "" for nobody; call it after Service
	Memex   func() string // the folder of the memory; call it after Service
	Claim   author.Claim  // under which the calls write, the zero Claim for none
}

// Misuse is an error in the flags or arguments of a verb.
type Misuse struct{ Err error }

// Misusef returns a Misuse of an error that is made here, as by fmt.Errorf.
func Misusef(format string, a ...any) error { return Misuse{fmt.Errorf(format, a...)} }

// Error returns the text of the cause.
func (e Misuse) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e Misuse) Unwrap() error { return e.Err }

// failing is an answer that may say that a part of what was asked for was not done.
type failing interface{ Failed() error }

// Ask calls an operation and prints the answer: as JSON, or with show. Of an answer that says
// that a part failed, that is the error.
func Ask[Q, A any](s *Session, c *cobra.Command, op api.Op[Q, A], req Q, show func(A)) error {
	answer, err := Call(s, c, op, req)
	if err != nil {
		return err
	}
	if err := s.Answer(answer, func() { show(answer) }); err != nil {
		return err
	}
	if f, ok := any(answer).(failing); ok {
		return f.Failed()
	}
	return nil
}

// Call opens the memory and calls an operation as the owner, in the name that --agent gives,
// if any.
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
