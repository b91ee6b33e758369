// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package test

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea"
	"github.com/fovea-memory/fovea/document"
)

// newKey makes the key of a machine.
func newKey(t testing.TB, machine string) (note.Signer, note.Verifier) {
	t.Helper()
	secret, public, err := note.GenerateKey(rand.Reader, machine)
	if err != nil {
		t.Fatal(err)
	}
	s, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	v, err := note.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	return s, v
}

// reopenAs closes the memory and opens it with keys; s may be nil.
func (w *world) reopenAs(s note.Signer, known ...note.Verifier) {
	w.t.Helper()
	if err := w.m.Close(); err != nil {
		w.t.Fatal(err)
	}
	var err error
	w.m, err = fovea.Open(w.t.Context(), w.dir, &fovea.Options{
		StateDir: w.state, Now: w.now, Signer: s, Verifiers: note.VerifierList(known...),
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// change makes a commit.
func (w *world) change(text string) {
	w.t.Helper()
	w.write(map[string]string{"a.org": "* " + text + "\n"})
	w.ingest()
}

func (w *world) signedHead() string {
	w.t.Helper()
	head, err := w.m.History().SignedHead(w.t.Context())
	if err != nil || head.Seq != w.m.View().Head().Seq {
		w.t.Fatal(head, err)
	}
	return head.Note
}

// keepState copies the state folder of a closed memory.
func (w *world) keepState() (to string) {
	w.t.Helper()
	to = filepath.Join(w.t.TempDir(), "state")
	if err := os.CopyFS(to, os.DirFS(w.state)); err != nil {
		w.t.Fatal(err)
	}
	return to
}

// kinds verifies and returns the kinds of the problems found.
func (w *world) kinds(anchors ...string) (kinds string, problems []document.Problem) {
	w.t.Helper()
	_, problems, err := w.m.Mending().Verify(w.t.Context(), anchors...)
	if err != nil {
		w.t.Fatal(err)
	}
	var all []string
	for _, p := range problems {
		all = append(all, p.Kind)
	}
	return strings.Join(all, ", "), problems
}

// mustBe checks who signed the head, what Status says of it, and the problems
// that Verify finds.
func (w *world) mustBe(by, wrong, kinds string) {
	w.t.Helper()
	st := w.m.Status()
	if (by == "") != (st.SignedBy == "") || !strings.HasPrefix(st.SignedBy, by) {
		w.t.Errorf("the head is signed by %q, want %q", st.SignedBy, by)
	}
	if (wrong == "") != (st.Signature == "") || !strings.Contains(st.Signature, wrong) {
		w.t.Errorf("status says of the signature %q, want %q", st.Signature, wrong)
	}
	if got, problems := w.kinds(); got != kinds {
		w.t.Errorf("verify finds %q, want %q: %+v", got, kinds, problems)
	}
}

func TestEveryCommitIsSigned(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	key, known := newKey(t, "desk")
	w.reopenAs(key, known)
	var before []string
	for _, text := range []string{"One", "Two", "Three"} {
		w.change(text)
		w.mustBe("desk", "", "")
		before = append(before, w.signedHead())
	}
	if kinds, problems := w.kinds(strings.Join(before, "\n")); kinds != "" {
		t.Errorf("our own heads are refused: %+v", problems)
	}
	head := w.signedHead()
	w.reopenAs(nil, known) // what is on disk is enough
	w.mustBe("desk", "", "")
	if got := w.signedHead(); got != head {
		t.Errorf("a restart changed the head\n%s\n%s", head, got)
	}
	if _, _, err := w.m.History().Rollback(t.Context(), "0", nil); err != nil { // without a key
		t.Fatal(err)
	}
	w.mustBe("", "commit 4 is not signed", "unsigned")
	w.reopenAs(key, known)
	w.mustBe("", "commit 4 is not signed", "unsigned")
	w.change("Five")
	w.mustBe("desk", "", "") // the chain binds what came before
}

// TestSignedHeadIsInTheImage: with an image at the head, the journal behind it has
// no signature.
func TestSignedHeadIsInTheImage(t *testing.T) {
	w := newWorld(t, nil)
	key, known := newKey(t, "desk")
	w.reopenAs(key, known)
	w.change(strings.Repeat("long ", 300_000))
	head := w.signedHead()
	w.reopenAs(nil, known)
	if images, _ := filepath.Glob(filepath.Join(w.state, "image", "*")); len(images) != 1 {
		t.Fatalf("the images are %v", images)
	}
	if got := w.signedHead(); got != head {
		t.Errorf("got %q, want %q", got, head)
	}
}

func TestUnsignedMemory(t *testing.T) {
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	w.ingest()
	w.change("Two")
	w.mustBe("", "", "")
	if _, err := w.m.History().SignedHead(t.Context()); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("a head without a key: %v", err)
	}
	key, known := newKey(t, "desk")
	w.reopenAs(key, known)
	w.mustBe("", "", "") // an old store is no problem
	head := w.signedHead()
	w.change("Three")
	w.mustBe("desk", "", "")
	if kinds, problems := w.kinds(head); kinds != "" {
		t.Errorf("the head of the unsigned commit is refused: %+v", problems)
	}
}

func TestEmptyMemoryHasNoHead(t *testing.T) {
	w := newWorld(t, nil)
	w.reopenAs(newKey(t, "desk"))
	if _, err := w.m.History().SignedHead(t.Context()); fovea.KindOf(err) != fovea.Invalid {
		t.Errorf("got %v", err)
	}
}

// impostor has the name and number of a key, and signs with another.
type impostor struct {
	note.Signer
	of note.Verifier
}

func (i impostor) Name() string    { return i.of.Name() }
func (i impostor) KeyHash() uint32 { return i.of.KeyHash() }

// broken is a signer that does not answer.
type broken struct{ note.Signer }

func (broken) Sign([]byte) ([]byte, error) { return nil, iotest.ErrTimeout }

func TestSignaturesThatDoNotCount(t *testing.T) {
	desk, deskKnown := newKey(t, "desk")
	laptop, laptopKnown := newKey(t, "laptop")
	stranger, _ := newKey(t, "stranger")
	for _, tc := range []struct {
		name         string
		signer       note.Signer
		wrong, kinds string
		after        string // what Verify still finds below a head that counts
	}{
		{"another machine's", stranger, "signed by stranger+", "unknown key", ""},
		{"forged", impostor{laptop, deskKnown}, "did not sign this", "signature", "signature"},
		{"none", nil, "commits from 2 to 3 are not signed", "unsigned", ""},
		{"a signer that fails", broken{desk}, "from 2 to 3 are not signed", "unsigned", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, map[string]string{"a.org": "* One\n"})
			w.reopenAs(desk, deskKnown)
			w.ingest()
			w.reopenAs(tc.signer, deskKnown, laptopKnown)
			w.change("Two")
			w.change("Three")
			w.reopenAs(desk, deskKnown)
			w.mustBe("", tc.wrong, tc.kinds)
			if got := w.m.View().Head().Seq; got != 3 {
				t.Errorf("the memory is at commit %d, want 3: it must stay readable", got)
			}
			w.change("Four")
			w.mustBe("desk", "", tc.after)
		})
	}
}

