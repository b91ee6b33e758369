// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"

	"golang.org/x/term"

	"github.com/fovea-memory/fovea/internal/config"
	"github.com/fovea-memory/fovea/internal/face"
)

// Output returns standard output.
func Output() *face.Stream {
	wide := Width(os.Stdout)
	return face.NewStream(os.Stdout, wide, wide > 0)
}

// Messages returns standard error, with hidden characters visible also in a log: a terminal may show it later.
func Messages() *face.Stream { return face.NewStream(os.Stderr, Width(os.Stderr), true) }

// Width returns the width in cells of the terminal behind f, from COLUMNS or else from the window; 0 without a terminal.
func Width(f *os.File) int {
	if !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if wide := config.Columns(); wide > 0 {
		return wide
	}
	if wide, _, err := term.GetSize(int(f.Fd())); err == nil && wide > 0 {
		return wide
	}
	return face.Columns
}

// Console prints the output of one run of a command. Messages are safe for concurrent use.
type Console struct {
	Out   *face.Stream // the answer
	Err   *face.Stream // everything else
	JSON  bool         `flag:"--json print JSON"` // answers
	Quiet bool         `flag:"--quiet print only errors on standard error"`
	Shown Terminal
	drawn drawing
}

// Terminal is how answers are shown at a terminal.
type Terminal struct {
	Color   string `flag:"--color colour answers <WHEN>: auto (at a terminal), always or never"`
	NoPager bool   `flag:"--no-pager print a long answer at once, without a pager"`

	pager string       // the command that shows pages
	pages bytes.Buffer // what it shows
}

// Report prints a message unless Quiet is set.
func (c *Console) Report(format string, a ...any) {
	if !c.Quiet {
		c.ReportAlways(fmt.Sprintf(format, a...))
	}
}

// ReportAlways prints a message even if Quiet is set.
func (c *Console) ReportAlways(text string) { c.report(text, 0) }

// ReportError prints an error.
func (c *Console) ReportError(err error) { c.report(err.Error(), face.Problem) }

func (c *Console) report(text string, style face.Style) {
	c.drawn.mu.Lock()
	defer c.drawn.mu.Unlock()
	c.drawn.wipe()
	c.Err.Folded("fovea: "+text, 2, style)
}

// Dress turns styles on or off by --color, or else by a setting; in messages only at a terminal.
func (t *Terminal) Dress(c *Console, setting string) {
	when := cmp.Or(t.Color, setting)
	auto := when != config.Never && (when == config.Always || config.Coloured())
	c.drawn.mu.Lock()
	defer c.drawn.mu.Unlock()
	c.Out.SetColour(auto && !c.JSON && (when == config.Always || c.Out.IsTerminal()))
	c.Err.SetColour(auto && !c.JSON && c.Err.IsTerminal())
}

// Page keeps later output for Turn, if a pager can show it.
func (t *Terminal) Page(c *Console, pager string) {
	if t.NoPager || c.JSON || pager == "" || !c.Out.IsTerminal() {
		return
	}
	c.drawn.mu.Lock()
	defer c.drawn.mu.Unlock()
	t.pager = pager
	c.Out.SetWriter(&t.pages)
	if c.Err.IsTerminal() {
		c.Err.SetWriter(&t.pages)
	}
}

// Turn shows the kept output in the pager. The memory is closed by then, since a person may read for
// hours. Leaving the pager early is no error; without the program, Turn prints the text.
func (t *Terminal) Turn(c *Console) error {
	c.drawn.mu.Lock()
	defer c.drawn.mu.Unlock()
	c.Out.SetWriter(os.Stdout)
	c.Err.SetWriter(os.Stderr)
	if t.pages.Len() == 0 {
		return nil
	}
	words := strings.Fields(t.pager)
	for len(words) > 1 && strings.Contains(words[0], "=") { // variables of its environment
		words = words[1:]
	}
	if _, err := exec.LookPath(words[0]); err == nil {
		less := exec.Command("sh", "-c", t.pager)
		less.Env, less.Stdin, less.Stdout, less.Stderr = config.PagerEnvironment(), &t.pages, os.Stdout, os.Stderr
		if err = less.Start(); err == nil {
			_ = less.Wait() // until the person leaves it, also by ^C
			return nil
		}
	}
	_, err := t.pages.WriteTo(os.Stdout)
	return err
}

// minWarned is the number of recent warnings remembered for deduplication.
const minWarned = 64

// Warn prints a warning unless it was printed before: reading the folder twice finds it twice.
func (c *Console) Warn(err error) {
	c.drawn.mu.Lock()
	again, _ := c.drawn.warned.Get(err.Error())
	c.drawn.warned.Size = minWarned
	c.drawn.warned.Set(err.Error(), true)
	c.drawn.mu.Unlock()
	if !again {
		c.Report("%v", err)
	}
}

// Answer prints an answer: as JSON, or with show.
func (c *Console) Answer(answer any, show func()) error {
	if c.JSON {
		return c.Out.JSON(answer)
	}
	show()
	return nil
}

// Log returns a log that passes errors to ReportAlways and warnings to warn.
func (c *Console) Log(warn func(error)) *slog.Logger {
	return slog.New(&handler{report: c.ReportAlways, warn: warn})
}

// handler is the handler of Console.Log.
type handler struct {
	report func(string)
	warn   func(error)
	with   []slog.Attr
}

func (h *handler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	add := func(a slog.Attr) bool {
		text += fmt.Sprintf("; %s: %v", a.Key, a.Value)
		return true
	}
	for _, a := range h.with {
		add(a)
	}
	r.Attrs(add)
	if r.Level >= slog.LevelError {
		h.report(text)
	} else {
		h.warn(errors.New(text))
	}
	return nil
}

func (h *handler) WithAttrs(with []slog.Attr) slog.Handler {
	return &handler{h.report, h.warn, slices.Concat(h.with, with)}
}

func (h *handler) WithGroup(string) slog.Handler { return h } // Fovea logs no groups
