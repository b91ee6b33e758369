// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package node

import (
	"encoding/base32"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/fovea-memory/fovea/document"
	"github.com/fovea-memory/fovea/merkle"
)

// base32Lower writes derived ids; 16 bytes make 26 characters.
var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// IsDerived reports whether the id was derived from a node's position.
func IsDerived(id string) bool { return strings.HasPrefix(id, document.DerivedPrefix) }

// DocumentID derives the id of a document that declares none: a function of
// its path alone, in Unicode NFC, so that the same folder has the same ids on
// every machine.
func DocumentID(path string) string { return documentID("document", norm.NFC.String(path)) }

// rawDocumentID derives the id of a document that cannot have the id it claims, from the
// exact bytes of its path.
func rawDocumentID(path string) string { return documentID("document bytes", path) }

func documentID(kind, path string) string {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, kind)
	return derive(merkle.Sum(merkle.AppendBytes(b, path)))
}

// outlineOf returns the place of a document with the given id. The place of any other
// node is the digest of its parent's place, its Key and its ordinal among siblings of
// the same key; derived ids are cut from it.
func outlineOf(id string) merkle.Digest {
	b := merkle.AppendList(nil, 2)
	b = merkle.AppendText(b, "headline")
	return merkle.Sum(merkle.AppendText(b, id))
}

// derive cuts a derived id from a digest.
func derive(place merkle.Digest) string {
	return document.DerivedPrefix + base32Lower.EncodeToString(place[:16])
}

// Claim is the claim of a document to an id: one that a node of it declares, or, for a
// document without a declared id, the one derived from its path. If several nodes of a
// document claim an id, the first gets it.
type Claim struct {
	ID   string
	Path string // document path
}

// Before reports whether c has precedence over o: files before memory-backed documents,
// documents outside agents/ first, then by path. It is a total order, so the state alone
// determines which document gets an id.
func (c Claim) Before(o Claim) bool {
	cm, om := document.IsMemory(c.Path), document.IsMemory(o.Path)
	if cm != om {
		return om
	}
	ca, oa := underAgents(c.Path), underAgents(o.Path)
	if ca != oa {
		return oa
	}
	return c.Path < o.Path
}

func underAgents(path string) bool { return strings.HasPrefix(path, "agents/") }

// ClaimedID returns the id that a node claims, "" for none. The document of a file
// always claims one.
func (n *Node) ClaimedID() string {
	if n.Derived.DeclaredID != "" || n.Parent != "" || document.IsMemory(n.Path) {
		return n.Derived.DeclaredID
	}
	return DocumentID(n.Path)
}

// ClaimedIn is ClaimedID for a node of a document that may be a conflict copy. A conflict copy
// claims no id that it declares.
func (n *Node) ClaimedIn(isCopy bool) string {
	switch {
	case !isCopy || n.Derived.DeclaredID == "":
		return n.ClaimedID()
	case n.Parent == "":
		return DocumentID(n.Path)
	}
	return ""
}
