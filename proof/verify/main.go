// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/fovea-memory/fovea/proof"
)

func main() { os.Exit(verify(os.Args[1:], os.Stdout, os.Stderr)) }

// verify returns the exit code.
func verify(args []string, out, problems io.Writer) int {
	if len(args) != 2 {
		fmt.Fprintln(problems, "usage: verify FILE KEY\nKEY is the file key.pub of the machine that signed, or the line in it")
		return 2
	}
	line := args[1]
	if text, err := os.ReadFile(line); err == nil {
		line = strings.TrimSpace(string(text))
	}
	key, err := note.NewVerifier(line)
	if err != nil {
		fmt.Fprintf(problems, "%q is neither a public key nor a file with one;\ngive key.pub of the machine that signed, or the line in it\n", args[1])
		return 2
	}
	var v proof.Verdict
	data, err := os.ReadFile(args[0])
	if err == nil {
		v, err = proof.Check(data, note.VerifierList(key))
	}
	if err != nil {
		fmt.Fprintf(problems, "no: %q\n", err.Error())
		return 1
	}
	fmt.Fprintf(out, "yes: %s.\nsigned by %s\n\n%s", v.Claim, v.Key, v.Note)
	return 0
}
