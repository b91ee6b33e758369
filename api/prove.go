// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/internal/fault"
	"github.com/fovea-memory/fovea/internal/travel"
	"github.com/fovea-memory/fovea/proof"
)

// The operations on proofs.
var (
	OpProve = Define(Operation{Name: "prove", Scan: true, Group: "care", History: true,
		Summary: "Prove what was in memory, to someone without the memory"}, prove)
	OpCheckProof = Define(Operation{Name: "check-proof",
		Summary: "Check a proof against the keys known here, or a given key"}, checkProof)
)

// ProofRequest asks for a proof about a note or, with from, about two signed heads.
type ProofRequest struct {
	ID     string `json:"id,omitempty" jsonschema:"the note; with absent, an id" arg:"ID"`
	At     string `json:"at,omitempty" jsonschema:"the moment; by default the present" flag:"at this <MOMENT>, as rollback names them"`
	Absent bool   `json:"absent,omitempty" jsonschema:"prove that no note has this id" flag:"prove that there was no note with this id"`
	From   string `json:"from,omitempty" jsonschema:"a signed head, whose history the later one contains"`
	To     string `json:"to,omitempty" jsonschema:"the later signed head; by default the newest"`
}

// Proof is a proof, and what it proves.
type Proof struct {
	Proof string `json:"proof" jsonschema:"the file, one line of JSON"`
	Claim string `json:"claim" jsonschema:"what it proves"`
	Key   string `json:"key" jsonschema:"who signed the head, and of which commit it is"`
}

// CheckProofRequest is a proof to check.
type CheckProofRequest struct {
	Proof string `json:"proof" jsonschema:"the file"`
	Key   string `json:"key,omitempty" jsonschema:"the public key of its signature; by default those known here" flag:"its public <KEY>, or the file key.pub"`
}

// Verdict is what a proof proves, or why it is invalid.
type Verdict struct {
	Holds bool   `json:"holds" jsonschema:"whether it is valid"`
	Why   string `json:"why,omitempty" jsonschema:"why it is not"`
	Claim string `json:"claim,omitempty" jsonschema:"what is proved"`
	Key   string `json:"key,omitempty" jsonschema:"who signed the head, and of which commit it is"`
	Note  string `json:"note,omitempty" jsonschema:"the bytes of the note, where they are UTF-8"`
	Bytes []byte `json:"bytes,omitempty" jsonschema:"the bytes of the note, where they are not"`
}

// maxHead is the maximum size of signed heads in bytes.
const maxHead = 16 << 10

func prove(ctx context.Context, l *Local, req ProofRequest) (*Proof, error) {
	var f *proof.File
	var err error
	switch {
	case len(req.From)+len(req.To) > maxHead:
		return nil, fault.Errorf("prove", "head", fault.Invalid, "longer than %d bytes", maxHead)
	case req.From != "" && req.ID == "" && req.At == "" && !req.Absent:
		f, err = travel.ProveHeads(ctx, l.History(), req.From, req.To)
	case req.ID == "" && req.From == "":
		return nil, fault.Invalidf("prove", "name a note, or the file of a signed head (--from FILE)")
	case req.From+req.To != "":
		return nil, fault.Invalidf("prove",
			"a proof is of a note or of two signed heads: leave out the note, at and absent, or from and to")
	case req.Absent:
		f, err = proveAbsent(ctx, l, req)
	default:
		f, err = proveNote(ctx, l, req)
	}
	if err != nil {
		return nil, err
	}
	text, err := f.Encode()
	if err != nil {
		return nil, fault.Wrap("prove", req.ID, fault.Other, err)
	}
	v, err := proof.Check(text, travel.Options(l.History()).Verifiers)
	if err != nil {
		return nil, fault.Wrap("prove", req.ID, fault.Conflict, err)
	}
	return &Proof{Proof: string(text), Claim: v.Claim, Key: v.Key}, nil
}

func proveAbsent(ctx context.Context, l *Local, req ProofRequest) (*proof.File, error) {
	if !l.ByOwner(ctx) {
		return nil, fault.Errorf("prove", req.ID, fault.Denied, "that no note has an id is proved to the owner alone")
	}
	if !utf8.ValidString(req.ID) {
		return nil, fault.Errorf("prove", req.ID, fault.Invalid, "an id is UTF-8")
	}
	v, err := l.viewAt(ctx, req.At)
	if err != nil {
		return nil, err
	}
	if n, err := v.Resolve(req.ID); err == nil && n.ID != req.ID {
		return nil, fault.Errorf("prove", req.ID, fault.Conflict, "this names the note %q, which is there; absence is proved of an id", n.ID)
	}
	f, _, err := travel.Prove(ctx, l.History(), req.At, req.ID, true)
	return f, err
}

// proveNote proves a note that the caller could read at the moment.
func proveNote(ctx context.Context, l *Local, req ProofRequest) (*proof.File, error) {
	v, err := l.viewAt(ctx, req.At)
	if err != nil {
		return nil, err
	}
	shown, err := l.Find(v, "prove", req.ID)
	if err != nil {
		return nil, err
	}
	f, n, err := travel.Prove(ctx, l.History(), req.At, shown.ID, false)
	if err != nil {
		return nil, err
	}
	if n.Own != shown.Own || n.Path != shown.Path || n.Version != shown.Version {
		return nil, fault.Errorf("prove", req.ID, fault.Conflict, "the note that you see is not the one in the history; try again")
	}
	return f, nil
}

func checkProof(_ context.Context, l *Local, req CheckProofRequest) (*Verdict, error) {
	if req.Proof == "" {
		return nil, fault.Errorf("check proof", "proof", fault.Invalid, "it is empty")
	}
	keys := travel.Options(l.History()).Verifiers
	if req.Key != "" {
		key, err := note.NewVerifier(req.Key)
		if err != nil {
			return nil, fault.Wrap("check proof", "key", fault.Invalid, err)
		}
		keys = note.VerifierList(key)
	}
	return CheckProof([]byte(req.Proof), keys), nil
}

// CheckProof verifies a proof against the keys that may have signed it.
func CheckProof(data []byte, keys note.Verifiers) *Verdict {
	v, err := proof.Check(data, keys)
	if other, ok := errors.AsType[*note.UnverifiedNoteError](err); ok && len(other.Note.UnverifiedSigs) > 0 {
		signer := other.Note.UnverifiedSigs[0]
		err = fmt.Errorf("a head in it is signed by %s+%08x, and that key is not the one given, or none that is known here", signer.Name, signer.Hash)
	}
	if err != nil {
		return &Verdict{Why: err.Error()}
	}
	out := &Verdict{Holds: true, Claim: v.Claim, Key: v.Key}
	if utf8.Valid(v.Note) {
		out.Note = string(v.Note)
	} else {
		out.Bytes = v.Note
	}
	return out
}
