// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package ipfs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fovea-memory/fovea/internal/graph"
	"github.com/fovea-memory/fovea/internal/place"
	"github.com/fovea-memory/fovea/internal/scope"
	"github.com/fovea-memory/fovea/internal/store"
	"github.com/fovea-memory/fovea/internal/vfs"
	"github.com/fovea-memory/fovea/merkle"
)

// StandardAPI is the address at which Kubo listens by default.
const StandardAPI = "127.0.0.1:5001"

// ParseAddress returns the URL of the RPC at an address: a multiaddr such as
// /ip4/127.0.0.1/tcp/5001, host and port, or a URL with http or https. far allows hosts
// other than this machine. Errors: ErrAddress, ErrFar.
func ParseAddress(text string, far bool) (string, error) {
	text = strings.TrimSpace(text)
	address := text
	if strings.HasPrefix(text, "/") {
		var ok bool
		if address, ok = ofMultiaddr(text); !ok {
			return "", fmt.Errorf("%q: %w", text, ErrAddress)
		}
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" ||
		strings.Trim(u.Path, "/") != "" && strings.Trim(u.Path, "/") != "api/v0" {
		return "", fmt.Errorf("%q: %w", text, ErrAddress)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return "", fmt.Errorf("%q: %w", text, ErrAddress)
		}
	}
	if !far && !place.IsLoopback(u.Hostname()) {
		return "", fmt.Errorf("%q: %w", text, ErrFar)
	}
	return u.Scheme + "://" + u.Host, nil
}

// ofMultiaddr converts a multiaddr of a TCP port to a URL.
func ofMultiaddr(text string) (address string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(text, "/")[1:], "/")
	if len(parts) < 4 || len(parts) > 5 || parts[2] != "tcp" {
		return "", false
	}
	switch ip, err := netip.ParseAddr(parts[1]); parts[0] {
	case "ip4":
		ok = err == nil && ip.Is4()
	case "ip6":
		ok = err == nil && ip.Is6()
	case "dns", "dns4", "dns6":
		ok = parts[1] != "" && !strings.ContainsAny(parts[1], ":@?#")
	}
	scheme := "http"
	if len(parts) == 5 {
		ok = ok && (parts[4] == "http" || parts[4] == "https")
		scheme = parts[4]
	}
	return scheme + "://" + net.JoinHostPort(parts[1], parts[3]), ok
}

// ParseCID parses the CID of a block that Fovea writes. Errors: ErrCID.
func ParseCID(text string) (merkle.Digest, error) {
	d, err := merkle.Parse(text)
	if err != nil {
		return d, fmt.Errorf("%q: %w", oneLine(text), ErrCID)
	}
	return d, nil
}

// Found is the target of a CID.
type Found struct {
	CID merkle.Digest
	// Archive is the archive with histories, nil for a state without history.
	Archive *place.Manifest
	// Root is the root of the state, the zero digest for an archive.
	Root merkle.Digest
	// Seq is the number of the commit, 0 for a root.
	Seq uint64
}

// Scopes lists the scopes of the target, the memex first.
func (f Found) Scopes() []string {
	if f.Archive == nil {
		return []string{scope.Memex}
	}
	var names []string // a kept pack may have scopes that have ended
	for _, s := range f.Archive.Scopes {
		names = append(names, s.Scope)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Fetch reads the target of a CID into a state folder: an archive like place.ReadInto or, with wantState,
// a state as a history of one commit. key opens a sealed archive. After an error the folder holds a part.
// Errors: ErrStateOnly, those of Find, ReadArchive, FetchState and place.ReadInto.
func (c *Client) Fetch(ctx context.Context, d merkle.Digest, key place.Identity, in vfs.FS, memex string, wantState bool) (Found, error) {
	found, err := c.Find(ctx, d, key)
	switch {
	case err != nil:
	case found.Archive != nil:
		err = c.ReadArchive(ctx, found.Archive, key, func(r io.Reader) error {
			_, err := place.ReadInto(ctx, in, r, memex)
			return err
		})
	case !wantState:
		err = ErrStateOnly
	default:
		var to store.Store
		if to, err = scope.OpenCopy(in, ""); err == nil {
			err = errors.Join(c.FetchState(ctx, found.Root, to), to.Close())
		}
	}
	return found, err
}

// Find returns the target of a CID; key opens a sealed archive. Errors: ErrOther, place.ErrNoKey,
// place.ErrSeal, those of Client.Block.
func (c *Client) Find(ctx context.Context, d merkle.Digest, key place.Identity) (Found, error) {
	block, err := c.Block(ctx, d)
	if err != nil {
		return Found{}, err
	}
	if merkle.IsMap(block) {
		return Found{CID: d, Root: d}, nil
	}
	if commit, err := graph.CommitHead(block); err == nil {
		return Found{CID: d, Root: commit.State, Seq: commit.Seq}, nil
	}
	m, err := decode(block, key)
	if err != nil {
		return Found{}, fmt.Errorf("%s: %w", d, err)
	}
	return Found{CID: d, Archive: &m}, nil
}
