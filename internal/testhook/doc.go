// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Package testhook lets the tests of test/ reach what package fovea does not export: a
// memory that is due for an image, notes that arrive together, a merge from a file system
// in memory, a view with indexes made from nothing.
//
// Its variables are functions that package fovea sets when it is initialized. Values of its
// types are passed as any, because fovea imports this package. Only tests call the functions.
//
// Elsewhere: clock, log and file systems are options of a memory, not hooks; faults come from
// internal/faultfs.
package testhook
