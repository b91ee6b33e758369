// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// moving is a home with a memex in M that has a history.
type moving struct{ *kept }

func newMoving(t *testing.T) moving {
	t.Helper()
	dir := t.TempDir()
	m := moving{&kept{t: t, dir: dir, memex: filepath.Join(dir, "M"), state: filepath.Join(dir, "home/fovea")}}
	m.must(errors.Join(os.MkdirAll(filepath.Join(m.memex, "skills"), 0o755),
		os.WriteFile(filepath.Join(m.memex, "skills/s.org"), []byte("* Skill\nGood advice for everybody.\n"), 0o644),
		os.WriteFile(filepath.Join(m.memex, "inbox.org"), []byte("* Inbox of this memex\n"), 0o644)))
	m.do("remember first")
	return m
}

// do runs a verb; the last word may name the memex, as @M2.
func (m moving) do(line string) (said string, code int) {
	m.t.Helper()
	words, memex := strings.Fields(line), m.memex
	if last := words[len(words)-1]; last[0] == '@' {
		words, memex = words[:len(words)-1], filepath.Join(m.dir, last[1:])
	}
	for i, w := range words {
		if name, ok := strings.CutPrefix(w, "store:"); ok {
			words[i] = m.store(name)
		}
	}
	c := process(m.t, m.state, append(words, "--memex", memex, "--no-daemon")...)
	if words[0] == "store" {
		c = process(m.t, m.state, words...)
	}
	c.Env = m.environment(c.Env)
	_, said, code = m.ran(c)
	return said, code
}

// environment is that of a home in which a memex has the store of its path.
func (m moving) environment(env []string) []string {
	env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "MEMORY_SNAPSHOT_PATH=") })
	return append(env, "XDG_STATE_HOME="+filepath.Dir(m.state), "XDG_RUNTIME_DIR="+m.dir, "HOME="+m.dir, "SYSTEM_DIR=")
}

// store is the path of the store of a memex, by its name.
func (m moving) store(memex string) string {
	m.t.Helper()
	found, err := filepath.Glob(filepath.Join(m.state, memex+"-????????????"))
	if err != nil || len(found) != 1 {
		m.t.Fatalf("stores of %s: %q %v", memex, found, err)
	}
	return found[0]
}

// step does one step of a row: sh COMMAND in the home, lose MEMEX, or a verb.
func (m moving) step(line string) {
	m.t.Helper()
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "lose":
		m.must(os.RemoveAll(m.store(rest)))
	case "sh":
		c := exec.CommandContext(m.t.Context(), "sh", "-ec", rest)
		c.Dir = m.dir
		if out, err := c.CombinedOutput(); err != nil {
			m.t.Fatalf("%s: %v\n%s", rest, err, out)
		}
	default:
		if said, code := m.do(line); code != 0 {
			m.t.Fatalf("%s ends with %d\n%s", line, code, said)
		}
	}
}

// TestMissingAfterMoves: a store that its owner removed, moved or began anew is missed by
// nobody, and one whose history was taken away is, after every verb on stores.
func TestMissingAfterMoves(t *testing.T) {
	const (
		anew  = "sh mkdir M; echo '* Another memex altogether' >M/new.org"
		moved = "sh mv M M2"
	)
	for name, row := range map[string]struct {
		steps   []string
		missing string // the memex whose history is, "" for none
		whole   string // one whose history is not
	}{
		"removed by its owner":           {[]string{"store remove --force store:M"}, "", "M"},
		"removed when the memex is gone": {[]string{"sh mv M away", "store remove store:M", "sh mv away M"}, "", "M"},
		"removed, begun anew, lost":      {[]string{"store remove --force store:M", "remember second", "lose M"}, "M", ""},
		"adopted, another memex there":   {[]string{moved, "adopt @M2", anew}, "", "M"},
		"--adopt, another memex there":   {[]string{moved, "status --adopt @M2", anew}, "", "M"},
		"adopted, lost":                  {[]string{moved, "adopt @M2", "lose M2"}, "M2", ""},
		"--adopt, lost":                  {[]string{moved, "status --adopt @M2", "lose M2"}, "M2", ""},
		"adopted there and back, lost":   {[]string{moved, "adopt @M2", "sh mv M2 M", "adopt", "lose M"}, "M", ""},
		"adopted there and back, anew": {[]string{moved, "adopt @M2", "sh mv M2 M", "adopt",
			"sh mkdir M2; echo '* Another memex altogether' >M2/new.org"}, "", "M2"},
		"copy adopted, copy lost":        {[]string{"sh cp -r M M2", "adopt @M2", "lose M2"}, "M2", "M"},
		"copy adopted, original lost":    {[]string{"sh cp -r M M2", "adopt @M2", "lose M"}, "M", "M2"},
		"copy adopted, original removed": {[]string{"sh cp -r M M2", "adopt @M2", "store remove --force store:M"}, "", "M"},
		"copy begun, then adopted, lost": {[]string{"sh cp -r M M2", "remember second @M2", "adopt store:M @M2", "lose M2"}, "M2", "M"},
		"new at another path, lost":      {[]string{moved, "adopt --new @M2", "remember second @M2", "store remove store:M", "lose M2"}, "M2", ""},
		"repaired, then whole":           {[]string{"lose M", "repair"}, "", "M"},
		"repaired, lost again":           {[]string{"lose M", "repair", "remember second", "lose M"}, "M", ""},
		"purged, then whole": {[]string{"sh echo '* Xylophone' >>M/inbox.org", "ingest", "sh sed -i /Xylo/d M/inbox.org",
			"purge --text Xylophone"}, "", "M"},
		"purged, lost": {[]string{"sh echo '* Xylophone' >>M/inbox.org", "ingest", "sh sed -i /Xylo/d M/inbox.org",
			"purge --text Xylophone", "lose M"}, "M", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMoving(t)
			for _, line := range row.steps {
				m.step(line)
			}
			if row.missing != "" {
				said, code := m.do("remember third @" + row.missing)
				if code != exitCorrupt || !strings.Contains(said, "the history is missing") {
					t.Errorf("%s: the history is missing, and a write ends with %d\n%s", row.missing, code, said)
				}
			}
			if row.whole != "" {
				said, code := m.do("remember third @" + row.whole)
				if code != 0 || strings.Contains(said, "missing") {
					t.Errorf("%s: a write ends with %d\n%s", row.whole, code, said)
				}
			}
		})
	}
}

