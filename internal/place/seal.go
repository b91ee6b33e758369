// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package place

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"
)

// Errors of sealed streams.
var (
	// ErrNotSealed is returned for a stream that does not begin like a sealed one.
	ErrNotSealed = errors.New("not sealed (no age file)")
	// ErrNoKey is returned if no key opens a stream.
	ErrNoKey = errors.New("none of the keys opens it")
	// ErrPassphrase is returned for a wrong or an empty passphrase.
	ErrPassphrase = errors.New("the passphrase does not open the key")
	// ErrKey is returned for a text that is not a key or recipient.
	ErrKey = errors.New("not a key of age: recipients begin with age1, keys with AGE-SECRET-KEY-1")
	// ErrSeal is returned for a sealed stream that was changed or cut off.
	ErrSeal = errors.New("the seal is broken: it was changed or cut off")
)

// SealPrefix is the beginning of a sealed stream.
const SealPrefix = "age-encryption.org/v1\n"

// MaxRecipients is the largest number of recipients of a stream.
const MaxRecipients = 64

// workFactor is the cost of a passphrase: 2^18 rounds of scrypt take a second and 256 MiB. A locked
// key with a higher cost is rejected. Tests lower it.
var workFactor = 18

// Recipient is a public key or a passphrase for which a stream is sealed.
type Recipient = age.Recipient

// Identity is a key that opens streams.
type Identity = age.Identity

// NewKey generates a key. Its String is secret, that of its Recipient is not.
func NewKey() (*age.X25519Identity, error) { return age.GenerateX25519Identity() }

// ParseKey parses a key. Errors: ErrKey, without the text.
func ParseKey(text string) (*age.X25519Identity, error) {
	key, err := age.ParseX25519Identity(strings.TrimSpace(text))
	if err != nil {
		return nil, ErrKey // the cause may quote the secret
	}
	return key, nil
}

// ParseRecipient parses a recipient. Errors: ErrKey.
func ParseRecipient(text string) (*age.X25519Recipient, error) {
	r, err := age.ParseX25519Recipient(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("recipient: %w", ErrKey) // the text may be a secret
	}
	return r, nil
}

// Seal returns a writer that encrypts to w for 1 to MaxRecipients recipients. The result can be
// opened only after the writer was closed, which leaves w open.
func Seal(w io.Writer, to ...Recipient) (io.WriteCloser, error) {
	if len(to) == 0 || len(to) > MaxRecipients {
		return nil, fmt.Errorf("seal: %d recipients, not 1 to %d: %w", len(to), MaxRecipients, ErrTooLarge)
	}
	sealed, err := age.Encrypt(w, to...)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return sealed, nil
}

// Sealed seals the whole output of write with Seal; without recipients it stays plain.
func Sealed(w io.Writer, to []Recipient, write func(io.Writer) error) error {
	if len(to) == 0 {
		return write(w)
	}
	out, err := Seal(w, to...)
	if err == nil {
		err = write(out)
	}
	if err == nil {
		err = out.Close()
	}
	return err
}

// SealBytes is Sealed for bytes.
func SealBytes(data []byte, to ...Recipient) ([]byte, error) {
	var out bytes.Buffer
	err := Sealed(&out, to, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return out.Bytes(), err
}

// OpenBytes reverses SealBytes, up to MaxObject bytes. Errors: those of Unseal.
func OpenBytes(data []byte, keys ...Identity) ([]byte, error) {
	r, err := Unseal(bytes.NewReader(data), keys...)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, MaxObject))
}

// Unseal returns the content of a sealed stream. Each byte is authenticated before it is
// returned. A stream that was changed or cut off ends with ErrSeal instead of io.EOF.
// Errors: ErrNotSealed, ErrNoKey, ErrSeal, those of r.
func Unseal(r io.Reader, keys ...Identity) (io.Reader, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("open: %w", ErrNoKey)
	}
	from := &source{from: r}
	prefix := make([]byte, len(SealPrefix))
	if _, err := io.ReadFull(from, prefix); err != nil || string(prefix) != SealPrefix {
		if from.err != nil {
			return nil, fmt.Errorf("open: %w", from.err)
		}
		return nil, fmt.Errorf("open: %w", ErrNotSealed)
	}
	plain, err := age.Decrypt(io.MultiReader(strings.NewReader(SealPrefix), from), keys...)
	if err != nil {
		return nil, from.explain(err)
	}
	return &opened{plain, from}, nil
}

// source distinguishes errors of a stream from errors of its content.
type source struct {
	from io.Reader
	err  error // of the stream, not io.EOF
}

func (s *source) Read(b []byte) (int, error) {
	n, err := s.from.Read(b)
	if err != nil && err != io.EOF {
		s.err = err
	}
	return n, err
}

func (s *source) explain(err error) error {
	if _, none := errors.AsType[*age.NoIdentityMatchError](err); none {
		return fmt.Errorf("open: %w", ErrNoKey)
	}
	if s.err != nil {
		return fmt.Errorf("open: %w", s.err)
	}
	return fmt.Errorf("open: %w (%v)", ErrSeal, err)
}

// opened is the content of a sealed stream.
type opened struct {
	plain io.Reader
	from  *source
}

func (o *opened) Read(b []byte) (int, error) {
	n, err := o.plain.Read(b)
	if err != nil && err != io.EOF {
		err = o.from.explain(err)
	}
	return n, err
}

// LockKey returns a key in a form that only the passphrase opens. Errors: ErrPassphrase for
// an empty one.
func LockKey(key *age.X25519Identity, passphrase string) ([]byte, error) {
	if passphrase == "" {
		return nil, fmt.Errorf("lock key: it is empty: %w", ErrPassphrase)
	}
	r, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return nil, fmt.Errorf("lock key: %w", err)
	}
	r.SetWorkFactor(workFactor)
	locked, err := SealBytes([]byte(key.String()), r)
	if err != nil {
		return nil, fmt.Errorf("lock key: %w", err)
	}
	return locked, nil
}

// UnlockKey opens a key that LockKey has locked. It takes a second and 256 MiB. Errors:
// ErrPassphrase, ErrNotSealed, ErrSeal, ErrKey.
func UnlockKey(locked []byte, passphrase string) (*age.X25519Identity, error) {
	if passphrase == "" {
		return nil, fmt.Errorf("unlock key: it is empty: %w", ErrPassphrase)
	}
	id, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return nil, fmt.Errorf("unlock key: %w", err)
	}
	id.SetMaxWorkFactor(workFactor)
	text, err := OpenBytes(locked, id)
	if errors.Is(err, ErrNoKey) {
		err = ErrPassphrase
	}
	if err != nil {
		return nil, fmt.Errorf("unlock key: %w", err)
	}
	return ParseKey(string(text))
}
