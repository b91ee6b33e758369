// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/proof"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: verify FILE KEY")
		os.Exit(2)
	}
	var v proof.Verdict
	data, err := os.ReadFile(os.Args[1])
	key, bad := note.NewVerifier(os.Args[2])
	if err == nil && bad == nil {
		v, err = proof.Check(data, note.VerifierList(key))
	}
	if err != nil || bad != nil {
		fmt.Fprintf(os.Stderr, "no: %q\n", errors.Join(err, bad))
		os.Exit(1)
	}
	fmt.Printf("yes: %s.\nsigned by %s\n\n%s", v.Claim, v.Key, v.Note)
}