// TestMovedBehindALink: a memex that was moved, with a link left at its old path, is one
// that was moved: no new history begins, by either path, before its owner says so.
func TestMovedBehindALink(t *testing.T) {
	m := newMoving(t)
	m.step("sh echo '* Another file of this memex' >M/more.org")
	m.step("ingest")
	m.step("sh mv M M2; ln -s M2 M; echo EVIL >>M2/skills/s.org")
	for _, memex := range []string{"M", "M2"} {
		if said, code := m.do("remember second @" + memex); code == 0 || !strings.Contains(said, "fovea adopt") {
			t.Errorf("%s: a write ends with %d\n%s", memex, code, said)
		}
	}
	m.step("adopt")
	if said, code := m.do("show skills/s.org"); code != exitCorrupt || !strings.Contains(said, "locked down") {
		t.Errorf("a protected file that was changed meanwhile: %d\n%s", code, said)
	}
	if said, code := m.do("remember second"); code != 0 || !strings.Contains(m.logged(), "first") {
		t.Errorf("after adopt: %d\n%s", code, said)
	}
}

// logged is the log of the memex.
func (m moving) logged() string {
	m.t.Helper()
	c := process(m.t, m.state, "log", "--memex", m.memex, "--no-daemon")
	c.Env = m.environment(c.Env)
	out, _, _ := m.ran(c)
	return out
}

// TestDamagedRecord: a record of the signer that cannot be read, or that no known key
// signed, hides no missing history, and stops nobody who has one.
func TestDamagedRecord(t *testing.T) {
	for name, damage := range map[string]func(record, key string) error{
		"pipe":    func(record, _ string) error { return errors.Join(os.Remove(record), syscall.Mkfifo(record, 0o600)) },
		"folder":  func(record, _ string) error { return errors.Join(os.Remove(record), os.Mkdir(record, 0o700)) },
		"link":    func(record, _ string) error { return errors.Join(os.Remove(record), os.Symlink("/nowhere", record)) },
		"empty":   func(record, _ string) error { return os.Truncate(record, 0) },
		"no head": func(record, _ string) error { return os.WriteFile(record, []byte("{}\n"), 0o600) },
		"the folder a link": func(record, _ string) error {
			dir := filepath.Dir(record)
			return errors.Join(os.RemoveAll(dir), os.Symlink("/nowhere", dir))
		},
		"the folder a file": func(record, _ string) error {
			dir := filepath.Dir(record)
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o600))
		},
		"key removed":  func(_, key string) error { return errors.Join(os.Remove(key), os.Remove(key+".pub")) },
		"key a folder": func(_, key string) error { return errors.Join(os.Remove(key), os.Mkdir(key, 0o700)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMoving(t)
			config := filepath.Join(filepath.Dir(m.state), "../home/config/fovea")
			records, err := filepath.Glob(filepath.Join(config, "signed/*.json"))
			if err != nil || len(records) != 1 {
				t.Fatalf("records: %q %v", records, err)
			}
			m.must(damage(records[0], filepath.Join(config, "key")))
			if said, code := m.do("remember second"); code != 0 {
				t.Errorf("with its history a write ends with %d\n%s", code, said)
			}
			m.must(damageAgain(damage, records[0], filepath.Join(config, "key")))
			m.step("lose M")
			if said, code := m.do("remember third"); code != exitCorrupt || !strings.Contains(said, "the history is missing") {
				t.Errorf("without its history a write ends with %d\n%s", code, said)
			}
		})
	}
}

// damageAgain does damage that a write may have mended.
func damageAgain(damage func(record, key string) error, record, key string) error {
	if info, err := os.Stat(record); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	if info, err := os.Stat(key); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return damage(record, key)
}
