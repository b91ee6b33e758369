// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"net"
	"net/http"
	"slices"
	"strconv"
)

// Loopback lets pass what is addressed to a port of this machine by a program of
// it: a page of another site that a browser shows is neither, whatever its name
// resolves to.
func Loopback(port int, next http.Handler) http.Handler {
	var hosts, origins []string
	for _, name := range []string{"127.0.0.1", "localhost", "::1"} {
		host := net.JoinHostPort(name, strconv.Itoa(port))
		hosts, origins = append(hosts, host), append(origins, "http://"+host)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			w.Header().Set("Connection", "close")
			problem(w, http.StatusForbidden, "denied", "Host: this is not "+hosts[0])
			return
		}
		for _, origin := range r.Header.Values("Origin") {
			if !slices.Contains(origins, origin) {
				w.Header().Set("Connection", "close")
				problem(w, http.StatusForbidden, "denied", "Origin: requests from pages of other sites are refused")
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
