// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

//go:build unix

package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fovea-memory/fovea/internal/foveatest"
)

// run is what one process took.
type run struct {
	out  string
	wall time.Duration
	cpu  time.Duration // user and system, of all its threads
	rss  int64         // its peak, in bytes; never less than this process's own
}

// measure runs a command to its end. env is its whole environment.
func measure(tb testing.TB, env []string, name string, arg ...string) run {
	tb.Helper()
	c := exec.CommandContext(tb.Context(), name, arg...)
	c.Env = env
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	begun := time.Now()
	err := c.Run()
	wall := time.Since(begun)
	if err != nil {
		tb.Fatalf("%s: %v\n%s", c, err, stderr.String())
	}
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		tb.Fatal(errors.New("the system does not say what a process used"))
	}
	rss := int64(usage.Maxrss)
	if runtime.GOOS != "darwin" {
		rss *= 1024 // kilobytes everywhere else
	}
	return run{stdout.String(), wall, c.ProcessState.UserTime() + c.ProcessState.SystemTime(), rss}
}

// median returns the middle of what f says of the runs, the upper one of two.
func median[T int64 | float64 | time.Duration](runs []run, f func(run) T) T {
	values := make([]T, len(runs))
	for i, r := range runs {
		values[i] = f(r)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func (r run) processor() time.Duration { return r.cpu }
func (r run) elapsed() time.Duration   { return r.wall }
func (r run) peak() int64              { return r.rss }

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
func mib(n int64) float64        { return float64(n) / (1 << 20) }

// memex is a generated folder of Org files and the program that remembers it.
type memex struct {
	tb        testing.TB
	program   string
	dir       string
	state     string // XDG_STATE_HOME of the program
	home      string
	headlines int
}

// programs is the folder of the program that is built, "" before.
var programs string

func TestMain(m *testing.M) {
	code := m.Run()
	if err := os.RemoveAll(programs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// built builds the program, once for all benchmarks.
var built = sync.OnceValues(func() (_ string, err error) {
	if programs, err = os.MkdirTemp("", "fovea-bench"); err != nil {
		return "", err
	}
	program := filepath.Join(programs, "fovea")
	build := exec.Command("go", "build", "-o", program, "./cmd/fovea")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", build, err, out)
	}
	return program, nil
})

// generate builds the program and writes files of ten headlines each.
func generate(tb testing.TB, files int) *memex {
	tb.Helper()
	program, err := built()
	must(tb, err)
	tmp := tb.TempDir()
	m := &memex{
		tb: tb, program: program, dir: filepath.Join(tmp, "memex"),
		state: filepath.Join(tmp, "state"), home: tmp, headlines: files * 10,
	}
	if err := foveatest.GenFiles(m.dir, files, 10); err != nil {
		tb.Fatal(err)
	}
	return m
}

// env is what every process here gets: no configuration of the person who runs
// it, and state only where it may be thrown away.
func (m *memex) env() []string {
	return []string{"HOME=" + m.home, "XDG_CONFIG_HOME=" + filepath.Join(m.home, "config"), "XDG_STATE_HOME=" + m.state, "LC_ALL=C.UTF-8"}
}

// window asks for a window on a headline in the middle of the folder.
func (m *memex) window() run {
	m.tb.Helper()
	focus := fmt.Sprintf("node-%07d", m.headlines/2)
	r := measure(m.tb, m.env(), m.program, "context", "--memex", m.dir, "--focus", focus, "--budget", "2000")
	if body := m.body(m.headlines / 2); !strings.Contains(r.out, body) {
		m.tb.Fatalf("the window does not hold what its focus %s says, %q:\n%s", focus, body, r.out)
	}
	return r
}

// body returns the first line below the drawer of a headline: a window shows handles instead of ids.
func (m *memex) body(headline int) string {
	m.tb.Helper()
	_, after, found := strings.Cut(foveatest.GenFile(headline/10, 10), fmt.Sprintf(":ID: node-%07d\n", headline))
	_, after, drawer := strings.Cut(after, ":END:\n")
	line, _, _ := strings.Cut(after, "\n")
	if !found || !drawer || line == "" {
		m.tb.Fatalf("the generated files have no body of headline %d", headline)
	}
	return line
}

// forget takes everything the program keeps between runs away.
func (m *memex) forget() {
	m.tb.Helper()
	for _, folder := range []string{m.state, filepath.Join(m.home, "config")} { // where the witness of signed commits is
		if err := os.RemoveAll(folder); err != nil {
			m.tb.Fatal(err)
		}
	}
}

// remembered proves that the memory holds every node of the files.
func (m *memex) remembered() {
	m.tb.Helper()
	r := measure(m.tb, m.env(), m.program, "status", "--json", "--memex", m.dir)
	var status struct{ Nodes, Documents int }
	if err := json.Unmarshal([]byte(r.out), &status); err != nil {
		m.tb.Fatal(err)
	}
	if status.Nodes != m.headlines+status.Documents || status.Documents != m.headlines/10 {
		m.tb.Fatalf("fovea holds %d nodes of %d documents, want %d headlines", status.Nodes, status.Documents, m.headlines)
	}
}

// emacs parses the same files with org-element.
func (m *memex) emacs(program string) run {
	m.tb.Helper()
	r := measure(m.tb, append(m.env(), "PATH="+os.Getenv("PATH")), program, "-Q", "--batch", "-l", "org-element.el", m.dir)
	if got := strings.TrimSpace(r.out); got != strconv.Itoa(m.headlines) {
		m.tb.Fatalf("Emacs read %q headlines, want %d", got, m.headlines)
	}
	return r
}