// TestForeignStateFolder: a memory that came from another machine says whose it
// is, and what makes its signatures count.
func TestForeignStateFolder(t *testing.T) {
	laptop, laptopKnown := newKey(t, "laptop")
	desk, deskKnown := newKey(t, "desk")
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	w.reopenAs(laptop, laptopKnown)
	w.ingest()
	w.change("Two")
	w.reopenAs(desk, deskKnown)
	w.mustBe("", "guard adopt-key", "unknown key")
	w.change("Three")
	w.mustBe("desk", "", "") // the chain binds what came before
	w.reopenAs(nil, laptopKnown)
	w.mustBe("", "desk+", "unknown key")
	w.reopenAs(nil, laptopKnown, deskKnown)
	w.mustBe("desk", "", "")
	if head := w.signedHead(); !strings.HasPrefix(head, "fovea head 0 ") || !strings.Contains(head, "\n3\n") {
		t.Errorf("got %q", head)
	}
}

func TestAnchors(t *testing.T) {
	desk, known := newKey(t, "desk")
	_, stranger := newKey(t, "stranger")
	w := newWorld(t, map[string]string{"a.org": "* One\n"})
	w.reopenAs(desk, known)
	w.ingest()
	if err := w.m.Close(); err != nil {
		t.Fatal(err)
	}
	old := w.keepState()
	w.reopenAs(desk, known)
	w.change("Two")
	here := w.signedHead()

	other := &world{t: t, dir: w.dir, state: old, clock: w.clock}
	other.open()
	defer func() { other.m.Close() }()
	other.reopenAs(desk, known)
	if kinds, problems := other.kinds(here); kinds != "stale" || !strings.Contains(problems[0].Message, "older state") {
		t.Errorf("an old state that was put back: %+v", problems)
	}
	other.change("Another two")
	forked := other.signedHead()
	for _, tc := range []struct {
		name, anchor string
		want         string
	}{
		{"our own", here, ""},
		{"forked", forked, "forked"},
		{"both", here + "\n" + forked, "forked"},
		{"altered", strings.Replace(here, "\n2\n", "\n1\n", 1), "signature"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if kinds, problems := w.kinds(tc.anchor); kinds != tc.want {
				t.Errorf("got %+v, want %q", problems, tc.want)
			}
		})
	}

	another := newWorld(t, map[string]string{"a.org": "* One\n"})
	another.reopenAs(desk, known)
	another.ingest()
	if kinds, problems := another.kinds(here); kinds != "forked" || !strings.Contains(problems[0].Message, "another memex") {
		t.Errorf("the head of another memex: %+v", problems)
	}
	w.reopenAs(nil, stranger)
	if kinds, problems := w.kinds(here); kinds != "unknown key, unknown key" {
		t.Errorf("a head that nobody here can check: %+v", problems)
	}
	for _, text := range []string{"", "no note\n"} {
		if _, _, err := w.m.Mending().Verify(t.Context(), text); fovea.KindOf(err) != fovea.Invalid {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// BenchmarkSignedHead signs the head, which is what a signature adds to a commit.
func BenchmarkSignedHead(b *testing.B) {
	w := newWorld(b, map[string]string{"a.org": "* One\n"})
	w.ingest()
	w.reopenAs(newKey(b, "desk")) // the commit is unsigned, so each call signs
	for b.Loop() {
		w.signedHead()
	}
}
