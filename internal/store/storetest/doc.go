// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package storetest checks that an implementation of store.Store keeps the contract.
//
// Run runs the suite. Each test gets a new, empty history, and closes and opens it as
// often as it needs. InMemory is a store without files, for tests of code that uses one.
//
// Invariants: the suite uses nothing but the contract, so that it holds for every store;
// optional powers are tested where a store has their interface.
//
// Elsewhere: what a store does after a crash or with damaged files (the tests of package
// disk), files that fail on purpose (package faultfs).
package storetest
