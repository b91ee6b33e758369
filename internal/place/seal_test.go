// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"filippo.io/age"
	"pgregory.net/rapid"

	"github.com/fovea-memory/fovea/internal/place"
)

func newKey(t testing.TB) *age.X25519Identity {
	t.Helper()
	key, err := place.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// seal returns a text sealed for recipients.
func seal(t testing.TB, text []byte, to ...place.Recipient) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := place.Seal(&out, to...)
	if err == nil {
		_, err = w.Write(text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unseal reads a sealed stream to its end.
func unseal(sealed []byte, keys ...place.Identity) ([]byte, error) {
	r, err := place.Unseal(bytes.NewReader(sealed), keys...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestSealRoundTrip(t *testing.T) {
	mine, yours, other := newKey(t), newKey(t), newKey(t)
	rapid.Check(t, func(rt *rapid.T) {
		size := rapid.SampledFrom([]int{0, 1, 100, 64<<10 - 1, 64 << 10, 64<<10 + 1, 200_000}).Draw(rt, "size")
		text := bytes.Repeat([]byte("memory "), size/7+1)[:size]
		sealed := seal(t, text, mine.Recipient(), yours.Recipient())
		if size > 20 && bytes.Contains(sealed, text[:20]) {
			rt.Fatal("it can be read without a key")
		}
		for _, key := range []place.Identity{mine, yours} {
			if got, err := unseal(sealed, other, key); err != nil || !bytes.Equal(got, text) {
				rt.Fatal(err)
			}
		}
		if _, err := unseal(sealed, other); !errors.Is(err, place.ErrNoKey) {
			rt.Fatal("another key:", err)
		}
	})
}

// TestSealBroken: a sealed stream with a bit turned or its end cut off is refused.
func TestSealBroken(t *testing.T) {
	key := newKey(t)
	sealed := seal(t, []byte("a text that is not long"), key.Recipient())
	known := func(err error) bool {
		return errors.Is(err, place.ErrSeal) || errors.Is(err, place.ErrNoKey) || errors.Is(err, place.ErrNotSealed)
	}
	for i := range sealed {
		for bit := range 8 {
			bad := bytes.Clone(sealed)
			bad[i] ^= 1 << bit
			if got, err := unseal(bad, key); !known(err) || len(got) > 0 {
				t.Fatalf("byte %d bit %d: %q, %v", i, bit, got, err)
			}
		}
		if got, err := unseal(sealed[:i], key); !known(err) || len(got) > 0 {
			t.Fatalf("the first %d bytes: %q, %v", i, got, err)
		}
	}
	if _, err := unseal(append(bytes.Clone(sealed), 0), key); !errors.Is(err, place.ErrSeal) {
		t.Fatal("a byte behind the end:", err)
	}
}

// TestSealedArchive: a sealed archive that was cut, even between two of its blocks, is
// refused.
func TestSealedArchive(t *testing.T) {
	key := newKey(t)
	whole := write(t, text("root"), text(strings.Repeat("x", 70<<10)), text("c"))
	sealed := seal(t, whole, key.Recipient())
	for n := len(sealed) - 1; n > 0; n -= 1013 {
		r, err := place.Unseal(bytes.NewReader(sealed[:n]), key)
		if err == nil {
			_, err = place.VerifyStream(r)
		}
		if err == nil {
			t.Fatalf("the first %d of %d bytes were accepted", n, len(sealed))
		}
	}
	r, err := place.Unseal(bytes.NewReader(sealed), key)
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := place.VerifyStream(r); err != nil || sum.Blocks != 3 {
		t.Fatal(sum, err)
	}
}

func TestSealRefused(t *testing.T) {
	key := newKey(t)
	if _, err := place.Seal(io.Discard); !errors.Is(err, place.ErrTooLarge) {
		t.Error("for nobody:", err)
	}
	if _, err := place.Unseal(strings.NewReader(place.SealPrefix)); !errors.Is(err, place.ErrNoKey) {
		t.Error("without keys:", err)
	}
	for _, in := range []string{"", "age", "<html>", strings.Repeat("x", 1000)} {
		if _, err := place.Unseal(strings.NewReader(in), key); !errors.Is(err, place.ErrNotSealed) {
			t.Errorf("%.10q: %v", in, err)
		}
	}
	if _, err := place.Unseal(iotest.ErrReader(io.ErrClosedPipe), key); !errors.Is(err, io.ErrClosedPipe) {
		t.Error("a stream that fails:", err)
	}
	sealed := seal(t, make([]byte, 200_000), key.Recipient())
	r, err := place.Unseal(io.MultiReader(bytes.NewReader(sealed[:1000]), iotest.ErrReader(io.ErrClosedPipe)), key)
	if err == nil {
		_, err = io.Copy(io.Discard, r)
	}
	if !errors.Is(err, io.ErrClosedPipe) || errors.Is(err, place.ErrSeal) {
		t.Error("a stream that fails later:", err)
	}
	bomb := place.SealPrefix + strings.Repeat("-> X25519 "+strings.Repeat("A", 43)+"\n"+strings.Repeat("A", 43)+"\n", 50_000)
	if _, err := place.Unseal(strings.NewReader(bomb), key); !errors.Is(err, place.ErrSeal) {
		t.Error("a header that is a bomb:", err)
	}
}

func TestKeys(t *testing.T) {
	key := newKey(t)
	if got, err := place.ParseKey(" " + key.String() + "\n"); err != nil || got.String() != key.String() {
		t.Error(got, err)
	}
	if got, err := place.ParseRecipient(key.Recipient().String() + "\n"); err != nil || got.String() != key.Recipient().String() {
		t.Error(got, err)
	}
	for _, text := range []string{"", "age1", key.Recipient().String(), key.String() + "x"} {
		if _, err := place.ParseKey(text); !errors.Is(err, place.ErrKey) {
			t.Errorf("%q: %v", text, err)
		}
	}
	_, err := place.ParseRecipient(key.String())
	if !errors.Is(err, place.ErrKey) || strings.Contains(err.Error(), key.String()[:30]) {
		t.Error("a secret in the place of a recipient:", err)
	}
	if _, err := place.ParseKey(key.String() + "x"); strings.Contains(err.Error(), key.String()[:30]) {
		t.Error("the error quotes a secret")
	}
}

func TestPassphrase(t *testing.T) {
	defer place.SetWorkFactor(place.SetWorkFactor(10))
	key := newKey(t)
	locked, err := place.LockKey(key, "correct horse")
	if err != nil || bytes.Contains(locked, []byte("AGE-SECRET")) {
		t.Fatal(err)
	}
	if got, err := place.UnlockKey(locked, "correct horse"); err != nil || got.String() != key.String() {
		t.Fatal(got, err)
	}
	for _, wrong := range []string{"", "Correct horse", "correct horse "} {
		if _, err := place.UnlockKey(locked, wrong); !errors.Is(err, place.ErrPassphrase) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if _, err := place.LockKey(key, ""); !errors.Is(err, place.ErrPassphrase) {
		t.Error("an empty passphrase:", err)
	}
	if _, err := place.UnlockKey(seal(t, []byte(key.String()), key.Recipient()), "correct horse"); !errors.Is(err, place.ErrPassphrase) {
		t.Error("sealed for a key:", err)
	}
	for i := range locked {
		bad := bytes.Clone(locked)
		bad[i] ^= 1
		if _, err := place.UnlockKey(bad, "correct horse"); err == nil {
			t.Fatalf("byte %d: accepted", i)
		}
	}
	place.SetWorkFactor(11)
	costly, err := place.LockKey(key, "correct horse")
	place.SetWorkFactor(10)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := place.UnlockKey(costly, "correct horse"); err == nil {
		t.Error("a key that costs more than the limit was opened")
	}
}

func BenchmarkSeal(b *testing.B) {
	key, plain := newKey(b), make([]byte, 4<<20)
	b.SetBytes(int64(len(plain)))
	for b.Loop() {
		seal(b, plain, key.Recipient())
	}
}

func BenchmarkOpen(b *testing.B) {
	key := newKey(b)
	sealed := seal(b, make([]byte, 4<<20), key.Recipient())
	b.SetBytes(4 << 20)
	for b.Loop() {
		r, err := place.Unseal(bytes.NewReader(sealed), key)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
