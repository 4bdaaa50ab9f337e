//go:build !linux

package faultsite_test

import "testing"

// A smallDisk exists only on Linux.
type smallDisk struct{ dir string }

func newSmallDisk(*testing.T) *smallDisk { return nil }

func (d *smallDisk) fill(*testing.T)  {}
func (d *smallDisk) empty(*testing.T) {}
